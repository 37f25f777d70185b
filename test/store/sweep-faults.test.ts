import { existsSync } from 'node:fs';
import { mkdir, rm, rmdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { createConnection } from 'mysql2/promise';
import type { Test } from 'tap';
import { connectionOptions } from '../../src/store/database/mysql.ts';
import { Database } from '../../src/store/database/database.ts';
import { uuidv7 } from '../../src/store/ids.ts';
import type { Schema } from '../../src/store/database/schema.ts';
import { type StorePlace, overDialects } from './dialects.ts';
import { addDocument } from './samples.ts';

const PDF = Buffer.from('%PDF-1.7 %%EOF');
const HOUR = 3_600_000;
const DAY = 24 * HOUR;

function pathOf({ folder }: StorePlace, documentId: string): string {
  const shard = [documentId.slice(0, 5), documentId.slice(5, 8)];
  return join(folder, 'files', ...shard, `${documentId}.pdf`);
}

/** Replaces the file by a folder, so that unlink fails as for an immutable file. */
async function makeUnremovable(place: StorePlace, documentId: string): Promise<void> {
  const path = pathOf(place, documentId);
  await rm(path);
  await mkdir(path);
}

async function countRows(
  t: Test,
  { databaseUrl }: StorePlace,
  table: keyof Schema,
): Promise<number> {
  const database = new Database({
    url: databaseUrl,
    connectionsMax: 1,
    connectTimeoutMs: 60_000,
    statementTimeoutMs: 60_000,
    allowUnsafeCommits: false,
  });
  t.teardown(() => database.close());
  const rows = await database.read((db) => db.selectFrom(table).selectAll().execute());
  return rows.length;
}

await overDialects('sweep', async (t, newPlace) => {
  await t.test('files that cannot be removed do not stop the rest of the sweep', async (t) => {
    const place = await newPlace();
    const store = await place.open(t, { orphanGraceMs: -60_000 });
    const now = Date.now();
    const old = await Promise.all(
      // They expire two seconds apart, so each has a separate file.
      Array.from({ length: 450 }, (_, index) =>
        addDocument(store, PDF, now - 2 * HOUR - index * 2_000),
      ),
    );
    const stuck = [old[0], old[201], old[449]].map((document) => document?.documentId ?? '');
    for (const documentId of stuck) await makeUnremovable(place, documentId);
    const orphan = pathOf(place, uuidv7(now - DAY));
    await mkdir(join(orphan, '..'), { recursive: true });
    await writeFile(orphan, PDF);
    await store.teams.add({ teamId: 'bank', name: 'Bank' });
    await store.users.add({ userId: 'somchai', teamId: 'bank', role: 'Viewer' });
    await store.sessions.add('somchai', now - 1);
    await store.idempotency.claim({ teamId: 'bank', key: 'k', bodyHash: 'a' }, now - 2 * DAY);

    await t.rejects(store.documents.sweep(now), {
      name: 'StorageUnavailable',
      message: /^3 files could not be removed.*447 expired documents and 1 orphan files were$/,
    });
    const left = old.filter(({ documentId }) => existsSync(pathOf(place, documentId)));
    t.strictSame(left.map(({ documentId }) => documentId).toSorted(), stuck.toSorted());
    t.equal(existsSync(orphan), false, 'orphans were removed');
    t.equal(await countRows(t, place, 'sessions'), 0);
    t.equal(await countRows(t, place, 'idempotency'), 0);
    t.equal(store.figures().unremovableFiles, 3);

    for (const documentId of stuck) await rmdir(pathOf(place, documentId));
    t.strictSame(await store.documents.sweep(now), { expired: 3, orphans: 0 }, 'tried again');
    t.equal(store.figures().unremovableFiles, 0);
  });

  await t.test('an orphan that cannot be removed does not stop the others', async (t) => {
    const place = await newPlace();
    const store = await place.open(t, { orphanGraceMs: -60_000 });
    const [stuck, other] = [uuidv7(1), uuidv7(Date.now())];
    await mkdir(pathOf(place, stuck), { recursive: true });
    await mkdir(join(pathOf(place, other), '..'), { recursive: true });
    await writeFile(pathOf(place, other), PDF);
    await t.rejects(store.documents.sweep(Date.now()), { message: /^1 files.*1 orphan files/ });
    t.equal(existsSync(pathOf(place, other)), false);
  });

  await t.test(
    'an expired document whose file cannot be removed is left to the sweep',
    async (t) => {
      const place = await newPlace();
      const warnings: string[] = [];
      const store = await place.open(t, { warn: (message) => warnings.push(message) });
      const now = Date.now();
      const { documentId } = await addDocument(store, PDF, now - 2 * HOUR);
      await makeUnremovable(place, documentId);
      await store.documents.expire(documentId, now);
      t.match(warnings, [new RegExp(`${documentId} is left to the sweep`)]);
      t.match(await store.documents.findAny(documentId), { gone: true });
      await rmdir(pathOf(place, documentId));
      t.match(await store.documents.sweep(now), { expired: 1 });
    },
  );

  await t.test('the probe of a killed process is removed after the grace period', async (t) => {
    const place = await newPlace();
    const store = await place.open(t, { orphanGraceMs: 60_000 });
    await addDocument(store, PDF);
    const probe = join(place.folder, 'files', '.probe-0b9e5c1e-93ce-4d3c-a4a8-d7dd7fd36c0a');
    await writeFile(probe, 'probe');
    t.match(await store.documents.sweep(Date.now()), { orphans: 0 }, 'too young');
    t.match(await store.documents.sweep(Date.now() + 120_000), { orphans: 1 });
    t.equal(existsSync(probe), false);
  });

  await t.test('a backlog of weeks is removed within the time limit of a statement', async (t) => {
    const place = await newPlace();
    const store = await place.open(t, { statementTimeoutMs: 2_000 });
    const claims = 12_000;
    await addOldClaims(place, claims);
    t.equal(await countRows(t, place, 'idempotency'), claims);
    await store.documents.sweep(Date.now());
    t.equal(await countRows(t, place, 'idempotency'), 0);
  });
});

/** Adds claims of a day whose service stood still since. */
async function addOldClaims(place: StorePlace, count: number): Promise<void> {
  const columns = 'team_id, key_digest, body_hash, owner, lease_until_ms, claimed_at_ms';
  const owner = uuidv7(0);
  if (place.name === 'sqlite') {
    const database = new DatabaseSync(place.databaseUrl.slice('sqlite:'.length), {
      timeout: 60_000,
    });
    database.exec(
      `with recursive n(i) as (select 1 union all select i + 1 from n where i < ${count})
       insert into idempotency (${columns})
       select 'bank', randomblob(32), zeroblob(32), '${owner}', 1, 1 from n`,
    );
    database.close();
    return;
  }
  const connection = await createConnection(connectionOptions(place.databaseUrl));
  await connection.query(
    `insert into idempotency (${columns})
     select 'bank', unhex(sha2(seq, 256)), unhex(sha2('', 256)), '${owner}', 1, 1
     from seq_1_to_${count}`,
  );
  // A slow disk: all of them take longer than a statement may.
  await connection.query(
    'create trigger slow before delete on idempotency for each row do sleep(0.0002)',
  );
  await connection.end();
}
