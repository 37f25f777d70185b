import { execFileSync, spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { childrenCount, descriptorsCount, processRssMb } from '../harness/cpu.ts';
import { SERVICE_FLAGS } from '../harness/flags.ts';
import { HOME } from '../harness/machine.ts';
import type { ShapeName } from '../shapes/sheet.ts';

/** A service of its own for the bench: fresh database and files, one team, the three shapes. */
export interface Service {
  readonly url: string;
  /** More than one, so that one caller can flood and another be served. */
  readonly keys: Keys;
  readonly pid: number;
  rssMb(): number;
  /** Its open descriptors, and the processes it started. */
  descriptors(): number;
  children(): number;
  stop(): Promise<void>;
}

type Keys = readonly [string, string, ...string[]];

/** Settings by the names of their variables. */
type Settings = Readonly<Record<string, string>>;

const START_TIMEOUT_MS = 30_000;
const STOP_TIMEOUT_MS = 15_000;
const STORE_TIMEOUT_MS = 60_000;
/** The most a key can be given: 16,667 a second. */
const RATE_LIMIT = '1000000';
const CLI = join(HOME, 'src', 'cli.ts');

/**
 * The embedded database, or the one `INTAGLIO_BENCH_DATABASE_URL` names: an empty database of a
 * server that runs already.
 */
function environment(folder: string, settings: Settings): NodeJS.ProcessEnv {
  const own = Object.entries(process.env).filter(([name]) => !name.startsWith('INTAGLIO_'));
  return {
    ...Object.fromEntries(own),
    INTAGLIO_PORT: '0',
    INTAGLIO_DATABASE_URL:
      process.env['INTAGLIO_BENCH_DATABASE_URL'] ?? `sqlite:${join(folder, 'bench.db')}`,
    INTAGLIO_LINK_SECRETS: 'of no worth but long enough to sign links in a bench',
    INTAGLIO_FILES_URL: `file:${join(folder, 'files')}`,
    INTAGLIO_RATE_LIMIT_PER_MINUTE: RATE_LIMIT,
    ...settings,
  };
}

/** Fills the store; gives the keys. */
function setUp(folder: string, shapes: readonly ShapeName[]): Keys {
  const script = join(import.meta.dirname, 'set-up.ts');
  const printed = execFileSync(process.execPath, [...SERVICE_FLAGS, script, ...shapes], {
    env: environment(folder, {}),
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  // The script's only line.
  return JSON.parse(printed) as Keys;
}

/** Waits for the line that says where the service listens. */
function listening(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let output = '';
    const timer = setTimeout(
      () => settle(new Error('the service does not start')),
      START_TIMEOUT_MS,
    );
    const onData = (chunk: Buffer): void => {
      output = (output + chunk.toString()).slice(-20_000);
      const url = /"url":"([^"]+)"/.exec(output)?.[1];
      if (url !== undefined && output.includes('"listening"')) settle(null, url);
    };
    const onExit = (): void => settle(new Error(`the service ended: ${output.slice(-1000)}`));
    function settle(error: Error | null, url = ''): void {
      clearTimeout(timer);
      child.off('exit', onExit);
      child.stdout?.off('data', onData);
      // The log must keep flowing: a full pipe would stop the service.
      child.stdout?.resume();
      if (error === null) resolve(url);
      else reject(error);
    }
    child.stdout?.on('data', onData);
    child.on('exit', onExit);
  });
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGTERM');
  const timer = setTimeout(() => child.kill('SIGKILL'), STOP_TIMEOUT_MS);
  await ended;
  clearTimeout(timer);
}

/** Sets up and starts a service as `serve` runs it, on a free port. */
export async function startService(
  shapes: readonly ShapeName[],
  settings: Settings = {},
): Promise<Service> {
  const folder = mkdtempSync(join(tmpdir(), 'intaglio-bench-http-'));
  const remove = (): void => rmSync(folder, { recursive: true, force: true });
  try {
    const keys = setUp(folder, shapes);
    const child = spawn(process.execPath, [...SERVICE_FLAGS, CLI, 'serve'], {
      env: environment(folder, settings),
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const stop = async (): Promise<void> => {
      await end(child);
      remove();
    };
    try {
      const url = await listening(child);
      const pid = child.pid ?? 0;
      return {
        url,
        keys,
        pid,
        rssMb: () => processRssMb(pid),
        descriptors: () => descriptorsCount(pid),
        children: () => childrenCount(pid),
        stop,
      };
    } catch (error) {
      await end(child);
      throw error;
    }
  } catch (error) {
    remove();
    throw error;
  }
}

/** Stores a document; gives its id. */
export async function storeDocument(service: Service, body: string): Promise<string> {
  const response = await fetch(`${service.url}/v1/generate`, {
    method: 'POST',
    headers: { 'x-api-key': service.keys[1], 'content-type': 'application/json' },
    body,
    signal: AbortSignal.timeout(STORE_TIMEOUT_MS),
  });
  if (response.status !== 201) throw new Error(`async generate answered ${response.status}`);
  // The spec's acknowledgement.
  return ((await response.json()) as { documentId: string }).documentId;
}
