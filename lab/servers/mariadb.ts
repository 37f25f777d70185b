import { type ChildProcess, execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { cp, mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createConnection } from 'mysql2/promise';
import { HOME } from '../home.ts';
import { endDaemon, startDaemon } from './daemon.ts';
import { freePort } from './port.ts';

const run = promisify(execFile);
const FOLDERS = ['/usr/sbin', '/usr/bin', '/usr/local/sbin', '/usr/local/bin'];
const START_MS_MAX = 180_000;

export interface MariaDb {
  /** `mysql://…/database` of a fresh, empty database. */
  freshUrl(): Promise<string>;
  /**
   * Kills it with SIGKILL, as in a crash; `restart` brings it back with its data, on the same port.
   */
  kill(): Promise<void>;
  restart(): Promise<void>;
  stop(): Promise<void>;
}

function find(program: string): string | null {
  return FOLDERS.map((folder) => join(folder, program)).find((path) => existsSync(path)) ?? null;
}

/**
 * A private server in a new folder below `parent`, on a free port; or databases on
 * INTAGLIO_TEST_MYSQL_URL when that is set. null, with a reason, when this machine has neither;
 * with INTAGLIO_FORBID_SKIPS=1 that is an error.
 */
export async function startMariaDb(
  options: readonly string[] = [],
  parent: string = tmpdir(),
): Promise<{ server: MariaDb } | { server: null; reason: string }> {
  const given = process.env['INTAGLIO_TEST_MYSQL_URL'];
  if (given !== undefined && given !== '') return { server: givenServer(given) };
  const mariadbd = find('mariadbd');
  const install = find('mariadb-install-db');
  if (mariadbd !== null && install !== null) {
    return { server: await privateServer(mariadbd, install, options, parent) };
  }
  const reason = 'neither mariadbd is installed nor INTAGLIO_TEST_MYSQL_URL set';
  if (process.env['INTAGLIO_FORBID_SKIPS'] === '1') throw new Error(reason);
  return { server: null, reason };
}

const refuse = (): Promise<void> => Promise.reject(new Error('not a private server'));

let databases = 0;

async function createDatabase(url: string): Promise<string> {
  databases += 1;
  const name = `intaglio_test_${process.pid}_${Date.now().toString(36)}_${databases}`;
  const connection = await createConnection(url);
  await connection.query(`create database ${name} character set utf8mb4`);
  await connection.end();
  const fresh = new URL(url);
  fresh.pathname = `/${name}`;
  return fresh.href;
}

function givenServer(url: string): MariaDb {
  const made: string[] = [];
  return {
    async freshUrl() {
      const fresh = await createDatabase(url);
      made.push(new URL(fresh).pathname.slice(1));
      return fresh;
    },
    kill: refuse,
    restart: refuse,
    async stop() {
      const connection = await createConnection(url);
      for (const name of made) await connection.query(`drop database if exists ${name}`);
      await connection.end();
    },
  };
}

const asUser = process.getuid?.() === 0 ? ['--user=root'] : [];
const LOG_SIZE = '--innodb-log-file-size=48M';

/**
 * A data folder as mariadb-install-db makes it for this version, kept in the checkout: making one
 * takes ten times as long as copying it.
 */
async function installed(mariadbd: string, install: string): Promise<string> {
  const { stdout: version } = await run(mariadbd, ['--no-defaults', '--version']);
  const words = ['--no-defaults', '--skip-test-db', '--skip-name-resolve', LOG_SIZE, ...asUser];
  const all = [...words, '--auth-root-authentication-method=normal'];
  const digest = createHash('sha256')
    .update([version, ...all].join('\0'))
    .digest('hex');
  const kept = join(HOME, '.tap/mariadb', digest.slice(0, 16));
  if (existsSync(kept)) return kept;
  const [own, temporary] = [`${kept}.${process.pid}`, `${kept}.${process.pid}.tmp`];
  await mkdir(temporary, { recursive: true });
  await run(install, [...all, `--datadir=${own}`], { env: { ...process.env, TMPDIR: temporary } });
  await rm(temporary, { recursive: true });
  try {
    await rename(own, kept);
  } catch (error) {
    // Another test was faster.
    if (!existsSync(kept)) throw error;
    await rm(own, { recursive: true });
  }
  return kept;
}

async function privateServer(
  mariadbd: string,
  install: string,
  options: readonly string[],
  parent: string,
): Promise<MariaDb> {
  const root = await mkdtemp(join(parent, 'intaglio-mariadb-'));
  const data = join(root, 'data');
  const temporary = join(root, 'tmp');
  await mkdir(temporary);
  await cp(await installed(mariadbd, install), data, { recursive: true });
  const port = await freePort();
  const start = (): ChildProcess =>
    startDaemon(mariadbd, [
      '--no-defaults',
      `--datadir=${data}`,
      `--socket=${join(root, 's.sock')}`,
      `--pid-file=${join(root, 'pid')}`,
      // A server deletes every #sql file of its tmpdir when it starts: also those that another
      // server uses.
      `--tmpdir=${temporary}`,
      `--port=${port}`,
      '--bind-address=127.0.0.1',
      '--skip-name-resolve',
      '--innodb-flush-log-at-trx-commit=1',
      '--innodb-buffer-pool-size=64M',
      LOG_SIZE,
      '--performance-schema=OFF',
      ...asUser,
      ...options,
    ]);
  const url = `mysql://root@127.0.0.1:${port}/mysql`;
  let server = start();
  await answers(url, server);
  return {
    freshUrl: () => createDatabase(url),
    kill: () => endDaemon(server),
    async restart() {
      await endDaemon(server);
      server = start();
      await answers(url, server);
    },
    async stop() {
      await endDaemon(server);
      await rm(root, { recursive: true, force: true });
    },
  };
}

async function answers(url: string, server: ChildProcess): Promise<void> {
  const startedAt = performance.now();
  for (;;) {
    try {
      const connection = await createConnection(url);
      await connection.end();
      return;
    } catch (error) {
      if (server.exitCode !== null) throw new Error('mariadbd did not start', { cause: error });
      if (performance.now() - startedAt > START_MS_MAX) throw error;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}
