import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import { partsOf, readRowFile } from '../../studio/src/runs/file/rows.ts';
import { startTestService } from '../../lab/service/gateway.ts';
import { REAL_POOL } from '../hostile/real-pool.ts';
import { command, windows874 } from './service.ts';

/** Files as spreadsheets save them, by each way in: they work, or their one cure is named. */

interface OddFile {
  readonly name: string;
  readonly bytes: Uint8Array;
  /** What the command line says; null: the file works. */
  readonly cure: RegExp | null;
  /** What `batch` says, if it is not `cure`; null: the file works there, which needs no row ids. */
  readonly batchCure?: RegExp | null;
  /** What the Studio says before anything is sent. */
  readonly fault?: string;
}

const TEXT =
  'refNo,customer,total,due\r\n001,สมชาย ใจดี,1250.50,2026-12-31\r\n002,B,2.00,2026-12-31\r\n';

function utf16be(text: string): Buffer {
  return Buffer.from(`\uFEFF${text}`, 'utf16le').swap16();
}

function odd(
  name: string,
  text: string,
  cure: RegExp | null,
  more: Partial<OddFile> = {},
): OddFile {
  return { name, bytes: Buffer.from(text), cure, ...more };
}

const AMOUNT = /write amounts as 1250\.50.*--decimal ,/;
/** The cells of the invalid rows decide it; a batch whose key may not read the fields sees none. */
const AMOUNT_WITH_POINT = /write amounts as 1250\.50.*runs create --decimal \.\n/;
const DATE = /write dates as 2026-12-31.*--date d\/m\/y/;
/** A run whose rows all fail for their dates is told with the whole command. */
const NEW_RUN = /new run:\n +\.\/intaglio runs create --template letter .*--date d\/m\/y/;
const NEW_BUDDHIST = new RegExp(`${NEW_RUN.source} --calendar buddhist\\n`);
const FILES: readonly OddFile[] = [
  odd('semicolons', TEXT.replaceAll(',', ';'), null),
  odd('mark', `\uFEFF${TEXT}`, null),
  odd('thai-windows', '', null, { bytes: windows874(TEXT) }),
  odd('unicode-text', '', null, {
    bytes: Buffer.from(`\uFEFF${TEXT.replaceAll(',', '\t')}`, 'utf16le'),
  }),
  odd('utf-16be', '', null, { bytes: utf16be(TEXT) }),
  odd('decimal-commas', TEXT.replaceAll(',', ';').replace('1250.50', '1.250,50'), AMOUNT),
  odd('thousands', TEXT.replace('1250.50', '"1,250.50"'), AMOUNT_WITH_POINT, {
    batchCure: AMOUNT,
  }),
  odd('day-first', TEXT.replaceAll('2026-12-31', '31/12/2026'), NEW_RUN, {
    batchCure: DATE,
  }),
  odd('buddhist-years', TEXT.replaceAll('2026-12-31', '31/12/2569'), NEW_BUDDHIST, {
    batchCure: DATE,
  }),
  odd('quotes', TEXT.replace('สมชาย ใจดี', '"ร้าน ""ใจดี"", สาขา\n1"'), null),
  odd('empty-rows', `${TEXT.replace('\r\n002', '\r\n,,,\r\n\r\n002')},,,\r\n,,,\r\n`, null),
  odd('empty-columns', TEXT.replaceAll('\r\n', ',,\r\n'), null),
  odd('old-mac', TEXT.replaceAll('\r\n', '\r'), /carriage return alone.*CSV UTF-8/, {
    fault: 'carriage returns',
  }),
  odd('blanks-in-header', TEXT.replace('refNo,customer,total', ' refNo , customer,total '), null),
  odd(
    'double-column',
    TEXT.replace('due', 'total'),
    /column "total" stands twice.*rename or delete/,
  ),
  odd('shortened-ids', TEXT.replace('001,', '1.23457E+11,'), /format the column as text/, {
    batchCure: null,
  }),
];

const TEMPLATE = {
  fields: [
    { name: 'customer', type: 'text', required: true },
    { name: 'total', type: 'number', required: true },
    { name: 'due', type: 'date', required: true },
  ],
  document: { content: ['{{customer}} {{total}} {{due}}'] },
};

t.test('odd files of spreadsheets work, or name their one cure', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'intaglio-odd-'));
  t.teardown(() => rmSync(folder, { recursive: true }));
  const service = await startTestService(t, { runs: true, pool: REAL_POOL });
  await service.publish('bank', 'letter', TEMPLATE);
  const scopes = ['runs', 'generate', 'documents:read'] as const;
  const caller = ['--url', service.url, '--key', await service.key('bank', [...scopes])];
  for (const { name, bytes, cure, batchCure = cure, fault } of FILES) {
    const path = join(folder, `${name}.csv`);
    writeFileSync(path, bytes);
    const create = ['--template', 'letter', '--id-field', 'refNo', '--rows', '2'];
    const runId = (await command('runs', 'create', ...create, ...caller)).out.trim();
    const uploaded = await command('runs', 'upload', runId, path, ...caller);
    const started = await command('runs', 'start', runId, ...caller);
    // It waits for the start of a run that has none.
    const watched = started.code === 0 ? await command('runs', 'watch', runId, ...caller) : started;
    const told = uploaded.err + uploaded.out + watched.out;
    if (cure === null) t.match(watched.out, /^done: 2 rows, 2 stored/, `${name}: run ${told}`);
    else t.match(told, cure, `${name}: run`);

    const out = join(folder, name);
    mkdirSync(out);
    const batch = ['batch', path, '--template', 'letter', '--out', out, ...caller];
    const made = await command(...batch);
    if (batchCure === null) t.match(made.out, '2 made', `${name}: batch ${made.err}`);
    else t.match(made.err, batchCure, `${name}: batch`);

    const read = await readRowFile(new Blob([new Uint8Array(bytes)]), `${name}.csv`);
    if (fault !== undefined) t.equal(read, fault, `${name}: Studio`);
    else if (typeof read === 'string' || !('columns' in read))
      t.fail(`${name}: the Studio cannot read it`);
    else {
      t.strictSame(read.columns.slice(0, 3), ['refNo', 'customer', 'total'], `${name}: Studio`);
      // What the Studio sends is what the command sends.
      for await (const { rows, firstLine } of partsOf(read)) {
        const url = `${service.url}/v1/runs/${runId}/parts/1?firstLine=${firstLine}`;
        const headers = { 'content-type': 'text/csv', 'x-api-key': caller[3] ?? '' };
        const sent = await fetch(url, { method: 'PUT', headers, body: rows });
        t.equal(sent.status, name === 'double-column' ? 400 : 200, `${name}: the same part`);
      }
    }
  }
});
