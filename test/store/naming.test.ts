import { randomBytes } from 'node:crypto';
import { DatabaseSync } from 'node:sqlite';
import { join } from 'node:path';
import { type CompiledQuery, Kysely } from 'kysely';
import { createConnection } from 'mysql2/promise';

import type { Naming } from '../../src/runtime/naming/naming.ts';
import { connectionOptions } from '../../src/store/database/mysql.ts';
import type { Schema } from '../../src/store/database/schema.ts';
import type { EncryptionKeys } from '../../src/store/encryption/key-ring.ts';
import { uuidv7 } from '../../src/store/ids.ts';
import { byReference } from '../../src/store/naming/names.ts';
import { backUpStore, openStore, restoreStore } from '../../src/store/open.ts';
import type { Store } from '../../src/store/store.ts';
import { compilingDialect } from '../fixtures/compiling-dialect.ts';
import { type StorePlace, overDialects, temporaryFolder } from './dialects.ts';
import { newAudit, newDocument } from './samples.ts';

const PDF = Buffer.from('%PDF-1.7 %%EOF');
const HOUR = 3_600_000;
const RECEIPT: Naming = { reference: 'RC-0005', keep: 'hash', fileName: 'ใบเสร็จ RC-0005.pdf' };

function auditOf(documentId: string): ReturnType<typeof newAudit> {
  return newAudit(documentId);
}

async function add(
  store: Store,
  naming: Naming | null,
  { teamId = 'bank', atMs = Date.now() } = {},
): Promise<string> {
  const document = newDocument(PDF, atMs, teamId);
  const pdf = new Uint8Array(PDF);
  const { documentId } = await store.documents.add(document, pdf, auditOf, null, naming);
  return documentId;
}

async function found(store: Store, reference: string, teamId = 'bank'): Promise<string[]> {
  const { documents } = await store.documents.list({ teamId, reference, countMax: 50 });
  return documents.map(({ documentId }) => documentId);
}

/** All cells of the tables of names, as an administrator sees them. */
async function cellsOf(place: StorePlace): Promise<readonly Record<string, unknown>[]> {
  const queries = ['select * from document_names', 'select * from naming_keys'];
  if (place.name === 'sqlite') {
    const database = new DatabaseSync(place.databaseUrl.slice('sqlite:'.length), {
      timeout: 60_000,
    });
    const rows = queries.flatMap((query) => database.prepare(query).all());
    database.close();
    return rows;
  }
  const connection = await createConnection(connectionOptions(place.databaseUrl));
  const rows: Record<string, unknown>[] = [];
  for (const query of queries) {
    const [some] = await connection.query(query);
    rows.push(...(some as Record<string, unknown>[])); // A SELECT returns rows.
  }
  await connection.end();
  return rows;
}

function textOf(rows: readonly Record<string, unknown>[]): string {
  return rows
    .flatMap((row) => Object.values(row))
    .map((cell) => (cell instanceof Uint8Array ? Buffer.from(cell).toString() : String(cell)))
    .join('\n');
}

function keysOf(...keys: readonly Uint8Array[]): { readonly encryption: EncryptionKeys } {
  return { encryption: { keys: () => keys } };
}

await overDialects('references and file names', async (t, newPlace) => {
  await t.test('a document is found by what is printed, and by its team only', async (t) => {
    const store = await (await newPlace()).open(t);
    const older = await add(store, RECEIPT);
    await add(store, { ...RECEIPT, reference: 'RC-00050' });
    await add(store, null);
    const newer = await add(store, RECEIPT);
    const rival = await add(store, RECEIPT, { teamId: 'rival' });
    t.strictSame(await found(store, 'RC-0005'), [newer, older], 'the newest first');
    t.strictSame(await found(store, ' RC-0005\n'), [newer, older]);
    t.strictSame(await found(store, 'RC-0005', 'rival'), [rival]);
    t.strictSame(await found(store, ''), []);
    const composed = await add(store, { ...RECEIPT, reference: 'caf\u00E9 1' });
    t.strictSame(await found(store, 'cafe\u0301 \u00A01'), [composed]);
    const first = await store.documents.list({
      teamId: 'bank',
      reference: 'RC-0005',
      countMax: 1,
    });
    t.match(first, { documents: [{ documentId: newer }], next: newer });
    const { documents, next } = await store.documents.list({
      teamId: 'bank',
      reference: 'RC-0005',
      countMax: 2,
      after: newer,
    });
    t.match([documents, next], [[{ documentId: older }], null]);
    t.strictSame(
      (
        await store.documents.list({
          teamId: 'bank',
          templateId: 'x',
          reference: 'RC-0005',
          countMax: 9,
        })
      ).documents,
      [],
    );
  });

  await t.test('small letters are tried as capitals when they find nothing', async (t) => {
    const store = await (await newPlace()).open(t);
    const capitals = await add(store, RECEIPT);
    const { documents, reference } = await store.documents.list({
      teamId: 'bank',
      reference: ' rc-0005',
      countMax: 9,
    });
    t.match([documents, reference], [[{ documentId: capitals }], 'RC-0005']);
    t.strictSame(await found(store, 'rc-0006'), []);
    const small = await add(store, { ...RECEIPT, reference: 'rc-0005' });
    t.strictSame(await found(store, 'rc-0005'), [small], 'as it was written, when there is one');
    t.strictSame(
      await found(store, 'RC-0005'),
      [capitals],
      'capitals are not tried as small letters',
    );
    const later = await store.documents.list({
      teamId: 'bank',
      reference: 'rc-0005',
      countMax: 9,
      after: small,
    });
    t.strictSame(later.documents, [], 'a later page holds no documents of the other form');
  });

  await t.test('the database shows neither a hashed reference nor a file name', async (t) => {
    const place = await newPlace();
    const store = await place.open(t);
    const hashed = await add(store, RECEIPT);
    const plain = await add(store, { reference: 'PL-7', keep: 'plain', fileName: '' });
    const none = await add(store, null);
    const names = await store.names.of([hashed, plain, none]);
    t.strictSame(Object.fromEntries(names), {
      [hashed]: { reference: '', fileName: 'ใบเสร็จ RC-0005.pdf' },
      [plain]: { reference: 'PL-7', fileName: '' },
    });
    t.strictSame(await found(store, 'PL-7'), [plain]);
    const text = textOf(await cellsOf(place));
    t.match(text, 'PL-7');
    t.notMatch(text, 'RC-0005');
  });

  await t.test('names are removed with their documents', async (t) => {
    const place = await newPlace();
    const store = await place.open(t);
    const longAgo = Date.now() - 2 * HOUR;
    const expired = await add(store, RECEIPT, { atMs: longAgo });
    const asked = await add(store, RECEIPT, { atMs: longAgo });
    const living = await add(store, RECEIPT);
    await store.documents.expire(living, Date.now());
    await store.documents.expire(asked, Date.now());
    t.strictSame(await found(store, 'RC-0005'), [living, expired]);
    await store.documents.sweep(Date.now());
    t.strictSame(await found(store, 'RC-0005'), [living]);
    t.strictSame([...(await store.names.of([expired, asked, living])).keys()], [living]);
    t.equal((await cellsOf(place)).length, 2, 'one row of names and the key');
  });

  await t.test('a backup brings the names and their key', async (t) => {
    const place = await newPlace();
    const store = await place.open(t);
    const documentId = await add(store, RECEIPT);
    const folder = join(await temporaryFolder(t), 'backup');
    const { databaseUrl } = place;
    await backUpStore({ databaseUrl, filesUrl: `file:${join(place.folder, 'files')}` }, folder);
    const other = await temporaryFolder(t);
    const target = {
      databaseUrl: `sqlite:${join(other, 'restored.db')}`,
      filesUrl: `file:${join(other, 'files')}`,
    };
    await restoreStore(target, folder);
    const restored = await openStore(target);
    t.teardown(() => restored.close());
    t.strictSame(await found(restored, 'RC-0005'), [documentId]);
    t.match((await restored.names.of([documentId])).get(documentId), {
      fileName: RECEIPT.fileName,
    });
    t.strictSame(
      (await restored.scrubDatabase({ isAccepting: false, onFinding: () => undefined })).damaged,
      0,
    );
  });

  await t.test('the encryption keys wrap the key of names', async (t) => {
    const [old, current] = [randomBytes(32), randomBytes(32)];
    const place = await newPlace();
    const plain = await place.open(t);
    const first = await add(plain, RECEIPT);
    t.ok((await cellsOf(place)).some((row) => row['plain_key'] instanceof Uint8Array));
    const store = await place.open(t, keysOf(old));
    const second = await add(store, RECEIPT);
    t.strictSame(await found(store, 'RC-0005'), [second, first]);
    t.notOk((await cellsOf(place)).some((row) => row['plain_key'] instanceof Uint8Array));
    const rotated = await place.open(t, keysOf(current, old));
    t.match(
      await rotated.fileKeys.rewrap(1e6),
      { rewrapped: 1, namingRewrapped: 1, unreadable: [] },
      'the key of names is not counted as that of a file',
    );
    const after = await place.open(t, keysOf(current));
    t.strictSame(await found(after, 'RC-0005'), [second, first]);
    t.strictSame(await after.fileKeys.missing(), []);
    const lost = await place.open(t, keysOf(randomBytes(32)));
    const third = await add(lost, RECEIPT);
    t.strictSame(await found(lost, 'RC-0005'), [third], 'what its own key has hashed');
    t.strictSame((await lost.names.of([first])).get(first), { reference: '', fileName: '' });
  });

  await t.test('a reference is looked up by its index, however many there are', async (t) => {
    const place = await newPlace();
    const store = await place.open(t);
    const documentId = await add(store, RECEIPT);
    await plant(place, 20_000);
    const dialect = compilingDialect(place.name);
    const hash = Buffer.alloc(16, 7);
    for (const after of [undefined, uuidv7(Date.now())]) {
      const query = byReference(new Kysely<Schema>({ dialect }), hash, 50, after).compile();
      const plan = await planOf(place, query);
      t.match(plan, /document_names_reference/, plan);
      t.notMatch(plan, /temp b-tree|filesort|scan document_names/i, plan);
    }
    t.strictSame(await found(store, 'RC-0005'), [documentId]);
  });
});

/** Adds documents with random references, a thousand in a statement. */
async function plant(place: StorePlace, rows: number): Promise<void> {
  const statements = Array.from({ length: rows / 1_000 }, (_, block) => {
    const tuples = Array.from({ length: 1_000 }, (__, index) => {
      const id = uuidv7(1_600_000_000_000 + block * 1_000 + index);
      return `('${id}', '${id}', x'${randomBytes(16).toString('hex')}', 9000000000000)`;
    });
    return `insert into document_names (document_id, key_id, reference_hash, expires_at_ms)
      values ${tuples.join(',')}`;
  });
  if (place.name === 'sqlite') {
    const database = new DatabaseSync(place.databaseUrl.slice('sqlite:'.length), {
      timeout: 60_000,
    });
    database.exec(`begin; ${statements.join(';')}; commit`);
    database.close();
    return;
  }
  const connection = await createConnection(connectionOptions(place.databaseUrl));
  for (const statement of statements) await connection.query(statement);
  await connection.query('analyze table document_names');
  await connection.end();
}

async function planOf(place: StorePlace, query: CompiledQuery): Promise<string> {
  if (place.name === 'sqlite') {
    const database = new DatabaseSync(place.databaseUrl.slice('sqlite:'.length), {
      timeout: 60_000,
    });
    // The hash, and the id of a page.
    const parameters = query.parameters as readonly (Uint8Array | string)[];
    const rows = database.prepare(`explain query plan ${query.sql}`).all(...parameters);
    database.close();
    return rows.map((row) => String(row['detail'])).join('\n');
  }
  const connection = await createConnection(connectionOptions(place.databaseUrl));
  const [rows] = await connection.query(`explain ${query.sql}`, [...query.parameters]);
  await connection.end();
  return JSON.stringify(rows);
}
