import t from 'tap';
import type { RunException, RunWithParts } from '#client';
import { otherFormatOf } from './other-format.ts';

const NUMBER = 'number expected';
const DATE = 'date expected as YYYY-MM-DD';

type Cells = Readonly<Record<'total' | 'issued', string>>;

/** What is said of a run whose rows all fail for these cells. */
function said(
  rows: readonly Partial<Cells>[],
  change: Partial<RunWithParts> = {},
  extra: readonly RunException[] = [],
): string | null {
  const exceptions = rows.map((data) => ({
    fields: Object.keys(data).map((field) => ({
      field,
      reason: field === 'total' ? NUMBER : DATE,
    })),
    data,
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
