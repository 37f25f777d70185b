import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import t from 'tap';
import { begin, lines, type Scene, sceneOf, send, until } from '../../test/fixtures/runs/scene.ts';
import type { RunFinding } from '../store/runs/types.ts';
import { openPrint, PrintLost } from './prints/stored.ts';
import { MISSING_NAME, writeZip } from './zip/zip.ts';

/** The path of the stored file of a run. */
function pathOf({ spool }: Scene, fileId: string): string {
  const files = join(dirname(spool), 'files');
  const name = readdirSync(files, { recursive: true })
    .map(String)
    .find((path) => path.includes(`${fileId}.`));
  if (name === undefined) throw new Error('no such file');
  return join(files, name);
}

/** Flips a bit of one byte; a second flip restores it. */
function flip(path: string, at: number): void {
  const bytes = readFileSync(path);
  bytes[at] = (bytes[at] ?? 0) ^ 1;
  writeFileSync(path, bytes);
}

async function scrub({ store }: Scene): Promise<readonly RunFinding[]> {
  const found: RunFinding[] = [];
  await store.runs.scrub({ bytesPerSecond: 1e9, onFinding: (finding) => found.push(finding) });
  return found;
}

for (const finding of ['damaged', 'missing'] as const) {
  t.test(`a ${finding} part stops the check and names itself`, async (t) => {
    const scene = await sceneOf(t);
    const { store, start, engine, find, manifest } = scene;
    const run = await start();
    await send(store, run, 1, lines(5));
    await send(store, run, 2, 'refNo,total\nA,1.10\nB,2.20\n');
    const [, second] = await store.runs.parts(run.runId, 2, 0);
    const path = pathOf(scene, second?.fileId ?? '');
    // The digit of an amount: the row stays valid.
    if (finding === 'damaged') flip(path, 'refNo,total\nA,1'.length - 1);
    else rmSync(path);
    t.strictSame(await scrub(scene), [{ runId: run.runId, file: 'part', number: 2, finding }]);
    await begin(store, run.runId);
    engine();
    await until(async () => (await find(run.runId)).state !== 'checking');
    const expected = 'part 2 as it was received';
    t.match(await find(run.runId), {
      state: 'stopped',
      reasons: [{ name: 'input', expected, actual: finding }],
    });
    t.notOk(
      (await manifest(run.runId)).some(({ rowId }) => rowId === 'A'),
      'no row was believed',
    );
  });

  t.test(`a ${finding} document stops print files and is listed in the ZIP`, async (t) => {
    const scene = await sceneOf(t);
    const { store, start, engine, find, manifest } = scene;
    const run = await start({ documentsPerPrint: 10 });
    await send(store, run, 1, lines(4));
    await begin(store, run.runId);
    const works = engine();
    // The renderer of the scene cannot merge, so the run waits for its print file.
    await until(async () => (await find(run.runId)).counts.stored === 4);
    const rows = await manifest(run.runId);
    const [third] = rows.slice(2);
    const path = pathOf(scene, third?.packId ?? '');
    if (finding === 'damaged') flip(path, (third?.offset ?? 0) + 9);
    else rmSync(path);
    works.wake();
    await until(async () => (await find(run.runId)).state === 'stopped');
    const first = finding === 'damaged' ? third : rows[0];
    const expected = `row ${first?.rowId}: document ${first?.documentId} as it was stored`;
    t.match((await find(run.runId)).reasons, [{ name: 'documents', expected, actual: finding }]);
    const figures = store.figures();
    t.ok(figures.damagedDocuments + figures.missingDocuments > 0, '/readyz counts it');
    const lost: string[] = [];
    const pieces: Uint8Array[] = [];
    const archive = writeZip(store, { runId: run.runId, documents: 9 }, 1.8e12, (documentId) =>
      lost.push(documentId),
    );
    for await (const piece of archive) pieces.push(piece);
    const zip = Buffer.concat(pieces);
    const count = finding === 'damaged' ? 1 : 4;
    t.equal(lost.length, count);
    t.equal(zip.readUInt16LE(zip.length - 12), 4 - count + 1, 'entries');
    t.match(zip.toString('latin1'), `${third?.rowId}\t${third?.documentId}\t${finding}`);
    t.ok(zip.subarray(-150).includes(MISSING_NAME), 'the list is the last entry');
  });
}

t.test('a run whose database lost rows after their check stops, and is never done', async (t) => {
  const { spool, store, start, engine, find } = await sceneOf(t);
  const run = await start();
  await send(store, run, 1, lines(4));
  await send(store, run, 2, 'refNo,total\nA,1.10\nB,2.20\n');
  await begin(store, run.runId, true);
  const works = engine();
  await until(async () => (await find(run.runId)).state === 'receiving');
  const database = new DatabaseSync(join(dirname(spool), 'rows.db'), { timeout: 60_000 });
  database.prepare('delete from run_chunks where run_id = ? and part = 2').run(run.runId);
  database.close();
  await begin(store, run.runId);
  works.wake();
  await until(async () => ['done', 'stopped'].includes((await find(run.runId)).state));
  t.match(await find(run.runId), {
    state: 'stopped',
    counts: { received: 6, stored: 4, pending: 2 },
    reasons: [{ name: 'input', expected: 'an outcome of every row', actual: '2 lost' }],
  });
});

t.test('each flipped byte of a print file is noticed before its last piece', async (t) => {
  const scene = await sceneOf(t);
  const { store, start } = scene;
  // The pool of the tests merges nothing, so the print file comes from here.
  const { runId } = await start();
  await send(store, await scene.find(runId), 1, lines(1));
  await begin(store, runId);
  scene.engine().wake();
  await until(async () => (await scene.find(runId)).state === 'done');
  const run = await scene.find(runId);
  const bytes = Buffer.alloc(600_000, 'print ');
  const whole = await store.runPrints.putSegment(run.runId, [Buffer.from(bytes)]);
  await store.runPrints.prepare(run);
  const plan = await store.runPrints.lease(run, 'me');
  const print = {
    segments: [whole],
    sha256: whole.sha256 ?? '',
    documents: [],
    packIds: [],
    pages: 1,
  };
  t.equal(await store.runPrints.finish(run, plan?.number ?? 0, 'me', print), true);
  const stored = await store.runPrints.find(run.runId, 1);
  if (stored === null) throw new Error('no print file');
  const place = { runId: run.runId, number: 1 };
  const read = async (): Promise<number> => {
    let length = 0;
    const pieces = await openPrint(store.runPrints, place, stored);
    for await (const piece of pieces) length += piece.byteLength;
    return length;
  };
  t.equal(await read(), bytes.length);
  const path = pathOf(scene, whole.fileId);
  for (let at = 7; at < bytes.length; at += 29_989) {
    flip(path, at);
    await t.rejects(read(), PrintLost);
    t.match(await scrub(scene), [{ file: 'print', number: 1, finding: 'damaged' }]);
    flip(path, at);
  }
  t.equal(await read(), bytes.length);
  const old = { segments: [{ ...whole, sha256: null }], sha256: null };
  for await (const piece of await openPrint(store.runPrints, place, old))
    t.ok(piece.byteLength > 0);
});
