import { hash, randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import t from 'tap';
import type { TestService } from '../../../../lab/service/gateway.ts';
import { ReadMeter } from '../../../../test/fixtures/read-meter.ts';
import { callerOf, rows } from '../../../../test/fixtures/runs/caller.ts';
import { encode, encodeRows } from '../../../store/runs/codec.ts';
import { EXCEPTION_STATES } from '../../../store/database/tables/runs.ts';
import type { ChunkRow } from '../../../store/runs/types.ts';

/** Limits of what the main thread reads or writes in one turn, which then takes a few ms. */
const ROWS_MAX = 1_000;
const BYTES_MAX = 500_000;

const ROWS = 100_000;
const CHUNK_ROWS = 50;
const FAULTY = 1_500;
const HOUR_MS = 3_600_000;
const SEGMENT = Buffer.from('%PDF-1.7 %%EOF');

/** Gives a run that is done the rows, chunks and faulty rows of a large one, in their tables. */
async function plant({ folder }: TestService, runId: string): Promise<void> {
  const database = new DatabaseSync(join(folder, 'rows.db'), { timeout: 10_000 });
  const sha256 = Buffer.alloc(32);
  const part = database.prepare(
    `insert into run_parts (run_id, part, sha256, format, file_id, bytes, header_bytes, checked_to,
     lease_until_ms) values (?, ?, ?, 'ndjson', ?, 300, 0, 300, 0)`,
  );
  const chunk = database.prepare(
    `insert into run_chunks (chunk_id, run_id, part, from_byte, to_byte, sha256, state,
     lease_until_ms, sums, stored, results) values (?, ?, ?, 0, 300, ?, 2, 0, ?, ?, ?)`,
  );
  const exception = database.prepare(
    `insert into run_exceptions (run_id, part, line, state, row_id, held_part, from_byte, position,
     amounts) values (?, ?, 1, ?, '', ?, 0, 0, ?)`,
  );
  database.exec('begin immediate');
  for (let number = 1; number <= ROWS / CHUNK_ROWS; number += 1) {
    const results = Array.from({ length: CHUNK_ROWS }, (_, at): ChunkRow => {
      return { rowId: `R${number}-${at}`, length: 30, outcome: 'invalid', code: 'invalid_data' };
    });
    part.run(runId, number + 1, sha256, randomUUID());
    const sums = encode(['1.05']);
    chunk.run(randomUUID(), runId, number + 1, sha256, sums, 0, await encodeRows(results));
    if (number > FAULTY) continue;
    exception.run(runId, number + 1, EXCEPTION_STATES.invalid, number + 1, encode(['2.00']));
  }
  database.exec('commit');
  database.close();
}

/** Makes the print file of all rows, which the pool of these tests does not. */
async function print({ store }: TestService, runId: string, count: number): Promise<void> {
  const found = await store.runs.find('bank', runId);
  if (!found.found) throw new Error(found.why);
  const run = { ...found.value, spec: { ...found.value.spec, documentsPerPrint: ROWS } };
  await store.runPrints.prepare(run);
  await store.runPrints.lease(run, 'test');
  const segment = await store.runPrints.putSegment(runId, [new Uint8Array(SEGMENT)]);
  const documents = Array.from({ length: count }, (_, at) => ({
    rowId: `R${at}`,
    documentId: randomUUID(),
    fromPage: at + 1,
    toPage: at + 1,
  }));
  const whole = { segments: [segment], sha256: hash('sha256', SEGMENT, 'hex'), pages: count };
  if (!(await store.runPrints.finish(run, 1, 'test', { ...whole, documents, packIds: [] }))) {
    throw new Error('no print file');
  }
}

t.test('nothing reads a large run in one turn', async (t) => {
  const caller = await callerOf(t);
  const { service, make, put, act, reach, get } = caller;
  const url = await make({ expected: { sums: { total: '2.10' } }, retentionSeconds: 3_600 });
  const runId = url.slice(-36);
  await put(url, 1, rows(2));
  await act(url, 'start');
  await reach(url, 'done');
  await plant(service, runId);

  /** Nothing in `work` may take more of the run at a time than a turn has room for. */
  const bounded = async <T>(name: string, work: () => Promise<T>): Promise<T> => {
    const meter = new ReadMeter();
    try {
      return await work();
    } finally {
      meter.stop();
      const { rows: most, bytes, sql } = meter.largest;
      t.ok(most <= ROWS_MAX, `${name}: ${most} rows`);
      t.ok(bytes <= BYTES_MAX, `${name}: ${bytes} bytes${bytes > BYTES_MAX ? ` by ${sql}` : ''}`);
    }
  };
  const lines = async (path: string): Promise<readonly string[]> => {
    const reply = await get(`${url}/${path}`);
    t.equal(reply.status, 200, path);
    return (await reply.text()).trimEnd().split('\n');
  };

  await bounded('finishing the print file', () => print(service, runId, ROWS));
  const index = await bounded('its index', () => lines('prints/1/index'));
  t.equal(index.length, ROWS);
  t.match(index.at(-1), `"row":"R${ROWS - 1}"`);
  await bounded('the print file', () => lines('prints/1'));
  await bounded('the print files', () => lines('prints'));
  await bounded('the manifest', async () => {
    t.equal((await lines('manifest')).length, ROWS + 2);
  });
  await bounded('the faulty rows', () => lines('exceptions'));
  await bounded('the parts', () => caller.run(url));
  await bounded('all runs', () => get(`${service.url}/v1/runs`));
  const scrub = { bytesPerSecond: 1e12, onFinding: () => undefined };
  await bounded('the scrub', () => service.store.runs.scrub(scrub));
  await bounded('a sweep', () => service.store.documents.sweep(Date.now()));
  await bounded('discarding the print files', () => service.store.runPrints.clear(runId));
  t.equal((await get(`${url}/prints/1/index`)).status, 404);
  await bounded('the sweep', () => service.store.documents.sweep(Date.now() + 2 * HOUR_MS));
  const left = new DatabaseSync(join(service.folder, 'rows.db'), {
    readOnly: true,
    timeout: 60_000,
  });
  t.match(left.prepare('select count(*) as count from run_print_index').get(), { count: 0 });
  left.close();
});

t.test('the control sums of a run that has ended are added once', async (t) => {
  const caller = await callerOf(t);
  const { service, make, put, act, reach, get } = caller;
  const url = await make({ expected: { sums: { total: '2.10' } } });
  await put(url, 1, rows(2));
  await act(url, 'start');
  await reach(url, 'done');
  const sums = { total: '2.10' };
  const summed = async (): Promise<number> => {
    const meter = new ReadMeter();
    t.match(await caller.run(url), { sums, fileSums: sums });
    meter.stop();
    return [...meter.reads.keys()].filter((sql) => sql.includes('"sums"')).length;
  };
  t.equal(await summed(), 0, 'when it ended');

  // A run that an earlier version ended.
  const database = new DatabaseSync(join(service.folder, 'rows.db'), { timeout: 10_000 });
  database.exec('update runs set totals = null');
  t.equal(await summed(), 1);
  t.equal(await summed(), 0, 'they are kept');
  // An instance of an earlier version checked further rows, and kept nothing.
  database.exec('update runs set bytes_checked = bytes_checked + 1');
  t.equal(await summed(), 1, 'sums of fewer rows are not told');
  database.close();
  t.equal((await get(url)).status, 200);
});
