import { execFileSync, spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { childrenCpuMs, processCpuMs, processRssMb } from '../harness/cpu.ts';
import { HOME } from '../harness/machine.ts';
import { SHAPES } from '../shapes/index.ts';
import { SHAPE_NAMES } from '../shapes/sheet.ts';

/** A service of its own for the bench: fresh database and files, one team, the three shapes. */
export interface Service {
  readonly url: string;
  /** Two keys, so that one caller can flood and another be served. */
  readonly keys: readonly [string, string];
  /** CPU of all its processes so far. */
  cpuMs(): number;
  rssMb(): number;
  stop(): Promise<void>;
}

const TEAM = 'bench';
const START_TIMEOUT_MS = 30_000;
const STOP_TIMEOUT_MS = 15_000;
/** More calls a minute than any load here makes. */
const RATE_LIMIT = '100000000';
const NODE_FLAGS = ['--disable-proto=delete', '--require', join(HOME, 'src', 'quiet.cjs')];
const CLI = join(HOME, 'src', 'cli.ts');

function environment(folder: string): NodeJS.ProcessEnv {
  const own = Object.entries(process.env).filter(([name]) => !name.startsWith('INTAGLIO_'));
  return {
    ...Object.fromEntries(own),
    INTAGLIO_PORT: '0',
    INTAGLIO_DATABASE_URL: `sqlite:${join(folder, 'bench.db')}`,
    INTAGLIO_FILES_URL: `file:${join(folder, 'files')}`,
    INTAGLIO_RATE_LIMIT_PER_MINUTE: RATE_LIMIT,
  };
}

function command(folder: string, args: readonly string[]): string {
  return execFileSync(process.execPath, [...NODE_FLAGS, CLI, ...args], {
    env: environment(folder),
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

function addKey(folder: string, name: string): string {
  const scopes = ['--scope', 'generate', '--scope', 'documents:read'];
  const printed = command(folder, [
    'keys',
    'add',
    '--team',
    TEAM,
    '--name',
    name,
    ...scopes,
    '--json',
  ]);
  // The command's documented output.
  return (JSON.parse(printed) as { apiKey: string }).apiKey;
}

function publishShapes(folder: string): void {
  for (const name of SHAPE_NAMES) {
    const { template } = SHAPES[name];
    const file = join(folder, `${name}.json`);
    writeFileSync(file, JSON.stringify(template));
    command(folder, ['templates', 'draft', '--team', TEAM, file]);
    command(folder, ['templates', 'publish', '--team', TEAM, String(template['templateId'])]);
  }
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
export async function startService(): Promise<Service> {
  const folder = mkdtempSync(join(tmpdir(), 'intaglio-bench-http-'));
  const remove = (): void => rmSync(folder, { recursive: true, force: true });
  try {
    command(folder, ['teams', 'add', TEAM, '--name', 'Bench']);
    const keys = [addKey(folder, 'first'), addKey(folder, 'second')] as const;
    publishShapes(folder);
    const child = spawn(process.execPath, [...NODE_FLAGS, CLI, 'serve'], {
      env: environment(folder),
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
        cpuMs: () => processCpuMs(pid) + childrenCpuMs(pid),
        rssMb: () => processRssMb(pid),
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
