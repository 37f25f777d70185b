import { readFileSync } from 'node:fs';

import { reasonOf } from '../store/reason.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** The variable that names a file which holds the value of a secret setting. */
export function fileVariable(variable: string): string {
  return `${variable}_FILE`;
}

/** Limit of a secret file; a larger one is a mistake, for example a device or a database. */
const FILE_BYTES_MAX = 65_536;

/**
 * Replaces `INTAGLIO_…_FILE` by the setting itself, read from the file without its last line break.
 * Container platforms and systemd hand over secrets as files, because a process's environment can
 * be read by others and ends up in crash reports. Returns the environment and a message for each
 * file that cannot be used; no message holds what a file contains.
 */
export function readSettingFiles(
  env: Environment,
  variables: readonly string[],
): { readonly env: Environment; readonly faults: readonly string[] } {
  const filled: Record<string, string | undefined> = { ...env };
  const faults: string[] = [];
  for (const variable of variables) {
    const name = fileVariable(variable);
    const path = env[name];
    if (path === undefined || path === '') continue;
    if (env[variable] !== undefined && env[variable] !== '') {
      faults.push(`${variable} and ${name} are both set; keep one of them, and unset the other`);
      continue;
    }
    const content = readContent(path);
    if (content.fault === null) filled[variable] = content.value;
    else faults.push(`${name} is ${JSON.stringify(path)}; ${content.fault}; ${cureOf(variable)}`);
  }
  return { env: filled, faults };
}

/** The remedy, which is the same for every fault of a secret file. */
function cureOf(variable: string): string {
  return `name a readable file that holds the value of ${variable} alone, or set ${variable} itself`;
}

type Content = { readonly value: string; readonly fault: null } | { readonly fault: string };

/** Reads a file of a secret, without its last line break. */
function readContent(path: string): Content {
  let value: string;
  try {
    value = readFileSync(path, 'utf8');
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error;
    const { code } = error;
    const reason = code === 'ENOENT' ? 'there is no such file (ENOENT)' : reasonOf(String(code));
    return { fault: `the file cannot be read: ${reason}` };
  }
  if (value.length > FILE_BYTES_MAX) return { fault: 'the file is too long for a secret' };
  value = value.replace(/\r?\n$/, '');
  return value === '' ? { fault: 'the file is empty' } : { value, fault: null };
}
