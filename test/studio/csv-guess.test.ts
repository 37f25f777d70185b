import t from 'tap';
import type { CsvFormat } from '../../src/runtime/csv/csv-format.ts';
import { type FormatGuess, guessFormat, valueIn } from '../../studio/src/runs/file/csv-guess.ts';
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

function guess(
  rows: readonly (readonly [total: string, issued: string])[],
  chosen: CsvFormat = {},
): FormatGuess | null {
  const cells = rows.map(([total, issued]) => ['R', total, issued, '1,5']);
  return guessFormat(['row', 'total', 'issued', 'note'], cells, FIELDS, chosen);
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
