import t from 'tap';
import type { CsvFormat } from './csv-format.ts';
import { FormatTally, type OtherFormat } from './other-format.ts';

function better(cells: readonly string[], type: string, format: CsvFormat): OtherFormat | null {
  const tally = new FormatTally(type, format);
  for (const [index, cell] of cells.entries()) tally.add(cell, index + 1);
  return tally.better();
}

t.test('the option is named that most of the failing cells fit', async (t) => {
  const amounts = ['10,00', '1.250,00', '7', '1.250', ''];
  t.strictSame(better(amounts, 'number', { decimal: '.' }), {
    options: '--decimal ,',
    right: 2,
    failing: 2,
    changed: 1,
    firstChanged: 4,
  });
  t.match(better(['10.50', '1,250.00'], 'number', { decimal: ',' }), { options: '--decimal .' });
  const days = ['25/12/2026', '3/4/2026', '31/1/2026', '4/4/2026', 'soon'];
  t.strictSame(better(days, 'date', { date: 'm/d/y' }), {
    options: '--date d/m/y',
    right: 2,
    failing: 3,
    changed: 1,
    firstChanged: 2,
  });
  const common = ['25/12/2026', '3/4/2026'];
  t.strictSame(better(common, 'date', { date: 'd/m/y', calendar: 'buddhist' }), {
    options: 'without --calendar buddhist',
    right: 2,
    failing: 2,
    changed: 0,
    firstChanged: 0,
  });
  const buddhist = ['2569-12-25', '2569-04-30'];
  t.match(better(buddhist, 'date', { date: 'y/m/d' }), { options: '--calendar buddhist' });
  t.match(better(['25/12/2569'], 'date', { date: 'm/d/y' }), {
    options: '--date d/m/y --calendar buddhist',
  });
  t.match(better(['25/12/2026'], 'date', { date: 'm/d/y', calendar: 'buddhist' }), {
    options: '--date d/m/y and without --calendar buddhist',
  });
});

t.test('no option is named that would make more cells fail, or that does not help', async (t) => {
  t.equal(better(['10.00', '11.50', '10,00'], 'number', { decimal: '.' }), null);
  t.equal(better(['3/4/2026', '4/3/2026'], 'date', { date: 'm/d/y' }), null, 'nothing fails');
  t.equal(better(['31/2/2026', '30/2/2026'], 'date', { date: 'd/m/y' }), null, 'no such days');
  t.equal(better(['31/12/2026', 'x', 'y'], 'date', { date: 'm/d/y' }), null, 'not most of them');
  t.equal(better(['10,00'], 'number', {}), null, 'no option was given');
  t.equal(better(['10,00'], 'text', { decimal: '.' }), null);
});

function fitting(cells: readonly string[], type: string): readonly CsvFormat[] {
  const tally = new FormatTally(type, {}, { mayGuess: true });
  for (const [index, cell] of cells.entries()) tally.add(cell, index + 1);
  return tally.fitting().map(({ format }) => format);
}

t.test('without an option, only cells that one format reads decide it', async (t) => {
  t.strictSame(fitting(['180,840.63', '1,250', '7.50'], 'number'), [{ decimal: '.' }]);
  t.strictSame(fitting(['10,5', '1.250,00', 'none'], 'number'), [{ decimal: ',' }]);
  t.strictSame(fitting(['1,250', '7'], 'number'), [{ decimal: '.' }, { decimal: ',' }]);
  t.strictSame(fitting(['1,250.50', '1.250,50', '1,300.00'], 'number'), [], 'they contradict');
  t.strictSame(fitting(['1250.50', '1.250'], 'number'), [], 'nothing fails');
  t.strictSame(fitting(['10,5', '7.55'], 'number'), [], 'it would make cells fail');
  const nine = Array.from({ length: 9 }, () => '9,782.60');
  t.strictSame(
    fitting([...nine, '1,2O5.00', '9.782,60'], 'number'),
    [{ decimal: '.' }],
    'one of ten',
  );
  const thai = [{ date: 'd/m/y', calendar: 'buddhist' }];
  t.strictSame(fitting(['31/12/2569', '3/4/2569', '2026-12-31'], 'date'), thai);
  t.strictSame(fitting(['12/31/2026', '3/4/2026'], 'date'), [{ date: 'm/d/y' }]);
  t.strictSame(fitting(['3/4/2026'], 'date'), [{ date: 'd/m/y' }, { date: 'm/d/y' }]);
});
