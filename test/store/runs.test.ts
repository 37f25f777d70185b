import { hash, randomBytes, randomUUID } from 'node:crypto';
import { crc32 } from 'node:zlib';
import type { Test } from 'tap';
import { addDecimals, equalDecimals } from '../../src/store/runs/sums/decimal-sum.ts';
import type { ListPage, Store } from '../../src/store/store.ts';
import type { PackedDocument, RenderedChunk } from '../../src/store/runs/rendered.ts';
import type {
  CheckedChunkRow,
  ManifestRow,
  RunRecord,
  RunSpec,
} from '../../src/store/runs/types.ts';
import { overDialects } from './dialects.ts';
import { startFakeS3 } from '../../lab/servers/fake-s3.ts';
import { newAudit, readAll } from './samples.ts';
import { RUN_SPEC } from '../fixtures/runs/spec.ts';

const SPEC: RunSpec = { ...RUN_SPEC, expectedSums: { total: '0' } };
const OWNER = randomUUID();

function sha256(bytes: Uint8Array): string {
  return hash('sha256', bytes, 'hex');
}

function audit(documentId: string): ReturnType<typeof newAudit> {
  return newAudit(documentId);
}

/**
 * The bytes of a part with one row. The store takes the buffer over, so each call makes a new one.
 */
function tenBytes(): Uint8Array {
  return new Uint8Array(Buffer.from('0123456789'));
}

/** A row of ten bytes. */
function row(rowId: string, amount: string, isSound = true, data = rowId): CheckedChunkRow {
  const digest = sha256(Buffer.from(data)).slice(0, 32);
  const failure = isSound ? null : { code: 'invalid_data', message: 'no' };
  const own = { line: null, corrects: null, lacks: [], isEmpty: false };
  return { rowId, length: 10, digest, failure, amounts: [amount], ...own };
}

async function newRun(store: Store): Promise<RunRecord> {
  return store.runs.create('bank', 'key:k1', SPEC);
}

async function addPart(store: Store, run: RunRecord, part: number, rows: number): Promise<void> {
  const bytes = Buffer.from(`part ${part}`.padEnd(10 * rows, '.'));
  const found = await store.runs.find('bank', run.runId);
  if (!found.found) throw new Error('no run');
  const sent = {
    part,
    sha256: sha256(bytes),
    format: 'ndjson',
    headerBytes: 0,
    firstLine: 1,
  } as const;
  await store.runs.addPart(found.value, sent, new Uint8Array(bytes));
}

async function start(store: Store, runId: string): Promise<void> {
  await store.runs.move(runId, {
    from: ['receiving', 'stopped', 'done'],
    to: 'checking',
    isDryRun: false,
  });
}

/** Adds rows as one chunk of the part that is next. */
async function addRows(
  store: Store,
  run: RunRecord,
  rows: readonly CheckedChunkRow[],
): Promise<boolean> {
  const part = await store.runWork.leasePart(run.runId, OWNER);
  if (part === null) throw new Error('no part');
  const toByte = part.checkedTo + 10 * rows.length;
  const firstLine = part.checkedLine ?? 1;
  const lined = rows.map((one, index) => ({ ...one, line: firstLine + index }));
  const toLine = firstLine + rows.length;
  const chunk = { toByte, toLine, sha256: sha256(Buffer.from('')), rows: lined };
  return store.runWork.addChunk(run, part, OWNER, chunk);
}

/**
 * The result of a chunk: a file `%PDF row <position>` for each of `positions`; rows of `failing`
 * failed.
 */
function rendered(positions: readonly number[], failing: readonly number[] = []): RenderedChunk {
  const files = positions.map((position) =>
    Buffer.from(`%PDF row ${position} `.repeat(position + 1)),
  );
  return {
    documents: files.map((file, index): PackedDocument => ({
      position: positions[index] ?? 0,
      sha256: sha256(file),
      pages: 1,
      bytes: file.length,
      crc32: crc32(file),
      missingCharacters: index,
      naming: null,
      signedBy: null,
    })),
    failures: new Map(failing.map((at) => [at, { code: 'render_failed', message: 'too tall' }])),
    pieces: [new Uint8Array(Buffer.concat(files))],
  };
}

async function finish(store: Store, run: RunRecord, chunk: RenderedChunk): Promise<boolean> {
  const leased = await store.runWork.leaseChunk(run.runId, OWNER);
  if (leased === null) throw new Error('no chunk');
  return store.runWork.finishChunk(run, leased, OWNER, chunk, (id) => newAudit(id));
}

async function counts(store: Store, runId: string): Promise<RunRecord['counts']> {
  const found = await store.runs.find('bank', runId);
  if (!found.found) throw new Error('no run');
  return found.value.counts;
}

async function manifest(store: Store, runId: string): Promise<ManifestRow[]> {
  const rows: ManifestRow[] = [];
  for await (const some of store.runs.manifest(runId)) rows.push(...some);
  return rows;
}

async function runWithRows(t: Test, store: Store, rows: readonly CheckedChunkRow[]) {
  const run = await newRun(store);
  await addPart(store, run, 1, rows.length);
  await start(store, run.runId);
  t.ok(await addRows(store, run, rows));
  await store.runs.move(run.runId, { from: ['checking'], to: 'running' });
  return run;
}

await overDialects('runs', async (t, newPlace) => {
  await t.test('the pages of the list hold every run of the team once, newest first', async (t) => {
    const { runs } = await (await newPlace()).open(t);
    const made: string[] = [];
    for (let count = 0; count < 4; count += 1) {
      made.unshift((await runs.create('bank', 'key:k1', SPEC)).runId);
      await runs.create('rival', 'key:k2', SPEC);
    }
    for (const countMax of [1, 2, 3, 4, 5]) {
      const listed: string[] = [];
      for (let after: string | null | undefined; after !== null;) {
        const page: ListPage<RunRecord> = await runs.list({
          teamId: 'bank',
          countMax,
          after,
        });
        listed.push(...page.items.map(({ runId }) => runId));
        t.equal(page.items.length, Math.min(countMax, 4 - (listed.length - page.items.length)));
        after = page.next;
      }
      t.strictSame(listed, made.toSorted().toReversed(), `by ${countMax}`);
    }
  });

  await t.test('a filter by template and time goes through the pages, too', async (t) => {
    const { runs } = await (await newPlace()).open(t);
    const made: RunRecord[] = [];
    for (const templateId of ['letter', 'card', 'letter', 'letter']) {
      made.push(await runs.create('bank', 'key:k1', { ...SPEC, templateId }));
      await runs.create('rival', 'key:k2', { ...SPEC, templateId });
    }
    const letter = { teamId: 'bank', templateId: 'letter' };
    const ids = [3, 2, 0].map((index) => made[index]?.runId);
    const first = await runs.list({ ...letter, countMax: 2 });
    t.strictSame(
      first.items.map(({ runId }) => runId),
      ids.slice(0, 2),
    );
    const second = await runs.list({ ...letter, countMax: 2, after: first.next ?? undefined });
    t.strictSame(
      second.items.map(({ runId }) => runId),
      ids.slice(2),
    );
    t.equal(second.next, null);
    const atMs = made[0]?.createdAtMs ?? 0;
    t.match(await runs.list({ ...letter, countMax: 9, untilMs: atMs }), { items: [] });
    t.equal((await runs.list({ ...letter, countMax: 9, sinceMs: atMs })).items.length, 3);
  });

  await t.test('documents of a chunk share one file, and are fetched one by one', async (t) => {
    const store = await (await newPlace()).open(t);
    const run = await runWithRows(t, store, [
      row('a', '1.10'),
      row('b', '5', false),
      row('c', '2.2'),
    ]);
    t.ok(await finish(store, run, rendered([0, 2])));
    const rows = await manifest(store, run.runId);
    t.match(rows, [
      { rowId: 'a', outcome: 'stored', pages: 1 },
      { rowId: 'b', outcome: 'invalid', code: 'invalid_data' },
      { rowId: 'c', outcome: 'stored' },
    ]);
    const [first, , last] = rows;
    t.equal(first?.packId, last?.packId);
    const file = await readAll(store, last?.documentId ?? '');
    t.equal(Buffer.from(file).toString(), '%PDF row 2 '.repeat(3));
    t.equal(sha256(file), last?.sha256);
    t.match(await counts(store, run.runId), { received: 3, stored: 2, invalid: 1, failed: 0 });
    t.strictSame(await store.runs.sums(run), { total: '3.30' });
    t.match(await store.documents.findBySha256('bank', last?.sha256 ?? '', 5), [
      { documentId: last?.documentId, gone: false },
    ]);
    const scrubbed = await store.documents.scrub({
      bytesPerSecond: 1e9,
      onFinding: () => undefined,
    });
    t.match(scrubbed, { checked: 2, damaged: 0, missing: 0 });
    t.match(await store.documents.sweep(Date.now()), { expired: 0, orphans: 0 });
  });

  await t.test('a clock that is set back revives no document of a run', async (t) => {
    const place = await newPlace();
    const before = await place.open(t);
    const run = await runWithRows(t, before, [row('a', '1')]);
    t.ok(await finish(before, run, rendered([0])));
    const [{ documentId = '', sha256: digest = '' } = {}] = await manifest(before, run.runId);
    t.match(await before.documents.find('bank', documentId), { value: { gone: false } });
    const retentionMs = run.spec.retentionSeconds * 1000;
    await before.documents.sweep(Date.now() + 2 * retentionMs);
    // By this clock, as after a restart with an earlier time, the document expires in the future.
    const after = await place.open(t);
    t.match(await after.documents.find('bank', documentId), { value: { gone: true } });
    t.match(await after.documents.findAny(documentId), { gone: true });
    t.match(await after.documents.findBySha256('bank', digest, 5), [{ documentId, gone: true }]);
    const { documents } = await after.documents.list({ teamId: 'bank', countMax: 5 });
    t.match(documents, [{ documentId, gone: true, damaged: false }]);
  });

  await t.test('in object storage a chunk is one object, read by range and expired', async (t) => {
    const s3 = await startFakeS3();
    t.teardown(() => s3.stop());
    const place = await newPlace();
    const keys = [randomBytes(32)];
    const store = await place.open(t, { filesUrl: s3.url, encryption: { keys: () => keys } });
    const run = await runWithRows(t, store, [row('a', '1'), row('b', '1'), row('c', '1')]);
    t.ok(await finish(store, run, rendered([0, 1, 2])));
    await store.runs.move(run.runId, { from: ['running'], to: 'done' });
    const [, second] = await manifest(store, run.runId);
    const packs = (): readonly string[] =>
      [...s3.objects.keys()].filter((key) => key.includes(second?.packId ?? 'none'));
    t.equal(packs().length, 1, 'no object for each document');
    const file = await readAll(store, second?.documentId ?? '');
    t.equal(Buffer.from(file).toString(), '%PDF row 1 '.repeat(2));
    const stored = [...s3.objects.values()].map(({ body }) => body.toString('latin1'));
    t.notMatch(stored.join(), /%PDF|part 1/, 'and it is encrypted');
    t.match(await store.documents.sweep(Date.now() + 3_700_000), { expired: 3, orphans: 0 });
    t.strictSame(packs(), []);
  });

  await t.test('a part that is sent again changes nothing', async (t) => {
    const store = await (await newPlace()).open(t);
    const run = await newRun(store);
    const part = {
      part: 1,
      sha256: sha256(tenBytes()),
      format: 'ndjson',
      headerBytes: 0,
      firstLine: 1,
    } as const;
    t.equal(await store.runs.addPart(run, part, tenBytes()), 'added');
    t.equal(await store.runs.addPart(run, part, tenBytes()), 'there');
    const other = { ...part, sha256: sha256(Buffer.from('other')) };
    t.equal(await store.runs.addPart(run, other, tenBytes()), 'conflict');
    t.equal((await counts(store, run.runId)).bytesReceived, 10);
    await start(store, run.runId);
    const found = await store.runs.find('bank', run.runId);
    if (!found.found) return t.fail('no run');
    t.equal(await store.runs.addPart(found.value, { ...part, part: 2 }, tenBytes()), 'closed');
  });

  await t.test('a worker without its lease commits nothing; its pack is removed', async (t) => {
    const place = await newPlace();
    let nowMs = Date.now();
    const clock = { wallMs: () => nowMs, monotonicMs: () => nowMs };
    const store = await place.open(t, { clock, orphanGraceMs: -1_000 });
    const run = await runWithRows(t, store, [row('a', '1')]);
    const first = await store.runWork.leaseChunk(run.runId, OWNER);
    t.equal(await store.runWork.leaseChunk(run.runId, randomUUID()), null, 'it is taken');
    nowMs += 31_000;
    const other = randomUUID();
    const second = await store.runWork.leaseChunk(run.runId, other);
    if (first === null || second === null) return t.fail('no lease');
    t.equal(await store.runWork.finishChunk(run, first, OWNER, rendered([0]), audit), false);
    t.ok(await store.runWork.finishChunk(run, second, other, rendered([0]), audit));
    t.equal(await store.runWork.finishChunk(run, first, OWNER, rendered([0]), audit), false);
    t.match(await counts(store, run.runId), { stored: 1 });
    t.equal((await manifest(store, run.runId)).length, 1);
    t.match(await store.documents.sweep(nowMs), { orphans: 0 });
  });

  await t.test('a corrected row replaces the invalid one; nothing else runs again', async (t) => {
    const store = await (await newPlace()).open(t);
    const run = await runWithRows(t, store, [row('a', '1'), row('b', '2', false), row('c', '4')]);
    t.ok(await finish(store, run, rendered([0], [2])));
    t.match(await counts(store, run.runId), { received: 3, stored: 1, invalid: 1, failed: 1 });
    await store.runs.move(run.runId, { from: ['running'], to: 'stopped' });
    await addPart(store, run, 2, 4);
    await start(store, run.runId);
    const corrected = [
      row('a', '1'),
      row('b', '2', true, 'b2'),
      row('c', '4', true, 'c2'),
      row('a', '9', true, 'x'),
    ];
    t.ok(await addRows(store, run, corrected));
    t.match(await counts(store, run.runId), { received: 5, identical: 1, stored: 1, invalid: 1 });
    await store.runs.move(run.runId, { from: ['checking'], to: 'running' });
    const chunk = await store.runWork.leaseChunk(run.runId, OWNER);
    t.strictSame(
      chunk?.rows.map(({ outcome }) => outcome),
      ['repeated', 'pending', 'pending', 'invalid'],
    );
    await store.runWork.releaseAll(OWNER);
    t.ok(await finish(store, run, rendered([1, 2])));
    const rows = await manifest(store, run.runId);
    t.strictSame(
      rows.map(({ rowId, outcome }) => `${rowId} ${outcome}`),
      ['a stored', 'a repeated', 'b stored', 'c stored', 'a invalid'],
    );
    t.match(await counts(store, run.runId), { received: 5, stored: 3, invalid: 1, failed: 0 });
    t.strictSame(await store.runs.sums(run), { total: '7' });
  });

  await t.test('rows that two instances add at the same time enter the run once', async (t) => {
    const place = await newPlace();
    const stores = [await place.open(t), await place.open(t)] as const;
    const run = await newRun(stores[0]);
    const rows = Array.from({ length: 60 }, (_, index) => row(`r${index}`, '1'));
    for (const part of [1, 2]) await addPart(stores[0], run, part, rows.length);
    await start(stores[0], run.runId);
    // In opposite orders, so that the two transactions lock the same rows in opposite orders.
    const both = [addRows(stores[0], run, rows), addRows(stores[1], run, rows.toReversed())];
    t.strictSame(await Promise.all(both), [true, true]);
    t.match(await counts(stores[0], run.runId), { received: 120, identical: 60, invalid: 0 });
    t.strictSame(await stores[1].runWork.workLeft(run.runId), { parts: 0, chunks: 1 });
  });

  await t.test('the lease of a source decides who adds a part of it', async (t) => {
    const place = await newPlace();
    let nowMs = Date.now();
    const clock = { wallMs: () => nowMs, monotonicMs: () => nowMs };
    const stores = [await place.open(t, { clock }), await place.open(t, { clock })] as const;
    const { runSources, runs } = stores[0];
    const run = await newRun(stores[0]);
    const { runId } = run;
    await start(stores[0], runId);
    const owners = Array.from({ length: 6 }, () => randomUUID());
    const leased = await Promise.all(
      owners.map((owner, index) => stores[index < 3 ? 0 : 1].runSources.lease(runId, owner)),
    );
    t.strictSame(
      leased.filter((parts) => parts !== null),
      [0],
      'one of six',
    );
    const one = owners[leased.indexOf(0)] ?? '';
    const two = owners[leased.indexOf(null)] ?? '';
    const part = {
      part: 1,
      sha256: sha256(tenBytes()),
      format: 'ndjson',
      headerBytes: 0,
      firstLine: 1,
    } as const;
    t.equal(await runSources.addPart(run, two, part, tenBytes()), false, 'not its lease');
    t.equal(await runSources.addPart(run, one, part, tenBytes()), true);
    t.equal(await runSources.addPart(run, one, part, tenBytes()), false, 'a second time');
    nowMs += 15_000;
    await runSources.renew(one);
    nowMs += 15_000;
    t.equal(await stores[1].runSources.lease(runId, two), null, 'renewed');
    nowMs += 31_000;
    t.equal(await stores[1].runSources.lease(runId, two), 1, 'given up');
    const next = { ...part, part: 2 };
    const late = [
      runSources.addPart(run, one, next, tenBytes()),
      stores[1].runSources.addPart(run, two, next, tenBytes()),
    ];
    t.strictSame(await Promise.all(late), [false, true], 'the owner from before is late');
    const whole = { parts: 2, bytes: 20, sha256: sha256(tenBytes()), encoding: 'windows-874' };
    t.equal(await runSources.finish(run, one, whole), false);
    await runs.move(runId, { from: ['checking'], to: 'paused' });
    const last = { ...part, part: 3 };
    t.equal(await runSources.addPart(run, two, last, tenBytes()), false, 'paused');
    t.equal(await runSources.finish(run, two, whole), true);
    await runSources.releaseAll(two);
    t.equal(await runSources.lease(runId, one), null, 'read');
    t.equal((await runs.parts(runId, 10, 0)).length, 2);
    t.match(await runSources.progress(runId), {
      isRead: true,
      parts: 2,
      bytes: 20,
      encoding: 'windows-874',
    });
  });

  await t.test('a cancelled run stores nothing more', async (t) => {
    const store = await (await newPlace()).open(t);
    const run = await runWithRows(t, store, [row('a', '1')]);
    await store.runs.move(run.runId, { from: ['running'], to: 'cancelled' });
    t.equal(await finish(store, run, rendered([0])), false);
    t.match(await counts(store, run.runId), { stored: 0 });
  });

  await t.test('a paused run goes on where it was', async (t) => {
    const store = await (await newPlace()).open(t);
    const run = await runWithRows(t, store, [row('a', '1')]);
    t.ok(await store.runs.move(run.runId, { from: ['checking', 'running'], to: 'paused' }));
    t.strictSame(await store.runWork.activeIds(), []);
    t.ok(await store.runs.resume(run.runId));
    t.match(await store.runWork.activeIds(), [{ runId: run.runId }]);
    t.equal(await store.runs.resume(run.runId), false);
  });

  await t.test('a pack is deleted with its documents, and its run forgets the rows', async (t) => {
    const store = await (await newPlace()).open(t);
    const run = await runWithRows(t, store, [row('a', '1'), row('b', '1')]);
    t.ok(await finish(store, run, rendered([0, 1])));
    await store.runs.move(run.runId, { from: ['running'], to: 'done' });
    const [first] = await manifest(store, run.runId);
    const later = Date.now() + 3_700_000;
    t.match(await store.documents.sweep(later), { expired: 2, orphans: 0 });
    t.strictSame(await manifest(store, run.runId), []);
    const document = await store.documents.findAny(first?.documentId ?? '');
    if (document === null) return t.fail('no row');
    await t.rejects(store.documents.open(document, 'through'), { name: 'FileMissing' });
    t.match(await counts(store, run.runId), { stored: 2 });
  });
});

await (
  await import('tap')
).default.test('sums are exact', async (t) => {
  t.equal(addDecimals('0.1', '0.2'), '0.3');
  t.equal(addDecimals('-1.05', '1'), '-0.05');
  t.equal(addDecimals('99999999999999999999.99', '0.01'), '100000000000000000000.00');
  t.ok(equalDecimals('1.50', '1.5'));
  t.notOk(equalDecimals('1.50', '1.51'));
});
