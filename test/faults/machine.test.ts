import { setTimeout as delay } from 'node:timers/promises';
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, unlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Agent, type Dispatcher, request } from 'undici';
import t, { type Test } from 'tap';

import { environment, nodeOptions, serve, type Served } from '../../lab/service/command-line.ts';
import { folderOf, setUpNote } from '../fixtures/note.ts';
import { ending, readiness, until } from '../../lab/process/waiting.ts';

/** Faults of the machine under a running service: it reports them, keeps running, and recovers. */

const isRoot = process.getuid?.() === 0;
const asRoot = { skip: isRoot ? false : 'mounts file systems, as root' };
const TMPFS_BYTES = 24 * 1024 * 1024;
const BALLAST_BYTES = 64 * 1024;

/**
 * A folder of this run alone: an interrupted test may have left a file system mounted in another.
 */
function mountedFolder(t: Test, ...mount: readonly string[]): string {
  const folder = mkdtempSync(join(tmpdir(), 'intaglio-machine-'));
  execFileSync('mount', [...mount.map((word) => (word === 'SELF' ? folder : word)), folder]);
  t.teardown(() => {
    spawnSync('umount', ['-l', folder]);
    rmSync(folder, { recursive: true, force: true });
  });
  return folder;
}

interface Scene extends Served {
  readonly folder: string;
  readonly apiKey: string;
  readonly generate: (mode: 'sync' | 'async') => Promise<{ status: number; documentId?: string }>;
  /** Status of a stored document's file. */
  readonly read: (documentId: string) => Promise<number>;
}

async function sceneIn(t: Test, folder: string, env: Record<string, string> = {}): Promise<Scene> {
  const apiKey = await setUpNote(folder);
  const served = await serve(t, environment(folder, env));
  const headers = { 'x-api-key': apiKey, 'content-type': 'application/json' };
  const generate: Scene['generate'] = async (mode) => {
    const body = JSON.stringify({ templateId: 'note', mode, data: { text: 'a' } });
    const reply = await fetch(`${served.url}/v1/generate`, { method: 'POST', headers, body });
    const bytes = Buffer.from(await reply.arrayBuffer());
    const known = reply.status === 201 ? (JSON.parse(bytes.toString()) as object) : {};
    return { status: reply.status, ...known };
  };
  const read = async (documentId: string): Promise<number> => {
    const reply = await fetch(`${served.url}/v1/documents/${documentId}?download=1`, { headers });
    await reply.arrayBuffer();
    return reply.status;
  };
  return { ...served, folder, apiKey, generate, read };
}

async function metric(url: string, name: string): Promise<string | undefined> {
  const text = await (await fetch(`${url}/metrics`)).text();
  return new RegExp(`^${name} (.+)$`, 'm').exec(text)?.[1];
}

/** Makes a document before and after the fault; stored documents stay readable all the time. */
async function passes(
  t: Test,
  scene: Scene,
  begin: () => void | Promise<void>,
  during: (documentId: string) => Promise<void>,
  end: () => void | Promise<void>,
): Promise<void> {
  const { documentId = '' } = await scene.generate('async');
  t.equal(await scene.read(documentId), 200, 'before');
  await begin();
  await until(async () => (await readiness(scene.url)).status !== 'ready');
  const { status, reason } = await readiness(scene.url);
  t.equal(status, 'storage unavailable');
  t.match(reason, /\w/);
  t.equal((await fetch(`${scene.url}/healthz`)).status, 200);
  await until(async () => (await metric(scene.url, 'intaglio_store_up')) === '0');
  t.equal((await scene.generate('async')).status, 503);
  await during(documentId);
  await end();
  await until(async () => (await readiness(scene.url)).status === 'ready');
  await until(async () => (await metric(scene.url, 'intaglio_store_up')) === '1');
  t.equal(await scene.read(documentId), 200, 'after');
  await until(async () => (await scene.generate('async')).status === 201);
  t.pass('and documents are made again');
}

t.test(
  'a full disk is reported, stored documents are served, and it recovers when there is room',
  asRoot,
  async (t) => {
    const folder = mountedFolder(t, '-t', 'tmpfs', '-o', `size=${TMPFS_BYTES}`, 'intaglio');
    const scene = await sceneIn(t, folder);
    const ballast = join(folder, 'ballast');
    mkdirSync(ballast);
    const fill = (): void => {
      try {
        for (let n = 0; ; n += 1)
          writeFileSync(join(ballast, String(n)), Buffer.alloc(BALLAST_BYTES));
      } catch (error) {
        if (!(error instanceof Error && 'code' in error && error.code === 'ENOSPC')) throw error;
      }
    };
    const during = async (documentId: string): Promise<void> => {
      t.equal(await scene.read(documentId), 200, 'a stored document is served from a full disk');
    };
    const end = (): void => {
      for (const name of readdirSync(ballast)) unlinkSync(join(ballast, name));
    };
    await passes(t, scene, fill, during, end);
    fill();
    scene.child.kill('SIGTERM');
    t.equal(await ending(scene.exit), 0, 'SIGTERM on a full disk');
  },
);

const REMOUNT_TRIES = 50;
const REMOUNT_PAUSE_MS = 100;

t.test('a read-only disk is reported, and stored documents are served', asRoot, async (t) => {
  const files = mountedFolder(t, '--bind', 'SELF');
  const scene = await sceneIn(t, folderOf(t), { INTAGLIO_FILES_URL: `file:${files}` });
  const remount = async (how: string): Promise<void> => {
    // Busy while a file there is open for writing: the service may still end a write.
    for (let tries = 1; ; tries++) {
      try {
        execFileSync('mount', ['-o', `remount,bind,${how}`, files], { stdio: 'pipe' });
        return;
      } catch (error) {
        if (tries === REMOUNT_TRIES || !String(error).includes('busy')) throw error;
        await delay(REMOUNT_PAUSE_MS);
      }
    }
  };
  const during = async (documentId: string): Promise<void> => {
    t.equal(await scene.read(documentId), 200, 'a stored document is served');
    t.equal((await scene.generate('sync')).status, 200, 'an answer that stores no file is made');
  };
  await passes(
    t,
    scene,
    () => remount('ro'),
    during,
    () => remount('rw'),
  );
  await remount('ro');
  scene.child.kill('SIGTERM');
  t.equal(await ending(scene.exit), 0, 'SIGTERM on a read-only disk');
});

/** The first number that no descriptor has for long: a note of the store opens one for a moment. */
async function firstFree(pid: number): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let look = 0; look < 20; look += 1) {
    const open = new Set(readdirSync(`/proc/${pid}/fd`).map(Number));
    let free = 0;
    while (open.has(free)) free += 1;
    least = Math.min(least, free);
    await delay(20);
  }
  return least;
}

const hasPrlimit = spawnSync('prlimit', ['--version']).status === 0;
t.test(
  'without free descriptors, open connections are served; it recovers when some are free',
  { skip: hasPrlimit ? false : 'needs prlimit of util-linux' },
  async (t) => {
    const scene = await sceneIn(t, folderOf(t));
    const { pid = 0 } = scene.child;
    const agent = new Agent({ connections: 1 });
    t.teardown(() => agent.close());
    const ask = async (path: string, more: Partial<Dispatcher.RequestOptions> = {}) => {
      const reply = await request(`${scene.url}${path}`, { dispatcher: agent, ...more });
      return { status: reply.statusCode, text: await reply.body.text() };
    };
    const generate = {
      method: 'POST',
      headers: { 'x-api-key': scene.apiKey, 'content-type': 'application/json' },
      body: JSON.stringify({ templateId: 'note', mode: 'async', data: { text: 'a' } }),
    } as const;
    t.equal((await ask('/v1/generate', generate)).status, 201, 'before');
    const limit = (soft: number): void => {
      execFileSync('prlimit', ['--pid', String(pid), `--nofile=${soft}:`]);
    };
    // The limit applies to descriptor numbers: set to the first free one, it forbids opening any.
    let refused = await ask('/v1/generate', generate);
    await until(async () => {
      // A descriptor that is closed after the look leaves room for one request.
      limit(await firstFree(pid));
      refused = await ask('/v1/generate', generate);
      return refused.status !== 201;
    });
    t.equal(refused.status, 503);
    t.match(refused.text, /"code":"storage_unavailable"/);
    t.equal((await ask('/healthz')).status, 200);
    await until(async () => (await ask('/readyz')).status === 503);
    t.match((await ask('/readyz')).text, /storage unavailable.*descriptors/);
    await until(async () => /^intaglio_store_up 0$/m.test((await ask('/metrics')).text));
    limit(4_096);
    await until(async () => (await ask('/readyz')).status === 200);
    await until(async () => (await ask('/v1/generate', generate)).status === 201);
    scene.child.kill('SIGTERM');
    t.equal(await ending(scene.exit), 0);
  },
);

t.test('a clock that jumps destroys nothing, and /readyz says so', async (t) => {
  const SKEW_MS = 48 * 3_600_000;
  const module = `
    const now = Date.now;
    let skewMs = 0;
    Date.now = () => now() + skewMs;
    process.on('SIGUSR2', () => { skewMs = skewMs === 0 ? ${SKEW_MS} : 0; });`;
  const NODE_OPTIONS = nodeOptions(`--import "data:text/javascript,${encodeURIComponent(module)}"`);
  const scene = await sceneIn(t, folderOf(t), {
    NODE_OPTIONS,
    INTAGLIO_SWEEP_INTERVAL_SECONDS: '1',
  });
  const { documentId = '' } = await scene.generate('async');
  scene.child.kill('SIGUSR2');
  await until(async () => (await readiness(scene.url)).warnings !== undefined);
  t.match(await readiness(scene.url), { status: 'ready', warnings: [/wall clock was set/] });
  await until(async () => (await metric(scene.url, 'intaglio_clock_doubted')) === '1');
  t.equal(await scene.read(documentId), 200, 'two days on, it has not expired');
  t.equal((await scene.generate('async')).status, 201);
  scene.child.kill('SIGUSR2');
  await until(async () => (await readiness(scene.url)).warnings === undefined);
  t.equal(await scene.read(documentId), 200);
  scene.child.kill('SIGTERM');
  t.equal(await ending(scene.exit), 0);
});
