import { setImmediate as turn } from 'node:timers/promises';
import t from 'tap';

import { Disks, type ReadSpace } from './disks.ts';

const HOUR_MS = 3_600_000;
const BLOCK = 1_000;

function scene(read: ReadSpace, databaseUrl = 'mysql://db/intaglio') {
  const clock = { nowMs: 0 };
  const disks = new Disks(databaseUrl, 'file:/data/files', () => clock.nowMs, read);
  /** The figures after a look at this time has ended. */
  const at = async (ms: number) => {
    clock.nowMs = ms;
    disks.figures();
    await turn();
    return disks.figures()[0];
  };
  return { clock, disks, at };
}

t.test('disks of this machine have figures, others have none', async (t) => {
  const space = { bavail: 40, blocks: 100, bsize: BLOCK };
  const asked: string[] = [];
  const read: ReadSpace = (path) => {
    asked.push(path);
    return Promise.resolve(space);
  };
  const { at, disks } = scene(read, 'sqlite:/rows/intaglio.db');
  t.match(await at(0), { use: 'files', freeBytes: 40_000, totalBytes: 100_000, leftSeconds: NaN });
  t.match(disks.figures()[1], { use: 'database', freeBytes: 40_000 });
  t.strictSame(asked, ['/data', '/rows']);
  for (const url of ['sqlite::memory:', 'mysql://db/intaglio']) {
    t.strictSame(new Disks(url, 's3://a:b@host/bucket', () => 0, read).figures(), []);
  }
});

t.test('a disk is looked at once a minute, however often it is asked for', async (t) => {
  let looks = 0;
  const { at } = scene(() => {
    looks += 1;
    return Promise.resolve({ bavail: 1, blocks: 2, bsize: BLOCK });
  });
  for (let second = 0; second < 60; second += 1) await at(second * 1_000);
  t.equal(looks, 1);
  await at(60_000);
  t.equal(looks, 2);
});

t.test('the time left follows the rate of the last hours', async (t) => {
  const space = { bavail: 1_000, blocks: 2_000, bsize: BLOCK };
  const { at } = scene(() => Promise.resolve({ ...space }));
  await at(0);
  space.bavail = 990;
  t.match(await at(HOUR_MS / 2), { leftSeconds: NaN }, 'half an hour is too short');
  space.bavail = 900;
  // 100 blocks in 10 hours: 900 more last 90 hours.
  t.match(await at(10 * HOUR_MS), { leftSeconds: 90 * 3_600 });
  space.bavail = 1_100;
  t.match(await at(11 * HOUR_MS), { leftSeconds: NaN }, 'it became emptier');
  for (let hour = 12; hour <= 60; hour += 1) await at(hour * HOUR_MS);
  space.bavail = 1_090;
  const found = await at(61 * HOUR_MS);
  t.equal(Math.round((found?.leftSeconds ?? 0) / 3_600), 109 * 24, 'only the last day counts');
});

t.test('a disk that fails or hangs has no figures, and nobody waits for it', async (t) => {
  const { at } = scene(() => Promise.reject(Object.assign(new Error('x'), { code: 'EIO' })));
  t.match(await at(0), { freeBytes: NaN, totalBytes: NaN, leftSeconds: NaN });
  let answers = true;
  const hung = scene(() =>
    answers ? Promise.resolve({ bavail: 1, blocks: 2, bsize: 1 }) : new Promise(() => undefined),
  );
  t.match(await hung.at(0), { freeBytes: 1 });
  answers = false;
  t.match(await hung.at(60_000), { freeBytes: 1 });
  t.match(await hung.at(70_000), { freeBytes: NaN });
});
