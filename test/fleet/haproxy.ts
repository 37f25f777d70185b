import { spawn, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Test } from 'tap';

import { endsWithThis, guarded } from '../../lab/process/guard.ts';
import { HOME } from '../../lab/home.ts';
import { temporaryFolder } from '../store/dialects.ts';
import { freePort } from '../../lab/servers/port.ts';
import { until } from '../instances/pair.ts';

const UP_MS_MAX = 120_000;

/** A balancer that runs in front of instances. */
export interface Balancer {
  readonly url: string;
  /** Resolves when every instance gets requests. */
  readonly allUp: () => Promise<void>;
}

/**
 * HAProxy with the configuration that deploy/ recommends, in front of instances at these ports.
 * Only the addresses differ from that file. Returns null when no haproxy is installed.
 */
export async function startBalancer(t: Test, ports: readonly number[]): Promise<Balancer | null> {
  if (spawnSync('haproxy', ['-v']).error !== undefined) return null;
  const port = await freePort();
  const recommended = readFileSync(join(HOME, 'deploy/compose/haproxy.cfg'), 'utf8');
  const addressed = recommended
    .replace('bind :8080', `bind 127.0.0.1:${port}`)
    .replaceAll(/server documents-(\d) documents-\d:8080/g, (_, number: string) => {
      return `server documents-${number} 127.0.0.1:${ports[Number(number) - 1]}`;
    });
  const statsPort = await freePort();
  const stats = `listen stats\n  bind 127.0.0.1:${statsPort}\n  stats enable\n  stats uri /\n`;
  const file = join(await temporaryFolder(t), 'haproxy.cfg');
  await writeFile(file, `${addressed}\n${stats}`);
  const [program, ...args] = guarded(['haproxy', '-db', '-q', '-f', file]);
  const child = spawn(program, args, { stdio: ['ignore', 'ignore', 'pipe'] });
  endsWithThis(child);
  const errors: Buffer[] = [];
  child.stderr.on('data', (chunk: Buffer) => errors.push(chunk));
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
  t.teardown(async () => {
    child.kill('SIGKILL');
    await ended;
  });
  const url = `http://127.0.0.1:${port}`;
  const answers = async (): Promise<boolean> => {
    if (child.exitCode !== null) throw new Error(Buffer.concat(errors).toString());
    try {
      return (await fetch(`${url}/healthz`)).status === 200;
    } catch (error) {
      if (error instanceof TypeError) return false;
      throw error;
    }
  };
  await until(answers, UP_MS_MAX);
  const areUp = async (): Promise<boolean> => {
    const table = await (await fetch(`http://127.0.0.1:${statsPort}/;csv`)).text();
    // Column 18 is the status: `UP`, `UP 1/3` while it wavers, `DOWN`.
    const states = table
      .split('\n')
      .filter((line) => line.startsWith('instances,documents-'))
      .map((line) => line.split(',')[17]);
    return states.length === ports.length && states.every((state) => state === 'UP');
  };
  return { url, allUp: async () => void (await until(areUp, UP_MS_MAX)) };
}
