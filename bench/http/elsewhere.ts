import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Load } from './load/load.ts';
import type { Service } from './service.ts';
import type { Company } from './slow.ts';
import { RECEIPT } from './trials.ts';

/** Longer than any load beside it. */
const FLOOD_MS = 120_000;

function run(script: string, args: readonly string[]): ChildProcess {
  return spawn(process.execPath, [join(import.meta.dirname, script), ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
}

/** Sends `perSecond` requests a second to a server beside the service that only refuses. */
export async function floodElsewhere(service: Service, perSecond: number): Promise<Company> {
  const server = run('empty.ts', []);
  const { stdout } = server;
  if (stdout === null) throw new Error('a pipe is asked for');
  const told = once(stdout, 'data');
  const failed = once(server, 'exit').then(() => {
    throw new Error('the empty server ended');
  });
  failed.catch(() => undefined);
  const [line] = (await Promise.race([told, failed])) as unknown[];
  const load: Load = {
    url: String(line).trim(),
    key: service.keys[0],
    mix: [RECEIPT],
    callers: 0,
    perSecond,
    pid: server.pid ?? 0,
    warmUpMs: 0,
    durationMs: FLOOD_MS,
  };
  const generator = run(join('load', 'load.ts'), [JSON.stringify(load)]);
  return {
    release: async () => {
      await end(generator);
      await end(server);
    },
  };
}
