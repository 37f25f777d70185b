import { execFileSync } from 'node:child_process';
import { hash } from 'node:crypto';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { isProtectedPdf } from '../../../src/protect/check.ts';
import type { ManifestRow, RunRecord } from '../../../src/store/runs/types.ts';
import type { Store } from '../../../src/store/store.ts';
import { RUN_SPEC } from '../../fixtures/runs/spec.ts';
import { overDialects, type StorePlace } from '../../store/dialects.ts';
import { countFaults, manifestOf, prepare, rowFaults, serve, untilSettled } from './kill-run.ts';

/** A run with passwords by row whose service is killed repeatedly. */

const KEY = Buffer.alloc(32, 'a key of the test');
const ENCRYPTION = { keys: () => [KEY] };
const ROWS = 1_500;
const PART_ROWS = 500;
const KILLS = Number(process.env['INTAGLIO_TEST_KILLS'] ?? 4);
const KILL_MS_MAX = 2_500;
/** Documents of the run that are opened by qpdf. */
const OPENED = 15;

const passwordOf = (row: number): string => `pass-R${row}-word`;

async function addRun(store: Store): Promise<RunRecord> {
  const run = await store.runs.create('bank', 'key:crash', {
    ...RUN_SPEC,
    templateId: 'note',
    version: 1,
    idField: 'refNo',
    onInvalid: 'stop',
    protection: {
      user: { text: 'pass-{{refNo}}-word', format: {} },
      owner: null,
      permissions: {},
    },
  });
  for (let first = 0, part = 1; first < ROWS; first += PART_ROWS, part += 1) {
    const lines = Array.from({ length: PART_ROWS }, (_, index) => {
      const row = first + index;
      return `${JSON.stringify({ refNo: `R${row}`, total: String(row) })}\n`;
    });
    const rows = new Uint8Array(Buffer.from(lines.join('')));
    const sha256 = hash('sha256', rows, 'hex');
    const added = { part, sha256, format: 'ndjson', headerBytes: 0, firstLine: 1 } as const;
    await store.runs.addPart(run, added, rows);
  }
  await store.runs.move(run.runId, { from: ['receiving'], to: 'checking', isDryRun: false });
  return run;
}

/** The document of a row as it is stored. */
async function documentOf(store: Store, { packId, offset, bytes = 0 }: ManifestRow) {
  const pack = await store.runs.openPack(packId ?? '');
  try {
    const pieces: Uint8Array[] = [];
    for (let at = 0; at < bytes;) {
      const piece = await pack.read(offset + at, bytes - at);
      pieces.push(piece);
      at += piece.byteLength;
    }
    return Buffer.concat(pieces);
  } finally {
    await pack.close();
  }
}

function opens(path: string, password: string): boolean {
  try {
    execFileSync('qpdf', [`--password=${password}`, '--check', path], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

/** Whether some part of the run can still be read. */
async function hasRows(store: Store, { runId }: RunRecord): Promise<boolean> {
  const parts = await store.runs.parts(runId, 100, 0);
  const read = parts.map((part) =>
    store.runWork.openPart({ ...part, checkedTo: 0 }).then(
      (file) => file.close().then(() => true),
      () => false,
    ),
  );
  return (await Promise.all(read)).includes(true);
}

async function killOften(place: StorePlace): Promise<void> {
  for (let kill = 0; kill < KILLS; kill += 1) {
    const service = await serveWithKey(place);
    await pause(Math.random() * KILL_MS_MAX);
    service.kill('SIGKILL');
    await once(service, 'exit');
  }
}

function serveWithKey(place: StorePlace): ReturnType<typeof serve> {
  return serve(place, { INTAGLIO_ENCRYPTION_KEYS: KEY.toString('base64') });
}

await overDialects('SIGKILL in the middle of a run with passwords', async (t, newPlace) => {
  await t.test('each row once, by its own password, and no key is left', async (t) => {
    const place = await newPlace();
    await prepare(place);
    const store = await place.open(t, { encryption: ENCRYPTION });
    const added = await addRun(store);
    t.ok(await hasRows(store, added), 'its rows wait');
    await killOften(place);
    const service = await serveWithKey(place);
    const run = await untilSettled(place, added.runId);
    service.kill('SIGTERM');
    await once(service, 'exit');
    t.equal(run.state, 'done');
    const rows = await manifestOf(store, run);
    t.strictSame(rowFaults({ place, rows: ROWS, invalidEach: ROWS + 1 }, rows), []);
    t.strictSame(countFaults(run, rows), []);
    t.notOk(await hasRows(store, run), 'no key of its rows is left');
    const path = join(place.folder, 'document.pdf');
    let unprotected = 0;
    for (const [index, row] of rows.entries()) {
      const pdf = await documentOf(store, row);
      if (!isProtectedPdf(pdf)) unprotected += 1;
      if (index % Math.floor(ROWS / OPENED) !== 0) continue;
      writeFileSync(path, pdf);
      t.ok(opens(path, passwordOf(index)), `${row.rowId} opens by its own password`);
      t.notOk(opens(path, passwordOf(index + 1)), 'and not by that of the next row');
    }
    t.equal(unprotected, 0, 'no document without a password');
  });
});
