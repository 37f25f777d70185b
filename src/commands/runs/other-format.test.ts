import t from 'tap';
import type { RunException, RunWithParts } from '#client';
import { otherFormatOf } from './other-format.ts';

const NUMBER = 'number expected';
const DATE = 'date expected as YYYY-MM-DD';

type Cells = Readonly<Record<'total' | 'issued', string>>;

/** The advice for a run in which these cells make every row fail. */
function said(
  rows: readonly Partial<Cells>[],
  change: Partial<RunWithParts> = {},
  extra: readonly RunException[] = [],
): string | null {
  const exceptions = rows.map((data, index) => ({
    fields: Object.keys(data).map((field) => ({
      field,
      reason: field === 'total' ? NUMBER : DATE,
    })),
    data,
    part: 1,
    line: index + 2,
    rowId: `R-${index + 1}`,
  }));
  const run = {
    runId: 'r',
    templateId: 'loan',
    version: 3,
    idField: 'ref',
    name: "May's loans",
    expected: { rows: 2, sums: { total: '9.50' } },
    onInvalid: 'stop',
    invalidShareMax: 0.05,
    retentionSeconds: 86_400,
    documentsPerPrint: null,
    source: null,
    csv: null,
    parts: [{ format: 'csv' }],
    counts: { received: rows.length, identical: 0, invalid: rows.length, stored: 0 },
    ...change,
  };
  // Only these members are read.
  const typed = run as unknown as RunWithParts;
  return otherFormatOf([...(exceptions as unknown as RunException[]), ...extra], typed);
}

const THAI = { total: '1.250,50', issued: '25/12/2569' };

t.test('a file of another format is told with the whole command', async (t) => {
  const command =
    "./intaglio runs create --template loan --version 3 --id-field ref --name 'May'\\''s loans' --rows 2" +
    ' --sum total=9.50 --retention-seconds 86400';
  t.match(said([THAI, THAI]), `\n    ${command} --decimal , --date d/m/y --calendar buddhist\n`);
  t.match(said([THAI]), /cancel this one: \.\/intaglio runs cancel r$/);
  const given = { csv: { delimiter: ';', decimal: '.' } as const };
  t.match(said([{ total: '10,00' }], given), ' --delimiter ; --decimal ,'.replace(';', "';'"));
});

t.test('where several formats fit, the likelier one is in the command', async (t) => {
  const text = said([{ total: '1,250', issued: '3/4/2569' }]) ?? '';
  t.match(text, ' --decimal . --date d/m/y --calendar buddhist\n');
  t.match(text, '(or with --decimal ,, or --date m/d/y --calendar buddhist');
  t.match(said([{ issued: '3/4/2026' }]), / --date d\/m\/y\n/, 'years of the Common Era');
});

t.test('nothing is said where rows are at fault, or a new run would do harm', async (t) => {
  t.equal(said([{ total: 'ten' }]), null);
  t.equal(said([{ issued: '2026-02-31' }]), null, 'one wrong day');
  const other = { fields: [{ field: 'name', reason: 'is required' }], data: {} };
  t.equal(said([THAI], {}, [other as unknown as RunException]), null, 'something else as well');
  const counts = { received: 9, identical: 0, invalid: 1, stored: 0 };
  t.equal(said([THAI], { counts } as unknown as Partial<RunWithParts>), null, 'one row of nine');
  const stored = { received: 1, identical: 0, invalid: 1, stored: 1 };
  t.equal(said([THAI], { counts: stored } as unknown as Partial<RunWithParts>), null);
  const parts = [{ format: 'ndjson' }] as unknown as RunWithParts['parts'];
  t.equal(said([THAI], { parts }), null, 'NDJSON has no format of cells');
});

/** Twenty rows, of which the first ones have these cells. */
function twenty(...first: readonly Cells[]): readonly Cells[] {
  const row = { total: '9,782.60', issued: '2/11/2569' };
  return [...first, ...Array.from({ length: 20 - first.length }, () => row)];
}

t.test('a few cells that no format reads do not hide the format of the others', async (t) => {
  const noDay = { total: '9,782.60', issued: '31/11/2569' };
  const text = said(twenty(noDay, { total: '1,2O5.00', issued: '2/11/2569' })) ?? '';
  t.match(text, / --decimal \. --date d\/m\/y --calendar buddhist\n/);
  t.notMatch(text, 'leave it as it is');
  t.ok(
    text.endsWith(
      'after that, 2 rows stay faulty: correct them in the file first, or in the new run:\n' +
        '    line 2 (R-1): issued: the calendar has no such day\n    line 3 (R-2): total: number expected',
    ),
    text,
  );
  t.match(said(twenty(noDay)), 'after that, 1 row stays faulty: correct it in the file');
  const counts = { received: 90, identical: 0, invalid: 90, stored: 0 };
  const some = said(twenty(noDay), { counts } as unknown as Partial<RunWithParts>);
  t.match(some, '1 row stays faulty of the first 20 invalid ones');
  const other = { fields: [{ field: 'name', reason: 'is required' }], data: {}, part: 2, line: 9 };
  const rest = [{ ...other, rowId: '' } as unknown as RunException];
  t.match(said(twenty(), {}, rest), /\n {4}line 9 of part 2: name: is required$/);
  const gone = twenty().map((row) => ({ ...row, total: 'ten' }));
  t.match(said(gone), 'after that, all 20 rows stay faulty: correct them in the file first:\n');
  t.equal(said(twenty().slice(0, 4), {}, rest), null, 'a fifth of the rows is no exception');
});

t.test('a cell that is read decides the format as it does for a batch', async (t) => {
  const plain = { total: '950.00', issued: '25/12/2569' };
  const exception = {
    fields: [{ field: 'issued', reason: DATE }],
    data: plain,
  } as unknown as RunException;
  const text = said([{ total: '1,250', issued: '25/12/2569' }], {}, [exception]);
  t.match(text, / --decimal \. /);
  t.notMatch(text, 'or with', '950.00 has no comma before its decimals');
});

t.test('a cancelled run is not to be cancelled', async (t) => {
  t.match(said([THAI], { state: 'cancelled' }), /\n {2}upload the file to that$/);
});
