import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import { descendantsCount, descriptorsCount, processRssMb } from '../../lab/process/cpu.ts';
import { endWithBench, temporaryFolder } from '../../lab/process/interrupt.ts';
import { HOME } from '../../lab/home.ts';
import { pinned } from '../../lab/process/pin.ts';
import type { Settings } from '../options.ts';
import type { ShapeName } from '../../lab/shapes/sheet.ts';
import { programOf } from './program.ts';
import type { Program } from './program.ts';
import { addCallers, commandsOf, publishTemplates, RATE_LIMIT } from './set-up.ts';
import type { Keys, RunCommand } from './set-up.ts';

/** A service started for the bench: fresh database and files, one team, the templates of the bench. */
export interface Service {
  readonly url: string;
  /** More than one, so that one caller can flood and another be served. */
  readonly keys: Keys;
  readonly pid: number;
  /** Runs a command on the service's database. */
  readonly command: RunCommand;
  rssMb(): number;
  /** The number of its open descriptors. */
  descriptors(): number;
  /** The number of processes it started. */
  children(): number;
  stop(): Promise<void>;
}

export interface ServiceOptions {
  readonly settings?: Settings;
  /** Folder of the sources that run; this checkout's unless given. */
  readonly root?: string;
  /** API keys, at least two. */
  readonly keysCount?: number;
  /** Scopes of the keys, in addition to those that every service of the bench grants. */
  readonly scopes?: readonly string[];
  /** The core that all its threads stay on; left out: any. */
  readonly core?: number;
}

const KEYS_COUNT = 2;

const START_TIMEOUT_MS = 300_000;
const STOP_TIMEOUT_MS = 60_000;
const STORE_TIMEOUT_MS = 300_000;

/**
 * The variables of the service: its database and files lie in `folder`. `INTAGLIO_BENCH_DATABASE_URL`
 * names another database, an empty one of a server that runs already.
 */
function environmentOf(folder: string, settings: Settings): NodeJS.ProcessEnv {
  const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith('INTAGLIO_'));
  return {
    ...Object.fromEntries(inherited),
    INTAGLIO_PORT: '0',
    INTAGLIO_DATABASE_URL:
      process.env['INTAGLIO_BENCH_DATABASE_URL'] ?? `sqlite:${join(folder, 'bench.db')}`,
    INTAGLIO_LINK_SECRETS: 'a secret of the bench that is long enough to sign links',
    INTAGLIO_FILES_URL: `file:${join(folder, 'files')}`,
    INTAGLIO_RATE_LIMIT_PER_MINUTE: RATE_LIMIT,
    INTAGLIO_RUN_CALLS_PER_MINUTE: RATE_LIMIT,
    // The first document of a renderer can take more than the default beside ten busy programs.
    INTAGLIO_RENDER_TIMEOUT_MS: '60000',
    ...settings,
  };
}

/** Waits for the log line that says where the service listens; returns its URL. */
function untilListening(child: ChildProcess): Promise<string> {
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

async function stopProcess(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGTERM');
  const timer = setTimeout(() => child.kill('SIGKILL'), STOP_TIMEOUT_MS);
  await ended;
  clearTimeout(timer);
}

function serve(
  { command, flags }: Program,
  env: NodeJS.ProcessEnv,
  core: number | null,
): ChildProcess {
  const [file, ...words] = pinned([process.execPath, ...flags, command, 'serve'], core);
  return endWithBench(spawn(file, words, { env, stdio: ['ignore', 'pipe', 'inherit'] }));
}

/** Starts another instance on the database, files and queue of a service that is set up. */
export async function startInstance(
  settings: Settings,
  core: number,
): Promise<Pick<Service, 'url' | 'pid' | 'stop'>> {
  const program = await programOf(HOME);
  const child = serve(program, environmentOf('', settings), core);
  try {
    const url = await untilListening(child);
    return { url, pid: child.pid ?? 0, stop: () => stopProcess(child) };
  } catch (error) {
    await stopProcess(child);
    throw error;
  }
}

/**
 * Sets up and starts a service as `serve` runs it, on a free port: the sources in `root` with their
 * packages, through their own commands and the HTTP interface.
 */
export async function startService(
  shapes: readonly ShapeName[],
  { settings = {}, root = HOME, keysCount = KEYS_COUNT, scopes = [], core }: ServiceOptions = {},
): Promise<Service> {
  const { path: folder, remove } = temporaryFolder('intaglio-bench-http-');
  try {
    const program = await programOf(root);
    const env = environmentOf(folder, settings);
    const command = commandsOf(program, env);
    const { keys, cookie } = await addCallers(command, keysCount, scopes);
    const child = serve(program, env, core ?? null);
    const stop = async (): Promise<void> => {
      await stopProcess(child);
      remove();
    };
    try {
      const url = await untilListening(child);
      await publishTemplates(url, cookie, shapes, root);
      const pid = child.pid ?? 0;
      return {
        url,
        keys,
        pid,
        command,
        rssMb: () => processRssMb(pid),
        descriptors: () => descriptorsCount(pid),
        children: () => descendantsCount(pid),
        stop,
      };
    } catch (error) {
      await stopProcess(child);
      throw error;
    }
  } catch (error) {
    remove();
    throw error;
  }
}

/** Has the service store a document; returns its id. */
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
