import { join } from 'node:path';
import { pino } from 'pino';
import type { Test } from 'tap';
import { startRunEngine } from '../../src/runs/engine.ts';
import { startTestService } from '../../lab/service/gateway.ts';
import { callerOf, type RunCaller } from '../fixtures/runs/caller.ts';
import { overDialects, type StorePlace } from '../store/dialects.ts';

/** Each race is run so often; both orders come about. */
const ROUNDS = 4;
const CSV = { 'content-type': 'text/csv' };
const HEADER = '#part,#line,customer,total\n';

interface Clerk {
  /** The address of the run at the instance of this clerk. */
  readonly at: (url: string) => string;
}

/** Two instances with an engine each over one database and its files; a clerk works at each. */
async function sceneOf(t: Test, place: StorePlace) {
  const filesUrl = `file:${join(place.folder, 'files')}`;
  const shared = { databaseUrl: place.databaseUrl, filesUrl };
  const caller = await callerOf(t, { store: shared });
  const { pool } = caller.service;
  const store = await place.open(t);
  const runs = startRunEngine({ store, pool, log: pino({ level: 'silent' }), threads: 1 });
  const second = await startTestService(t, { parts: { store, runs, pool } });
  t.teardown(() => runs.close());
  const first: Clerk = { at: (url) => url };
  const other: Clerk = { at: (url) => url.replace(caller.service.url, second.url) };
  return { caller, first, other };
}

/** A run of two rows that has stopped: line 3 has no id. */
async function stoppedRun({ make, put, act, reach }: RunCaller): Promise<string> {
  const url = await make({});
  await put(url, 1, 'customer,total\nA,1.00\n,2.00\n', CSV);
  await act(url, 'start');
  await reach(url, 'stopped');
  return url;
}

/** Starts until every row has its outcome: once more where a correction was refused. */
async function finish({ act, reach, run }: RunCaller, url: string): Promise<void> {
  for (let starts = 0; (await run(url)).state !== 'done'; starts += 1) {
    if (starts > 2) throw new Error('the run is not done');
    await act(url, 'start', { onInvalid: 'skip' });
    await Promise.race([reach(url, 'done'), reach(url, 'stopped')]);
  }
}

await overDialects('two clerks at two instances', async (t, newPlace) => {
  await t.test('of two corrections at once one wins, and the run tells of the other', async (t) => {
    const { caller, first, other } = await sceneOf(t, await newPlace());
    const { put, act, reach, get } = caller;
    for (let round = 0; round < ROUNDS; round += 1) {
      const url = await stoppedRun(caller);
      const texts = ['B,2.00', 'B,9.00'].map((row) => `${HEADER}1,3,${row}\n`);
      const sent = await Promise.all(
        [first, other].map((clerk, index) => put(clerk.at(url), 2, texts[index] ?? '', CSV)),
      );
      const statuses = sent.map(({ status }) => status);
      t.strictSame(
        statuses.toSorted((a, b) => a - b),
        [201, 409],
        'a part of this number is there',
      );
      const loser = statuses.indexOf(409);
      t.equal((await put(url, 3, texts[loser] ?? '', CSV)).status, 201, 'so the next number');
      await act(other.at(url), 'start');
      t.match(await reach(url, 'stopped'), {
        counts: { received: 2, pending: 2, invalid: 0, refused: 1, stored: 0 },
        reasons: [{ name: 'corrections', actual: '1 refused' }],
      });
      const refused = await (await get(`${url}/exceptions?outcome=refused`)).json();
      t.match(refused, { rows: [{ data: { customer: 'B' }, fields: [{ field: '#line' }] }] });
      await finish(caller, url);
      t.match(await caller.run(url), { counts: { received: 2, stored: 2, refused: 0 } });
    }
  });

  await t.test('a row that both withdraw is withdrawn once', async (t) => {
    const { caller, first, other } = await sceneOf(t, await newPlace());
    for (let round = 0; round < ROUNDS; round += 1) {
      const url = await stoppedRun(caller);
      const body = { rows: [{ part: 1, line: 3 }] };
      const sent = await Promise.all(
        [first, other].map((clerk) => caller.post(`${clerk.at(url)}/withdraw`, body)),
      );
      t.strictSame(
        sent.map(({ status }) => status),
        [200, 200],
        'both are told that it is withdrawn',
      );
      t.match(await caller.run(url), { counts: { received: 2, invalid: 0, withdrawn: 1 } });
      await finish(caller, url);
      t.match(await caller.run(url), { counts: { received: 2, stored: 1, withdrawn: 1 } });
    }
  });

  await t.test(
    'of a correction and a withdrawal at once one wins, and the other is told',
    async (t) => {
      const { caller, first, other } = await sceneOf(t, await newPlace());
      const { put, act, reach, post } = caller;
      const outcomes = new Set<string>();
      for (let round = 0; round < 2 * ROUNDS; round += 1) {
        const url = await stoppedRun(caller);
        await put(first.at(url), 2, `${HEADER}1,3,B,2.00\n`, CSV);
        const body = { rows: [{ part: 1, line: 3 }] };
        const later = round % 2 === 0;
        const withdrawal = later ? null : post(`${other.at(url)}/withdraw`, body);
        await act(first.at(url), 'start');
        const { status } = await (withdrawal ?? post(`${other.at(url)}/withdraw`, body));
        await Promise.race([reach(url, 'stopped'), reach(url, 'done')]);
        const { counts, state, reasons } = await caller.run(url);
        const isWithdrawn = counts['withdrawn'] === 1;
        outcomes.add(isWithdrawn ? 'withdrawn' : 'corrected');
        t.equal(status, isWithdrawn ? 200 : 409, 'who withdraws is told which it is');
        if (isWithdrawn) {
          t.match({ state, reasons }, { state: 'stopped', reasons: [{ name: 'corrections' }] });
        } else t.match({ state, counts }, { state: 'done', counts: { stored: 2 } });
        await finish(caller, url);
        const stored = isWithdrawn ? 1 : 2;
        t.match(await caller.run(url), { counts: { received: 2, stored, invalid: 0 } });
      }
      t.comment([...outcomes].join(', '));
    },
  );

  await t.test('what both ask for at once is done once, and both are told so', async (t) => {
    const { caller, first, other } = await sceneOf(t, await newPlace());
    const { make, put, act, post, run } = caller;
    const both = async (url: string, action: string): Promise<readonly number[]> => {
      const sent = [first, other].map((clerk) => post(`${clerk.at(url)}/${action}`, {}));
      return (await Promise.all(sent)).map(({ status }) => status);
    };
    for (let round = 0; round < ROUNDS; round += 1) {
      const url = await make({});
      // A row that waits until the test lets it go on.
      await put(url, 1, '{"customer":"A","total":"1.00","do":"wait"}\n');
      await act(url, 'start');
      for (const action of ['pause', 'resume', 'pause', 'cancel']) {
        t.strictSame(await both(url, action), [200, 200], action);
      }
      t.match(await run(url), { state: 'cancelled', counts: { stored: 0 } });
    }
    caller.service.open();
  });
});
