import t from 'tap';
import { findSlip } from '../../studio/src/form/table-slips.ts';

t.test('a cell that does not fit the others of its column is found as it is typed', async (t) => {
  const rows = [
    ['2026-10-01', '08:15', 'Salary 2026', '', '1,250.50'],
    ['2026-10-02', '09:40', 'ATM', '500.00', '-'],
    ['2026-10-31', '10:00', 'Transfer', '20', ''],
  ];
  const withCell = (row: number, column: number, cell: string): readonly (readonly string[])[] =>
    rows.map((cells, index) => (index === row ? cells.with(column, cell) : cells));
  t.equal(findSlip(rows), null);
  t.equal(findSlip([]), null);
  t.strictSame(findSlip(withCell(2, 0, '2026-10-32')), { row: 2, column: 0, kind: 'date' });
  t.strictSame(findSlip(withCell(0, 0, '1/10/2569')), { row: 0, column: 0, kind: 'date' });
  t.strictSame(findSlip(withCell(0, 3, '12,5')), { row: 0, column: 3, kind: 'amount' });
  t.equal(findSlip(withCell(0, 3, 'none')), null, 'a cell without a digit');
  t.equal(findSlip([['1'], ['2'], ['3 boxes']]), null, 'whole numbers count anything');
  t.equal(findSlip([['1.00'], ['2 boxes']]), null, 'one other cell is too few');
});

/** The slip of a column of two cells. */
function beside(cell: string, other = '250.50') {
  return findSlip([[cell], [other]]);
}

t.test('beside a single amount, letters typed for digits are found', async (t) => {
  for (const cell of ['1,000.oo', '1,OO0.00', '25O.50', '1l0.00', '-I2.50', '3.oO'])
    t.strictSame(beside(cell), { row: 0, column: 0, kind: 'amount' }, cell);
  t.strictSame(findSlip([['250.50'], ['1,000.oo']]), { row: 1, column: 0, kind: 'amount' });
  // Units, articles, versions, and other things that stand beside a number.
  const texts = [
    '1.5l',
    '1.50l',
    '2 boxes',
    '100.00 บาท',
    '1.2.3',
    '12,5',
    'RC-10.0',
    'o2',
    '1.o',
    '5%',
  ];
  for (const cell of texts) t.equal(beside(cell), null, cell);
  t.equal(beside('1o', '2'), null, 'whole numbers count anything');
  t.equal(beside('1o.50', '2'), null);
  t.equal(beside('1,000.oo', 'none'), null, 'no amount beside it');
  t.equal(findSlip([['1,000.oo']]), null);
});
