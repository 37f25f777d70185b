import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { pino } from 'pino';
import type { Test } from 'tap';
import { fakeProtector, startTestService } from '../../lab/service/gateway.ts';
import { until } from '../../lab/process/waiting.ts';
import { fail } from '../../src/errors.ts';
import { startRunEngine } from '../../src/runs/engine.ts';
import { callerOf } from '../fixtures/runs/caller.ts';
import { overDialects, type StorePlace } from '../store/dialects.ts';

/** What a run with passwords says while an instance lacks the key of its rows, or qpdf. */

const KEY = randomBytes(32);
const BORN = { text: '{{born}}', format: { pattern: 'ddMMyyyy' } };
const GUARDED = { options: { protection: { userPassword: BORN } } };
const FIELDS = [
  { name: 'customer', type: 'text', required: true },
  { name: 'born', type: 'date', required: true, secret: true },
];
const PART_ROWS = 300;
/** Enough that the instance without the key meets the run before it is done. */
const PARTS = 16;

function rowsOf(part: number): string {
  return Array.from(
    { length: PART_ROWS },
    (_, at) => `${JSON.stringify({ customer: `C${part}-${at}`, born: '1990-05-17' })}\n`,
  ).join('');
}

/** The instance with the key serves HTTP; `start` starts the engine of the other one. */
async function sceneOf(t: Test, place: StorePlace) {
  const filesUrl = `file:${join(place.folder, 'files')}`;
  const databaseUrl = place.databaseUrl;
  const encryption = { keys: () => [KEY] };
  const caller = await callerOf(t, { store: { databaseUrl, filesUrl, encryption } });
  await caller.service.publish('bank', 'receipt', { fields: FIELDS });
  const logged: string[] = [];
  const log = pino({ level: 'warn' }, { write: (line: string) => logged.push(line) });
  const store = await place.open(t, { encryption: { keys: () => [] } });
  const { pool } = caller.service;
  const other = startRunEngine({ store, pool, log, threads: 1 });
  t.teardown(() => other.close());
  const without = await startTestService(t, { parts: { store, runs: other, pool } });
  return { caller, without, logged };
}

await overDialects('an instance without the key of the rows', async (t, newPlace) => {
  await t.test('one beside it that has the key makes the run, which never waits', async (t) => {
    const { caller, logged } = await sceneOf(t, await newPlace());
    const { make, put, act, run } = caller;
    const url = await make(GUARDED);
    for (let part = 1; part <= PARTS; part += 1) await put(url, part, rowsOf(part));
    await act(url, 'start');
    let seen = 0;
    let waiting = 0;
    await until(async () => {
      const { state, reasons } = await run(url);
      seen += 1;
      if (state !== 'done' && reasons.length > 0) waiting += 1;
      await pause(20);
      return state === 'done' || state === 'stopped';
    });
    t.match(await run(url), { state: 'done', counts: { stored: PARTS * PART_ROWS }, reasons: [] });
    t.ok(waiting <= seen / 4, `${waiting} of ${seen} looks found a reason to wait`);
    t.match(logged.join(''), /a run waits for the key of its rows/, 'its log says what it lacks');
    t.ok(logged.length < 5, `${logged.length} lines in its log`);
  });

  await t.test('it refuses rows as storage that is away, and shows no data', async (t) => {
    const { caller, without } = await sceneOf(t, await newPlace());
    const { make, put } = caller;
    const url = await make(GUARDED);
    const there = url.replace(caller.service.url, without.url);
    const refused = await put(there, 1, rowsOf(1));
    t.equal(refused.status, 503);
    t.match(await refused.json(), { code: 'storage_unavailable' });
    t.equal((await put(url, 1, rowsOf(1))).status, 201, 'the instance with the key takes them');
  });

  await t.test('a run says that qpdf is missing, and goes on with it', async (t) => {
    const place = await newPlace();
    await place.open(t);
    let isThere = false;
    const caller = await callerOf(t, {
      parts: {
        protector: {
          available: () => Promise.resolve(true),
          protect: (pdf, protection) =>
            isThere
              ? fakeProtector.protect(pdf, protection)
              : Promise.resolve(fail('protection_unavailable')),
        },
      },
      store: {
        databaseUrl: place.databaseUrl,
        filesUrl: `file:${join(place.folder, 'files')}`,
        encryption: { keys: () => [KEY] },
      },
    });
    const { service, make, put, act, run, reach } = caller;
    await service.publish('bank', 'receipt', { fields: FIELDS });
    const url = await make(GUARDED);
    await put(url, 1, rowsOf(1));
    await act(url, 'start');
    await until(async () => (await run(url)).reasons.length > 0);
    const reasons = [{ name: 'protection', expected: 'qpdf', actual: 'missing on an instance' }];
    t.match(await run(url), { state: 'running', counts: { stored: 0, failed: 0 }, reasons });
    t.match(service.logged.join(''), /a run waits for qpdf/);
    isThere = true;
    t.match(await reach(url, 'done'), { counts: { stored: PART_ROWS }, reasons: [] });
  });
});
