import { type ChildProcess, execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import aws4 from 'aws4';
import { request } from 'undici';
import { endDaemon, startDaemon } from './daemon.ts';
import { freePort } from './port.ts';

const run = promisify(execFile);
/**
 * Limit of the memory for objects, which is allocated as they are written. A full store blocks
 * writes.
 */
const STORE_BYTES = 4 * 1024 ** 3;
const PROGRAMS = ['ceph-mon', 'ceph-osd', 'radosgw', 'radosgw-admin', 'ceph', 'monmaptool'];
const START_MS_MAX = 180_000;
const KEY = 'intaglio';
const SECRET = 'intaglio-test-secret';

export interface ObjectStore {
  /** `s3://…/bucket` of a fresh bucket. */
  freshUrl(): Promise<string>;
  stop(): Promise<void>;
}

/**
 * A real S3 server: Ceph's gateway over one monitor and one storage daemon in memory; or buckets on
 * INTAGLIO_TEST_S3_URL when that is set. null, with a reason, where Ceph is not installed.
 */
export async function startObjectStore(): Promise<
  { server: ObjectStore } | { server: null; reason: string }
> {
  const given = process.env['INTAGLIO_TEST_S3_URL'];
  if (given !== undefined && given !== '') {
    return { server: { freshUrl: () => Promise.resolve(given), stop: () => Promise.resolve() } };
  }
  if (PROGRAMS.every((name) => existsSync(join('/usr/bin', name)))) {
    return { server: await startCeph() };
  }
  return { server: null, reason: 'neither Ceph is installed nor INTAGLIO_TEST_S3_URL set' };
}

async function startCeph(): Promise<ObjectStore> {
  const root = await mkdtemp(join(tmpdir(), 'intaglio-ceph-'));
  const [monPort, port] = [await freePort(), await freePort()];
  const conf = join(root, 'ceph.conf');
  const fsid = randomUUID();
  await writeFile(conf, configuration(root, fsid, monPort));
  await Promise.all(
    ['mon', 'osd', 'rgw', 'run'].map((name) => mkdir(join(root, name), { recursive: true })),
  );
  const daemons: ChildProcess[] = [];
  const start = (program: string, ...options: string[]): void => {
    daemons.push(startDaemon(program, ['-c', conf, '-f', ...options]));
  };
  const stop = async (): Promise<void> => {
    for (const daemon of daemons.toReversed()) await endDaemon(daemon);
    await rm(root, { recursive: true, force: true });
  };
  try {
    await makeKeys(root);
    const map = join(root, 'monmap');
    const address = `[v2:127.0.0.1:${monPort}]`;
    await run('monmaptool', ['--create', '--addv', 'a', address, '--fsid', fsid, map]);
    const keys = ['--keyring', join(root, 'keyring')];
    await run('ceph-mon', ['-c', conf, '--mkfs', '-i', 'a', '--monmap', map, ...keys]);
    start('ceph-mon', '-i', 'a');
    const osd = randomUUID();
    await run('ceph', ['-c', conf, '--connect-timeout', '30', 'osd', 'new', osd]);
    await run('ceph-osd', ['-c', conf, '-i', '0', '--mkfs', '--osd-uuid', osd, ...keys]);
    start('ceph-osd', '-i', '0');
    await storageIsUp(conf);
    const user = ['--uid=t', '--display-name=t', `--access-key=${KEY}`, `--secret=${SECRET}`];
    await run('radosgw-admin', ['-c', conf, 'user', 'create', ...user]);
    start(
      'radosgw',
      '-n',
      'client.admin',
      ...keys,
      `--rgw-frontends=beast endpoint=127.0.0.1:${port}`,
    );
    await answers(port);
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    stop,
    async freshUrl() {
      const bucket = `b${randomUUID()}`;
      const host = `127.0.0.1:${port}`;
      const signed = aws4.sign(
        { service: 's3', method: 'PUT', host, path: `/${bucket}`, headers: {} },
        { accessKeyId: KEY, secretAccessKey: SECRET },
      );
      const response = await request(`http://${host}/${bucket}`, {
        method: 'PUT',
        headers: signed.headers as Record<string, string>,
      });
      await response.body.dump();
      if (response.statusCode !== 200) throw new Error(`bucket: ${response.statusCode}`);
      return `s3://${KEY}:${SECRET}@${host}/${bucket}/documents?tls=off`;
    },
  };
}

function configuration(root: string, fsid: string, monPort: number): string {
  return `[global]
fsid = ${fsid}
mon host = [v2:127.0.0.1:${monPort}]
keyring = ${join(root, 'keyring')}
paxos propose interval = 0.05
paxos min wait = 0.01
public addr = 127.0.0.1
cluster addr = 127.0.0.1
osd pool default size = 1
osd pool default min size = 1
osd pool default pg num = 1
osd pool default pgp num = 1
osd crush chooseleaf type = 0
mon allow pool size one = true
mon warn on pool no redundancy = false
mon max pg per osd = 1000
osd objectstore = memstore
memstore device bytes = ${STORE_BYTES}
osd class load list = *
osd class default list = *
run dir = ${join(root, 'run')}
admin socket = ${join(root, 'run', '$name.$pid.asok')}
pid file =
log file =
log to stderr = false
err to stderr = false
mon data = ${join(root, 'mon')}
osd data = ${join(root, 'osd')}
rgw data = ${join(root, 'rgw')}
rgw dns name =
rgw enable usage log = false
rgw run sync thread = false
rgw thread pool size = 32
`;
}

/** One key for each participant; the monitor reads them all from this file. */
async function makeKeys(root: string): Promise<void> {
  const keyring = join(root, 'keyring');
  for (const name of ['mon.', 'client.admin', 'osd.0']) {
    const caps = ['mon', 'osd', 'mds', 'mgr'].flatMap((part) => ['--cap', part, 'allow *']);
    const create = name === 'mon.' ? ['--create-keyring'] : [];
    await run('ceph-authtool', [...create, keyring, '--gen-key', '-n', name, ...caps]);
  }
}

/** Without a storage daemon that is up, the gateway's tools would wait for ever. */
async function storageIsUp(conf: string): Promise<void> {
  const startedAt = performance.now();
  for (;;) {
    const { stdout } = await run('ceph', ['-c', conf, 'osd', 'stat']);
    if (stdout.includes('1 up')) return;
    if (performance.now() - startedAt > START_MS_MAX) throw new Error('ceph-osd did not start');
    await delay(100);
  }
}

async function answers(port: number): Promise<void> {
  const startedAt = performance.now();
  for (;;) {
    try {
      const response = await request(`http://127.0.0.1:${port}/`);
      await response.body.dump();
      return;
    } catch (error) {
      if (performance.now() - startedAt > START_MS_MAX) throw error;
      await delay(100);
    }
  }
}
