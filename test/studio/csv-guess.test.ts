import t from 'tap';
import type { CsvFormat } from '../../src/runtime/csv/csv-format.ts';
import {
  type FormatGuess,
  guessFormat,
  type Sample,
  shortYearIn,
  valueIn,
} from '../../studio/src/runs/file/csv-guess.ts';
import {
  formatAtFirst,
  readRowFile,
  type RowFile,
  separatedBy,
} from '../../studio/src/runs/file/rows.ts';

const FIELDS = [
  { name: 'total', type: 'number' },
  { name: 'issued', type: 'date' },
  { name: 'note', type: 'text' },
] as const;

type Rows = readonly (readonly [total: string, issued: string])[];

function sampleOf(rows: Rows): Sample {
  const cells = rows.map(([total, issued]) => ['R', total, issued, '1,5']);
  const columns = ['row', 'total', 'issued', 'note'];
  return { columns, rows: cells, fields: FIELDS, thisYear: 2026 };
}

function guess(rows: Rows, chosen: CsvFormat = {}): FormatGuess | null {
  return guessFormat(sampleOf(rows), chosen);
}

t.test('a file that is written as the contract wants it needs no other format', async (t) => {
  t.equal(guess([]), null);
  t.equal(
    guess([
      ['1250.50', '2026-12-31'],
      ['', ''],
      ['-3', '9999-12-31'],
    ]),
    null,
  );
  const slips: [string, string][] = [
    ['100.25', '2026-12-31'],
    ['100.25', '2026-12-31'],
    ['100,25', 'soon'],
  ];
  t.equal(guess(slips), null, 'a single slip is no format');
});

t.test('the format that reads the most cells is suggested', async (t) => {
  const thai: [string, string][] = [
    ['1,250.50', '1/2/2569'],
    ['95.00', '31/12/2569'],
  ];
  const thaiFormat = { decimal: '.', date: 'd/m/y', calendar: 'buddhist' } as const;
  t.strictSame(guess(thai), { format: thaiFormat, isUnsure: false });
  t.equal(guess(thai, thaiFormat), null, 'not once it is chosen');
  t.match(guess([['1.250,50', '12/31/2026']]), { format: { decimal: ',', date: 'm/d/y' } });
  t.match(guess([['12,5', '2026/12/31']]), { format: { decimal: ',', date: 'y/m/d' } });
  const era = guess([['1', '2569-12-31']], { delimiter: '|' });
  t.strictSame(era?.format, { delimiter: '|', date: 'y/m/d', calendar: 'buddhist' });
  const wrong = guess([['1', '31/12/2026']], { date: 'd/m/y', calendar: 'buddhist' });
  t.strictSame(wrong?.format, { date: 'd/m/y' }, 'the calendar goes with its order');
});

t.test('cells that fit two formats make the suggestion unsure', async (t) => {
  t.strictSame(guess([['1', '1/2/2026']]), { format: { date: 'd/m/y' }, isUnsure: true });
  t.strictSame(guess([['1,250', '2026-01-02']]), { format: { decimal: '.' }, isUnsure: true });
});

t.test('years with two digits imply an order and a calendar, and are refused', async (t) => {
  const short: [string, string][] = [
    ['12,500.00', '9/11/69'],
    ['95.00', '30/11/69'],
  ];
  const format = { decimal: '.', date: 'd/m/y', calendar: 'buddhist' } as const;
  t.strictSame(guess(short), { format, isUnsure: false });
  t.equal(guess(short, format), null, 'not once it is chosen');
  t.strictSame(shortYearIn(sampleOf(short), format), { cell: '9/11/69', full: '9/11/2569' });
  t.equal(valueIn('9/11/69', 'date', format), null, 'the service refuses them still');
  t.equal(valueIn('9/11/2569', 'date', format), '2026-11-09');
  const orderOf = (...dates: string[]) => guess(dates.map((one) => ['1', one]))?.format;
  t.strictSame(orderOf('9/11/26', '30/11/26'), { date: 'd/m/y' });
  t.strictSame(orderOf('11-30-26'), { date: 'm/d/y' });
  t.strictSame(orderOf('69.11.30'), { date: 'y/m/d', calendar: 'buddhist' });
  t.strictSame(orderOf('31/12/99'), { date: 'd/m/y' }, '1999 is nearer than 2599, which is 2056');
  t.equal(guess([['1', '9/11/69']])?.isUnsure, true, 'day or month');
  const common = { date: 'd/m/y' } as const;
  t.strictSame(guess([['1', '30/11/69']], common)?.format, { ...common, calendar: 'buddhist' });
  const mixed: [string, string][] = [
    ['1', '2026-11-09'],
    ['1', '2026-11-30'],
    ['1', '9/11/69'],
  ];
  t.equal(guess(mixed), null, 'a single slip is no format');
  t.equal(shortYearIn(sampleOf([['1', '31/13/69']]), format), null, 'no day');
  t.equal(shortYearIn(sampleOf([['1', '1/2/2569']]), format), null);
});

t.test('a cell is shown as the service reads it', async (t) => {
  t.equal(valueIn('1.250,50', 'number', { decimal: ',' }), '1250.50');
  t.equal(valueIn('1.250,50', 'number', {}), null);
  t.equal(valueIn('31/2/2026', 'date', { date: 'd/m/y' }), null, 'no such day');
  t.equal(valueIn('1/2/2569', 'date', { date: 'd/m/y', calendar: 'buddhist' }), '2026-02-01');
});

async function readFile(text: string): Promise<RowFile> {
  const read = await readRowFile(new Blob([text]), 'rows.csv');
  if (typeof read !== 'object' || !('file' in read)) throw new Error('not read');
  return read;
}

t.test('a separator that is named comes before those that are recognised', async (t) => {
  const bars = await readFile('row|total\nA|1\n');
  t.strictSame(bars.columns, ['row|total']);
  t.strictSame(formatAtFirst(bars), { delimiter: '|' });
  t.strictSame(separatedBy(bars, { delimiter: '|' }).columns, ['row', 'total']);
  const quoted = await readFile('"row"|"total"\nA|1\n');
  t.strictSame(formatAtFirst(quoted), { delimiter: '|' });
  const both = await readFile('a,b;c\n1,2;3\n');
  t.strictSame(both.columns, ['a', 'b;c']);
  t.strictSame(formatAtFirst(both), {});
  const named = separatedBy(both, { delimiter: ';' });
  t.match(named, { separator: ';', columns: ['a,b', 'c'] });
  t.strictSame(separatedBy(named, {}).columns, ['a', 'b;c']);
  t.strictSame(separatedBy(both, { delimiter: 'tab' }).columns, ['a', 'b;c'], 'it is not there');
});
