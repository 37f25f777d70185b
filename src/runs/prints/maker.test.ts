import { execFileSync } from 'node:child_process';
import { hash } from 'node:crypto';
import { createWriteStream, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as pause } from 'node:timers/promises';
import { pipeline } from 'node:stream/promises';
import { pino } from 'pino';
import t from 'tap';
import { SHAPES } from '../../../lab/shapes/index.ts';
import { openStore } from '../../store/open.ts';
import type { PrintedDocument } from '../../store/runs/prints/types.ts';
import type { ManifestRow } from '../../store/runs/types.ts';
import { createPool } from '../../workers/pool/pool.ts';
import { startRunEngine } from '../engine.ts';
import { openPrint } from './stored.ts';
import { RUN_SPEC } from '../../../test/fixtures/runs/spec.ts';

const DOCUMENTS = 120;
const PER_PRINT = 100;
const STATEMENT = SHAPES.B;

t.test('documents of a run as print files, with shared fonts and an index', async (t) => {
  const folder = t.testdir({});
  const store = await openStore({
    databaseUrl: `sqlite:${join(folder, 'rows.db')}`,
    filesUrl: `file:${join(folder, 'files')}`,
  });
  await store.migrate();
  const source = Buffer.from(JSON.stringify(STATEMENT.template));
  await store.templates.saveDraft('bank', 'statement', 'Statement', source);
  const draft = await store.templates.draft('bank', 'statement');
  await store.templates.publish('bank', 'statement', draft.found ? draft.value.hash : '');
  const pool = createPool({
    module: new URL('../../workers/render.ts', import.meta.url),
    settings: {},
    threads: 1,
    spareThreads: 0,
    queueMax: 4,
    renderTimeoutMs: 60_000,
    checkTimeoutMs: 60_000,
    draftTimeoutMs: 60_000,
    memoryMb: 512,
    onFault: (fault) => t.fail(JSON.stringify(fault)),
  });
  const engine = startRunEngine({ store, pool, log: pino({ level: 'silent' }), threads: 1 });
  t.teardown(async () => {
    await engine.close();
    await pool.close(0);
    await store.close();
  });
  const run = await store.runs.create('bank', 'key:k', {
    ...RUN_SPEC,
    templateId: 'statement',
    idField: 'printRow',
    invalidShareMax: 0,
    documentsPerPrint: PER_PRINT,
  });
  const lines = Array.from({ length: DOCUMENTS }, (_, index) => {
    const { data } = STATEMENT.document(index, { cold: false, rows: 30 + (index % 40) });
    return `${JSON.stringify({ ...data, printRow: `S${index}` })}\n`;
  });
  const rows = new Uint8Array(Buffer.from(lines.join('')));
  const sha256 = hash('sha256', rows, 'hex');
  await store.runs.addPart(
    run,
    { part: 1, sha256, format: 'ndjson', headerBytes: 0, firstLine: 1 },
    rows,
  );
  await store.runs.move(run.runId, { from: ['receiving'], to: 'checking', isDryRun: false });
  engine.wake();
  for (let state = ''; state !== 'done'; await pause(50)) {
    const found = await store.runs.find('bank', run.runId);
    state = found.found ? found.value.state : '';
    if (state === 'stopped') throw new Error('the run stopped');
  }
  const manifest: ManifestRow[] = [];
  for await (const some of store.runs.manifest(run.runId)) manifest.push(...some);
  const { items: prints } = await store.runPrints.list(run, 10, 0);
  t.match(prints, [
    { number: 1, documents: PER_PRINT },
    { number: 2, documents: 20 },
  ]);

  const database = new DatabaseSync(join(folder, 'rows.db'), { readOnly: true, timeout: 60_000 });
  const expiryOf = database.prepare('select expires_at_ms as at from run_files where file_id = ?');
  for (const [index, { number, pages, bytes }] of prints.entries()) {
    const own = manifest.slice(index * PER_PRINT, (index + 1) * PER_PRINT);
    const print = await store.runPrints.find(run.runId, number);
    const listed = await store.runPrints.documents(run.runId, number);
    if (print === null || listed === null) return t.fail('no print file');
    const packs = own.map(({ packId }) => Number(expiryOf.get(packId)?.['at']));
    for (const { fileId } of print.segments) {
      t.equal(
        expiryOf.get(fileId)?.['at'],
        Math.min(...packs),
        'it expires with its first document',
      );
    }
    const documents: PrintedDocument[] = [];
    for await (const some of listed) documents.push(...some);
    const file = join(folder, `${number}.pdf`);
    const place = { runId: run.runId, number };
    const pieces = await openPrint(store.runPrints, place, print);
    await pipeline(pieces, createWriteStream(file));
    t.equal(statSync(file).size, bytes);
    t.equal(hash('sha256', readFileSync(file), 'hex'), print.sha256, 'digest of the whole');
    execFileSync('qpdf', ['--check', file]);
    t.match(execFileSync('pdfinfo', [file]).toString(), new RegExp(`Pages: +${pages}\n`));
    t.equal(
      own.reduce((sum, row) => sum + (row.pages ?? 0), 0),
      pages,
    );
    const fonts = execFileSync('pdffonts', ['-l', '3', file]).toString().trim().split('\n');
    t.ok(fonts.length < 12, 'fonts are shared');
    let page = 1;
    for (const [at, { rowId, fromPage, toPage }] of documents.entries()) {
      t.strictSame([rowId, fromPage], [own[at]?.rowId, page]);
      page = toPage + 1;
    }
  }
  database.close();
  const [first] = prints;
  const singles = manifest.slice(0, PER_PRINT).reduce((sum, row) => sum + (row.bytes ?? 0), 0);
  t.ok((first?.bytes ?? 0) < singles / 2, `${first?.bytes} bytes, ${singles} as single files`);
  t.comment(`${PER_PRINT} statements: ${first?.bytes} bytes, ${singles} as single files`);
});
