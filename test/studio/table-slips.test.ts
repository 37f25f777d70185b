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
