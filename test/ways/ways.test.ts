import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import {
  csvDataOf,
  DIFFERENT_IN_CSV,
  isBeyondCsv,
  jsonOf,
  RECORDS,
  type WayRecord,
} from './records.ts';
import {
  byBatch,
  byJobs,
  byRequest,
  byRun,
  type CsvStyle,
  csvOf,
  type Outcomes,
  startScene,
} from './ways.ts';

/**
 * The table of ways: the same record prints the same document, or is refused for the same reason, by
 * every way in.
 */
const QUOTED: CsvStyle = {
  columns: ['ref', 'n', 't', 'd', 'rows'],
  lineEnd: '\r\n',
  isQuoted: true,
};
const PLAIN: CsvStyle = {
  columns: ['t', 'n', 'd', 'rows', 'ref'],
  lineEnd: '\n',
  isQuoted: false,
};
const CSV_RECORDS = RECORDS.filter((record) => !isBeyondCsv(record));

function differences(
  records: readonly WayRecord[],
  expected: Outcomes,
  found: Outcomes,
): readonly string[] {
  return records
    .filter(({ ref }) => expected.get(ref) !== found.get(ref))
    .map(({ ref, json }) => {
      const cut = json.slice(0, 60);
      return `${ref} ${cut}: ${String(expected.get(ref))} | ${String(found.get(ref))}`;
    });
}

t.test('a record means the same by every way in', async (t) => {
  const scene = await startScene(t);
  const { folder } = scene;
  const ndjson = RECORDS.map((record) => `${jsonOf(record)}\n`).join('');
  writeFileSync(join(folder, 'in.ndjson'), ndjson);
  writeFileSync(join(folder, 'in.csv'), csvOf(CSV_RECORDS, PLAIN));
  writeFileSync(join(folder, 'spool/in.ndjson'), ndjson);
  writeFileSync(join(folder, 'spool/in.csv'), csvOf(CSV_RECORDS, PLAIN));
  t.ok(RECORDS.length >= 200, `${RECORDS.length} records`);

  const json = await byRequest(scene, RECORDS, 'sync', jsonOf);
  t.equal(json.size, RECORDS.length);
  const run = await byRun(scene, { type: 'application/x-ndjson', rows: ndjson });
  const file = (record: WayRecord): string => {
    const path = join(folder, `${record.ref}.json`);
    writeFileSync(path, jsonOf(record));
    return JSON.stringify(path);
  };
  const ways: Readonly<Record<string, Outcomes>> = {
    async: await byRequest(scene, RECORDS, 'async', jsonOf),
    'batch, NDJSON': await byBatch(scene, RECORDS, 'in.ndjson'),
    'run, NDJSON': run.outcomes,
    'run, file of NDJSON': (await byRun(scene, { source: join(folder, 'spool/in.ndjson') }))
      .outcomes,
    'render --jobs': await byJobs(scene, RECORDS, jsonOf),
    'render --jobs, data in files': await byJobs(scene, RECORDS, file),
  };
  for (const [way, found] of Object.entries(ways)) {
    t.strictSame(differences(RECORDS, json, found), [], way);
  }

  const texts = await byRequest(scene, CSV_RECORDS, 'sync', csvDataOf);
  const csvWays: Readonly<Record<string, Outcomes>> = {
    'batch, CSV': await byBatch(scene, CSV_RECORDS, 'in.csv'),
    'run, CSV': (await byRun(scene, { type: 'text/csv', rows: csvOf(CSV_RECORDS, QUOTED) }))
      .outcomes,
    'run, file of CSV': (await byRun(scene, { source: join(folder, 'spool/in.csv') })).outcomes,
  };
  for (const [way, found] of Object.entries(csvWays)) {
    t.strictSame(differences(CSV_RECORDS, texts, found), [], way);
  }
  const different = CSV_RECORDS.filter(({ ref }) => json.get(ref) !== texts.get(ref));
  t.strictSame(
    different.map(({ field, json: value }) => `${field} ${value}`),
    DIFFERENT_IN_CSV.flatMap(({ field, values }) => values.map((value) => `${field} ${value}`)),
    'no other value means something else in CSV, and each of these does',
  );

  writeFileSync(join(folder, 'print.pdf'), run.print);
  const print = execFileSync('pdftotext', ['-layout', join(folder, 'print.pdf'), '-']).toString();
  t.match(print, 'n[12345678901234567890.12]');
});
