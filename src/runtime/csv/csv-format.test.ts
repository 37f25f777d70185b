import t from 'tap';
import { CALENDARS, type CsvFormat, DATES, DECIMALS, readCell, writeCell } from './csv-format.ts';

const CELLS: readonly (readonly [CsvFormat, 'number' | 'date' | 'text', string, string])[] = [
  [{ decimal: ',' }, 'number', '1.250,50', '1250.50'],
  [{ decimal: ',' }, 'number', '-1 250 000,5', '-1250000.5'],
  [{ decimal: ',' }, 'number', '1250', '1250'],
  [{ decimal: ',' }, 'number', '1.250', '1250'],
  // With a decimal comma, these are no amounts: a point may stand between groups of three only.
  [{ decimal: ',' }, 'number', '12.50', '?'],
  [{ decimal: ',' }, 'number', '1.25.000', '?'],
  [{ decimal: ',' }, 'number', '1.250 000', '?'],
  [{ decimal: ',' }, 'number', '1250,50 THB', '?'],
  [{ decimal: ',' }, 'number', '1'.repeat(65), '?'],
  [{ decimal: '.' }, 'number', '1,250.50', '1250.50'],
  [{ decimal: '.' }, 'number', '1,25', '?'],
  [{ decimal: ',' }, 'text', '1.250,50', '1.250,50'],
  [{ date: 'd/m/y' }, 'number', '1.250,50', '1.250,50'],
  [{ date: 'd/m/y' }, 'date', '31/12/2026', '2026-12-31'],
  [{ date: 'd/m/y' }, 'date', '1.2.2026', '2026-02-01'],
  [{ date: 'd/m/y' }, 'date', '2026-12-31', '2026-12-31'],
  [{ date: 'd/m/y' }, 'date', '31/12/26', '?'],
  [{ date: 'd/m/y' }, 'date', '31/12-2026', '?'],
  [{ date: 'm/d/y' }, 'date', '12/31/2026', '2026-12-31'],
  // Years of the Buddhist Era, where nobody said which calendar it is.
  [{ date: 'd/m/y' }, 'date', '31/12/2569', '?'],
  [{ date: 'd/m/y' }, 'date', '2569-12-31', '?'],
  [{ date: 'y/m/d' }, 'date', '2569/12/31', '?'],
  [{ date: 'd/m/y', calendar: 'gregory' }, 'date', '31/12/2569', '2569-12-31'],
  [{ date: 'd/m/y' }, 'date', '31/12/2342', '2342-12-31'],
  [{ date: 'd/m/y' }, 'date', '31/12/9999', '9999-12-31'],
  [{ date: 'y/m/d' }, 'date', '2026/1/9', '2026-01-09'],
  [{ date: 'd/m/y', calendar: 'buddhist' }, 'date', '31/12/2569', '2026-12-31'],
  [{ date: 'y/m/d', calendar: 'buddhist' }, 'date', '2569-12-31', '2026-12-31'],
  [{ date: 'd/m/y', calendar: 'buddhist' }, 'date', '31/12/0500', '?'],
  [{ date: 'd/m/y', calendar: 'buddhist' }, 'date', '2026-12-31', '2026-12-31'],
  // The year fits the other calendar, so the date is refused instead of guessed.
  [{ date: 'd/m/y', calendar: 'buddhist' }, 'date', '2569-12-31', '?'],
  [{ date: 'd/m/y', calendar: 'buddhist' }, 'date', '31/12/2026', '?'],
];

t.test('cells are read in their format, or become what a contract refuses', (t) => {
  for (const [format, type, cell, expected] of CELLS) {
    t.equal(readCell(cell, type, format), expected, `${JSON.stringify(format)} ${type} ${cell}`);
  }
  t.end();
});

t.test('a value is written as its format reads it', (t) => {
  const thai = { decimal: ',', date: 'd/m/y', calendar: 'buddhist' } as const;
  t.equal(writeCell('1250.50', 'number', thai), '1250,50');
  t.equal(writeCell('2026-12-31', 'date', thai), '31/12/2569');
  t.equal(writeCell('2026-12-31', 'date', { date: 'm/d/y' }), '12/31/2026');
  t.equal(writeCell('1250.50', 'text', thai), '1250.50');
  t.equal(writeCell('today', 'date', thai), 'today');
  for (const decimal of [undefined, ...DECIMALS]) {
    for (const date of [undefined, ...DATES]) {
      for (const calendar of [undefined, ...CALENDARS]) {
        const format = {
          ...(decimal === undefined ? {} : { decimal }),
          ...(date === undefined ? {} : { date }),
          ...(calendar === undefined ? {} : { calendar }),
        };
        const name = JSON.stringify(format);
        for (const [type, value] of [
          ['number', '-1250.50'],
          ['number', '3'],
          ['date', '2026-02-01'],
        ] as const) {
          const read = readCell(writeCell(value, type, format), type, format);
          t.equal(read, value, `${name} ${value}`);
        }
      }
    }
  }
  t.end();
});
