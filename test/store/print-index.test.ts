import { hash, randomUUID } from 'node:crypto';
import { DatabaseSync } from 'node:sqlite';
import { createConnection } from 'mysql2/promise';
import type { Test } from 'tap';
import { connectionOptions } from '../../src/store/database/mysql.ts';
import type { PrintedDocument } from '../../src/store/runs/types.ts';
import type { Store } from '../../src/store/store.ts';
import { RUN_SPEC } from '../fixtures/runs/spec.ts';
import { overDialects, type StorePlace } from './dialects.ts';

function documentsOf(count: number): readonly PrintedDocument[] {
  return Array.from({ length: count }, (_, at) => ({
    rowId: `R${at}ก`,
    documentId: randomUUID(),
    fromPage: at + 1,
    toPage: at + 1,
  }));
}

/** Runs a statement without the store, and returns its first cell. */
async function ask(place: StorePlace, sql: string, cells: readonly (string | Buffer)[] = []) {
  if (place.name === 'sqlite') {
    const database = new DatabaseSync(place.databaseUrl.slice('sqlite:'.length), {
      timeout: 60_000,
    });
    const row = database.prepare(sql).get(...cells);
    database.close();
    return Object.values(row ?? {})[0];
  }
  const connection = await createConnection(connectionOptions(place.databaseUrl));
  const [rows] = await connection.query(sql, [...cells]);
  await connection.end();
  return Array.isArray(rows) ? Object.values(rows[0] ?? {})[0] : undefined;
}

/** A run with a print file that `owner` has leased. */
async function leased(place: StorePlace, store: Store) {
  const run = await store.runs.create('bank', 'key:k', { ...RUN_SPEC, documentsPerPrint: 2_000 });
  await ask(
    place,
    `insert into run_prints (run_id, number, state, owner, lease_until_ms, documents, pages, bytes,
     segments, entries) values ('${run.runId}', 1, 0, 'me', 0, 0, 0, 0, '[]', '[]')`,
  );
  const bytes = Buffer.from('%PDF');
  const segment = await store.runPrints.putSegment(run.runId, [new Uint8Array(bytes)]);
  const whole = { segments: [segment], sha256: hash('sha256', bytes, 'hex'), pages: 1 };
  const finish = (owner: string, documents: readonly PrintedDocument[]): Promise<boolean> =>
    store.runPrints.finish(run, 1, owner, { ...whole, documents, packIds: [] });
  const listed = async (t: Test): Promise<readonly PrintedDocument[]> => {
    const pieces = await store.runPrints.documents(run.runId, 1);
    const all: PrintedDocument[] = [];
    for await (const some of pieces ?? []) {
      t.ok(some.length <= 500, 'a piece');
      all.push(...some);
    }
    return all;
  };
  return { run, finish, listed };
}

await overDialects('index of a print file', async (t, newPlace) => {
  const count = 'select count(*) as count from run_print_index';

  for (const documents of [0, 1, 500, 501, 1_234]) {
    await t.test(`${documents} documents are read as they were written`, async (t) => {
      const place = await newPlace();
      const { finish, listed } = await leased(place, await place.open(t));
      const written = documentsOf(documents);
      t.equal(await finish('me', written), true);
      t.strictSame(await listed(t), written);
      t.equal(Number(await ask(place, count)), Math.ceil(documents / 500), 'rows');
    });
  }

  await t.test('nothing stays of a print file that another process makes', async (t) => {
    const place = await newPlace();
    const store = await place.open(t);
    const { run, finish } = await leased(place, store);
    t.equal(await finish('another', documentsOf(1_234)), false);
    t.equal(Number(await ask(place, count)), 0);
    t.equal(await store.runPrints.documents(run.runId, 1), null);
  });

  await t.test('discarding a print file discards its documents', async (t) => {
    const place = await newPlace();
    const store = await place.open(t);
    const { run, finish } = await leased(place, store);
    await finish('me', documentsOf(1_234));
    const reading = await store.runPrints.documents(run.runId, 1);
    const other = await leased(place, store);
    await other.finish('me', documentsOf(700));
    await store.runPrints.clear(run.runId);
    t.equal(await store.runPrints.documents(run.runId, 1), null);
    t.equal(Number(await ask(place, count)), 2, 'those of another run stay');
    const read = async (): Promise<void> => {
      for await (const some of reading ?? []) t.equal(some.length, 500);
    };
    await t.rejects(read(), /discarded/, 'a reader is not told that there are no more');
  });

  await t.test('the list that an earlier version wrote is read', async (t) => {
    const place = await newPlace();
    const { finish, listed } = await leased(place, await place.open(t));
    const written = documentsOf(1_234);
    await finish('me', []);
    const list = Buffer.from(JSON.stringify(written));
    await ask(place, 'update run_prints set index_id = null, documents = 1234, entries = ?', [
      list,
    ]);
    t.strictSame(await listed(t), written);
  });
});
