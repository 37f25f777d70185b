import t from 'tap';
import type { CsvFormat } from './csv-format.ts';
import { type CellField, readFieldCell } from './nested-cell.ts';

const LINES: CellField = {
  name: 'lines',
  type: 'list',
  fields: [
    { name: 'price', type: 'number' },
    { name: 'note', type: 'text' },
    { name: 'buyer', type: 'record', fields: [{ name: 'since', type: 'date' }] },
    { name: 'parts', type: 'list', fields: [{ name: 'price', type: 'number' }] },
  ],
};
const FORMAT: CsvFormat = { decimal: ',', date: 'd/m/y', calendar: 'buddhist' };

const CELLS: readonly (readonly [string, string])[] = [
  ['[{"price":"1.250"}]', '[{"price":"1250"}]'],
  ['[{"price":"1.250,50","note":"1.250,50"}]', '[{"price":"1250.50","note":"1.250,50"}]'],
  ['[{"price":"12.50"},{"price":"2,5"}]', '[{"price":"?"},{"price":"2.5"}]'],
  ['[{"buyer":{"since":"31/12/2568"}}]', '[{"buyer":{"since":"2025-12-31"}}]'],
  ['[{"buyer":{"since":"2568-12-31"}}]', '[{"buyer":{"since":"?"}}]'],
  ['[{"parts":[{"price":"1,5"},{}]}]', '[{"parts":[{"price":"1.5"},{}]}]'],
  // Numbers of JSON keep all of their digits.
  [
    '[{"price":"1,5"},{"price":12345678901234567890.10}]',
    '[{"price":"1.5"},{"price":12345678901234567890.10}]',
  ],
  // A cell without a text to convert stays byte for byte, with its blanks and repeated names.
  ['[ {"price": 12.50, "price": 3} ]', '[ {"price": 12.50, "price": 3} ]'],
  ['[[{"price":"1,5"}]]', '[[{"price":"1,5"}]]'],
  ['[{"price":1,5}]', '[{"price":1,5}]'],
  ['', ''],
  ['null', 'null'],
];

t.test('texts inside of JSON are read in the format of the file', async (t) => {
  for (const [cell, wanted] of CELLS) t.equal(readFieldCell(cell, LINES, FORMAT), wanted, cell);
  const record: CellField = { name: 'line', type: 'record', fields: LINES.fields ?? [] };
  t.equal(readFieldCell('{"price":"1.250"}', record, FORMAT), '{"price":"1250"}');
  t.equal(readFieldCell('1.250', { name: 'price', type: 'number' }, FORMAT), '1250');
  t.equal(readFieldCell('1.250', { name: 'note', type: 'text' }, FORMAT), '1.250');
});
