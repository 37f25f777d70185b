import t from 'tap';
import type { Run, RunException } from '#client';
import { advicesOf } from './show.ts';

/** Advice for invalid cells of a run of `received` rows. */
function advised(
  field: string,
  reason: string,
  cells: readonly string[],
  csv: Run['csv'],
  received = cells.length,
): readonly string[] {
  const rows = cells.map((cell, index) => ({
    fields: [{ field, reason }],
    data: { [field]: cell },
    part: 1,
    line: index + 2,
    rowId: '',
  }));
  const counts = { received, identical: 0, invalid: cells.length };
  // Only these members are read.
  const run = { csv, counts } as unknown as Parameters<typeof advicesOf>[1];
  return [...advicesOf(rows as unknown as RunException[], run)];
}

t.test('a run whose CSV was created with wrong options says which are right', async (t) => {
  t.strictSame(advised('total', 'number expected', ['10,00', '11,50', '7,00'], { decimal: '.' }), [
    'total: all 3 cells of these rows would be right with --decimal ,: make a new run; cells of valid' +
      ' rows may have been read with another value, too',
  ]);
  const DATE = 'date expected as YYYY-MM-DD';
  t.strictSame(advised('issued', DATE, ['25/12/2026', '31/1/2026'], { date: 'm/d/y' }, 3), [
    'issued: both cells of these rows would be right with --date d/m/y: make a new run; cells of' +
      ' valid rows may have been read with another value, too',
  ]);
  const buddhist = { date: 'd/m/y', calendar: 'buddhist' } as const;
  t.strictSame(advised('issued', DATE, ['25/12/2026'], buddhist), [
    'issued: the cell of these rows would be right without --calendar buddhist: make a new run',
  ]);
});

t.test('a few odd cells keep the advice to write them as the others', async (t) => {
  const advices = advised('total', 'number expected', ['10,00'], { decimal: '.' }, 40);
  t.match(advices[0], /^write amounts as 1250\.50 or 1,250\.50/);
  t.match(
    advices[1],
    /would be right with --decimal ,; if the whole file is written so, make a new/,
  );
  t.match(advised('total', 'number expected', ['10,00'], {}, 1), [/^write amounts as 1250\.50: /]);
});

t.test(
  'the advice has the option that the cells decide, and the lines of wrong days',
  async (t) => {
    const amounts = ['9,782.60', '1,2O5.00', '1,250.00'];
    t.match(advised('total', 'number expected', amounts, {}, 40), [/ runs create --decimal \.$/]);
    t.match(advised('total', 'number expected', ['1,250'], {}, 40), [
      / --decimal , \(or --decimal \.\)$/,
    ]);
    const days = ['25/12/2569', '31/11/2569', '26/12/2569', '31/4/2569', '2/11/2569'];
    t.strictSame(advised('issued', 'date expected as YYYY-MM-DD', days, {}, 40), [
      'the calendar has no such day: correct the cell in its row: line 3, line 5',
      'write dates as 2026-12-31: year of the Common Era, month, day; or leave a CSV as it is, and make a' +
        ' new run, with runs create --date d/m/y --calendar buddhist',
    ]);
  },
);
