import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { SHAPES } from '../shapes/index.ts';
import { sampleFile } from '../shapes/sample.ts';
import type { ShapeName } from '../shapes/sheet.ts';
import { EXTRA_TEMPLATES } from './templates.ts';
import type { Program } from './program.ts';

/**
 * Sets a service up through its commands and routes, never through its sources: that works for every
 * commit, however its sources are arranged.
 */
export const TEAM = 'bench';
const ADMIN = 'bench-admin';
const KEY_SCOPES = ['--scope', 'generate', '--scope', 'documents:read'];
/** The most a key can be given: 16,667 a second. */
export const RATE_LIMIT = '1000000';
const COMMAND_TIMEOUT_MS = 300_000;
const PUBLISH_TIMEOUT_MS = 300_000;
const PUBLISH_TRIES_MAX = 5;

/** More than one, so that one caller can flood and another be served. */
export type Keys = readonly [string, string, ...string[]];

export interface Callers {
  readonly keys: Keys;
  /** Cookie of an administrator's session. */
  readonly cookie: string;
}

const run = promisify(execFile);

/** Runs a command of the service; returns the JSON that it prints. */
export type RunCommand = (...args: readonly string[]) => Promise<unknown>;

export function commandsOf(program: Program, env: NodeJS.ProcessEnv): RunCommand {
  return async (...args) => {
    const { stdout } = await run(
      process.execPath,
      [...program.flags, program.command, ...args, '--json'],
      { env, timeout: COMMAND_TIMEOUT_MS },
    );
    return JSON.parse(stdout);
  };
}

/** Adds a team, `keysCount` keys (at least 2) and an administrator. */
export async function addCallers(
  call: RunCommand,
  keysCount: number,
  scopes: readonly string[] = [],
): Promise<Callers> {
  await call('teams', 'add', TEAM, '--name', 'Bench');
  const addKey = async (index: number): Promise<string> => {
    const more = scopes.flatMap((scope) => ['--scope', scope]);
    const options = ['--team', TEAM, '--name', `key-${index}`, '--rate-limit', RATE_LIMIT, ...more];
    // The command's own output; a wrong shape fails at the first request.
    const { apiKey } = (await call('keys', 'add', ...options, ...KEY_SCOPES)) as { apiKey: string };
    return apiKey;
  };
  const addAdmin = async (): Promise<string> => {
    await call('users', 'add', ADMIN, '--team', TEAM, '--role', 'Admin');
    const { cookie } = (await call('sessions', 'add', ADMIN)) as { cookie: string };
    return cookie;
  };
  const [cookie, first = '', second = '', ...more] = await Promise.all([
    addAdmin(),
    ...Array.from({ length: keysCount }, (_, index) => addKey(index)),
  ]);
  return { keys: [first, second, ...more], cookie };
}

/** Publishes the named shapes, the sample receipt of the sources in `root`, the extra ones and `more`. */
export async function publishTemplates(
  url: string,
  cookie: string,
  shapes: readonly ShapeName[],
  root: string,
  more: readonly object[],
): Promise<void> {
  const named = shapes.map((name): object => SHAPES[name].template);
  const sources = [...named, ...EXTRA_TEMPLATES, ...more].map((template) =>
    JSON.stringify(template),
  );
  for (const source of [...sources, readFileSync(sampleFile(root), 'utf8')]) {
    // Publishing checks the file in full; here only its name is read.
    const { templateId } = JSON.parse(source) as { templateId: string };
    const address = `${url}/v1/templates/${encodeURIComponent(templateId)}`;
    await send('PUT', `${address}/draft`, source, url, cookie);
    await send('POST', `${address}/publish`, '{}', url, cookie);
  }
}

async function send(
  method: 'PUT' | 'POST',
  address: string,
  body: string,
  origin: string,
  cookie: string,
): Promise<void> {
  const headers = {
    cookie,
    'content-type': 'application/json',
    // The service takes changes by cookie from its own pages only.
    origin,
  };
  for (let tries = 1; ; tries++) {
    const signal = AbortSignal.timeout(PUBLISH_TIMEOUT_MS);
    const response = await fetch(address, { method, headers, body, signal });
    const text = await response.text();
    if (response.ok) return;
    // On a busy machine, the first check of a template may take longer than the service allows.
    if (response.status !== 422 || tries === PUBLISH_TRIES_MAX) {
      throw new Error(`${method} ${address} answered ${response.status}: ${text}`);
    }
  }
}
