import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import type { Test } from 'tap';

import { endsWithThis } from '../fixtures/guard.ts';
import { HOME } from '../source.ts';
import { temporaryFolder } from '../store/dialects.ts';
import { until } from '../instances/pair.ts';

/** A balancer that runs in front of instances. */
export interface Balancer {
  readonly url: string;
}

/** A free port; another program may take it before it is used, which no test here does. */
export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  await new Promise((resolve) => server.close(resolve));
  return address.port;
}

/**
 * HAProxy with the configuration that deploy/ recommends, in front of instances at these ports. Only the
 * addresses differ from that file. Returns null when no haproxy is installed.
 */
export async function startBalancer(t: Test, ports: readonly number[]): Promise<Balancer | null> {
  const port = await freePort();
  const recommended = readFileSync(join(HOME, 'deploy/compose/haproxy.cfg'), 'utf8');
  const addressed = recommended
    .replace('bind :8080', `bind 127.0.0.1:${port}`)
    .replaceAll(/server documents-(\d) documents-\d:8080/g, (_, number: string) => {
      return `server documents-${number} 127.0.0.1:${ports[Number(number) - 1]}`;
    });
  const file = join(await temporaryFolder(t), 'haproxy.cfg');
  await writeFile(file, addressed);
  const child = spawn('haproxy', ['-db', '-q', '-f', file], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  endsWithThis(child);
  const errors: Buffer[] = [];
  child.stderr.on('data', (chunk: Buffer) => errors.push(chunk));
  let fault: NodeJS.ErrnoException | null = null;
  const ended = new Promise<void>((resolve) => {
    child.once('error', (error: NodeJS.ErrnoException) => {
      fault = error;
      resolve();
    });
    child.once('close', () => resolve());
  });
  t.teardown(async () => {
    child.kill('SIGKILL');
    await ended;
  });
  const url = `http://127.0.0.1:${port}`;
  const answers = async (): Promise<boolean> => {
    if (fault?.code === 'ENOENT') return true;
    if (child.exitCode !== null) throw new Error(Buffer.concat(errors).toString());
    try {
      return (await fetch(`${url}/healthz`)).status === 200;
    } catch (error) {
      if (error instanceof TypeError) return false;
      throw error;
    }
  };
  await until(answers, 20_000);
  return fault === null ? { url } : null;
}
