import { inflateSync } from 'node:zlib';
import t from 'tap';
import { deflateRows, ROW_BYTES } from './deflate-rows.ts';

function rowsOf(count: number, byteAt: (row: number, column: number) => number): Uint8Array {
  const rows = new Uint8Array(count * ROW_BYTES);
  for (let at = 0; at < rows.length; at++) {
    rows[at] = byteAt(Math.floor(at / ROW_BYTES), at % ROW_BYTES);
  }
  return rows;
}

t.test('zlib reads the rows back', (t) => {
  const tables = {
    none: rowsOf(0, () => 0),
    one: rowsOf(1, (_, column) => column * 36),
    alike: rowsOf(500, (_, column) => (column === 0 ? 2 : 255 - column)),
    'of every byte': rowsOf(256, (row) => row),
    'without a pattern': rowsOf(1_000, (row, column) => (row * row * 31 + column * row * 7) & 255),
    'alike in pairs': rowsOf(999, (row, column) => ((row >> 1) * 5 + column) & 255),
    'of the largest bytes': rowsOf(1_000, () => 255),
  };
  for (const [about, rows] of Object.entries(tables)) {
    const read = inflateSync(deflateRows(rows));
    t.ok(Buffer.from(rows).equals(read), `rows ${about}`);
  }
  t.end();
});

t.test('rows that repeat take less than two bytes', (t) => {
  const rows = rowsOf(1_000, (_, column) => column);
  t.ok(deflateRows(rows).length < 1_700);
  t.end();
});
