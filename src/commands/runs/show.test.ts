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
  const rows = cells.map((cell) => ({ fields: [{ field, reason }], data: { [field]: cell } }));
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
