import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Load } from '../../../lab/load/load.ts';
import { GENERATOR } from '../../../lab/load/run-load.ts';
import type { Service } from '../../../lab/service/service.ts';
import { RECEIPT } from '../trials.ts';
import type { Company } from './company.ts';

/** Longer than any load beside it. */
const FLOOD_MS = 120_000;
const REFUSING_SERVER = join(import.meta.dirname, 'refusing-server.ts');

function run(script: string, args: readonly string[]): ChildProcess {
  return spawn(process.execPath, [script, ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
}

/**
 * Starts a server that refuses every request, and sends it `perSecond` requests a second. It is the
 * baseline of the overload: the machine bears the same flood, but the service does not refuse it
 * itself, and the refusals cost the least that they can.
 */
export async function floodElsewhere(service: Service, perSecond: number): Promise<Company> {
  const server = run(REFUSING_SERVER, []);
  const { stdout } = server;
  if (stdout === null) throw new Error('the standard output of the refusing server is not a pipe');
  const printed = once(stdout, 'data');
  const failed = once(server, 'exit').then(() => {
    throw new Error('the refusing server ended before it printed its URL');
  });
  // `release` ends the server long after the race below: that rejection must not end the bench.
  failed.catch(() => undefined);
  // The server prints its URL.
  const [url] = (await Promise.race([printed, failed])) as unknown[];
  const load: Load = {
    url: String(url).trim(),
    key: service.keys[0],
    mix: [RECEIPT],
    // Open loop.
    callers: 0,
    perSecond,
    pid: server.pid ?? 0,
    warmUpMs: 0,
    durationMs: FLOOD_MS,
  };
  const generator = run(GENERATOR, [JSON.stringify(load)]);
  return {
    release: async () => {
      if (generator.exitCode !== null)
        throw new Error('the flood ended before the load that it should accompany');
      await end(generator);
      await end(server);
    },
  };
}
