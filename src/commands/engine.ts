/** Shared by the commands that check or render templates without a server. */

import { globSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';

import { readConfig, type Config } from '../settings/config.ts';
import { LIMITS } from '../limits.ts';
import type { CheckResult, Finding, SharedTemplate } from '#engine';
import { shareTemplate } from '#engine/light';
import type { Pool, PoolFault } from '../workers/pool/pool.ts';
import { demand } from './console/context.ts';
import { CommandFailed, unreadable } from './console/failure.ts';
import { findJsonFault } from './console/files/json-fault.ts';
import { counted } from './console/output.ts';
import { writeErr } from './console/terminal.ts';
import { withPdfFiles } from './templates/pdf-files.ts';

/** Runs a command that renders without a server, with the service's threads and limits. */
export async function withRenderers<T>(
  threads: number,
  use: (pool: Pool, config: Config) => Promise<T>,
): Promise<T> {
  const config = readConfig(process.env);
  const { readFontsFolder, startRenderers } = await import('../start/renderers.ts');
  for (const { file, reason } of await readFontsFolder(config)) {
    writeErr(`intaglio: the font file ${file} is left out: ${reason}\n`);
  }
  const pool = startRenderers(config, Math.min(threads, config.poolThreads), report);
  try {
    // Throws when the renderers cannot load; jobs would otherwise wait for them.
    await pool.ready();
    return await use(pool, config);
  } finally {
    await pool.close(0);
  }
}

function report(fault: PoolFault): void {
  if (fault.kind === 'timeout') return;
  const lines = [`intaglio: a renderer failed: ${fault.kind} ${fault.error}`, ...fault.stack];
  writeErr(`${lines.join('\n')}\n`);
}

/** A file's bytes; throws `CommandFailed` when it cannot be read or is too large. */
export function readInput(path: string, bytesMax: number): Uint8Array<ArrayBuffer> {
  try {
    const { size } = statSync(path);
    if (size > bytesMax) {
      throw new CommandFailed(`${path} has ${size} bytes; at most ${bytesMax} are allowed`);
    }
    // A copy, whose buffer can be transferred to a thread.
    return new Uint8Array(readFileSync(path));
  } catch (error) {
    throw unreadable(path, error);
  }
}

/** The template files of a folder, by name; files with a second dot are schemas and data. */
export function templateFilesIn(folder: string): readonly string[] {
  return globSync('*.json', { cwd: folder })
    .filter((name) => !/\.\w+\.json$/.test(name))
    .toSorted()
    .map((name) => join(folder, name));
}

/** A template file. A missing id or name is ''; checking the template reports it. */
export interface TemplateFile {
  readonly bytes: Uint8Array;
  readonly templateId: string;
  readonly name: string;
  readonly shared: SharedTemplate;
}

export function readTemplate(path: string): TemplateFile {
  const bytes = readInput(path, LIMITS.templateBytesMax);
  return asTemplate(withPdfFiles(bytes, dirname(path)));
}

/** Puts a template into memory that all threads share. */
export function asTemplate(bytes: Uint8Array, version = 1): TemplateFile {
  const { templateId, name } = readNames(bytes);
  return { bytes, templateId, name, shared: shareTemplate(bytes, templateId, version) };
}

function readNames(bytes: Uint8Array): { templateId: string; name: string } {
  let file: unknown;
  try {
    file = JSON.parse(new TextDecoder().decode(bytes));
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return { templateId: '', name: '' };
  }
  const text = (key: string): string => {
    const value: unknown =
      typeof file === 'object' && file !== null ? Reflect.get(file, key) : undefined;
    return typeof value === 'string' ? value : '';
  };
  const templateId = text('templateId');
  const name = text('name');
  return { templateId, name: name === '' ? templateId : name };
}

/**
 * Compiles a template and, with `renderSamples`, renders its samples. With `new` no stored template is
 * known to have its id.
 */
export async function check(
  pool: Pool,
  template: TemplateFile,
  renderSamples: boolean,
  id: 'new' | 'any' = 'any',
): Promise<CheckResult> {
  const job = {
    kind: 'check',
    template: template.shared,
    hasNewId: id === 'new',
    renderSamples,
    atMs: Date.now(),
  } as const;
  const result = demand(await pool.check(job, 'command').result);
  // A result without a label means that the file is not JSON, or that it exceeds a limit and was
  // not read.
  if (result.label !== null) return result;
  return { ...result, findings: result.findings.map(withCause(template.bytes)) };
}

/**
 * Adds the cause to the finding for a file that is not JSON, and moves the finding to the place of
 * the cause.
 */
function withCause(bytes: Uint8Array): (finding: Finding) => Finding {
  return (finding) => {
    const text = finding.line === undefined ? '' : new TextDecoder().decode(bytes);
    // The finding for an empty file is more helpful than the JSON fault would be.
    const fault = text.trim() === '' ? null : findJsonFault(text);
    if (fault === null) return finding;
    const { line, column, cause } = fault;
    return { ...finding, line, column, message: `The file is not JSON. ${cause}` };
  };
}

/** One line for each finding, such as `receipt.json:14:7 error document.content[3].table: …`. */
export function describeFindings(findings: readonly Finding[], file: string): string {
  return findings
    .map(({ severity, path, message, line, column }) => {
      const place = line === undefined ? file : `${file}:${line}:${column}`;
      return `${place} ${severity}${path === '' ? '' : ` ${path}`}: ${message}`;
    })
    .join('\n');
}

/** Counts findings in words, such as `2 errors, 1 warning`; returns '' when there are none. */
export function countFindings(findings: readonly Finding[]): string {
  const errors = findings.filter(({ severity }) => severity === 'error').length;
  const counts = [
    { count: errors, name: 'error' },
    { count: findings.length - errors, name: 'warning' },
  ];
  return counts
    .filter(({ count }) => count > 0)
    .map(({ count, name }) => counted(count, name))
    .join(', ');
}

/** Prints the warnings on standard error; throws with the heading and the errors if there are any. */
export function demandNoErrors(findings: readonly Finding[], file: string, heading: string): void {
  const errors = findings.filter(({ severity }) => severity === 'error');
  const warnings = findings.filter(({ severity }) => severity === 'warning');
  if (warnings.length > 0) writeErr(`${describeFindings(warnings, file)}\n`);
  if (errors.length > 0) throw new CommandFailed(`${heading}\n${describeFindings(errors, file)}`);
}
