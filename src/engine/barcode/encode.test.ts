import t from 'tap';
import { encodeBarcode, loadBarcodes } from './encode.ts';

/** Codes of two dimensions as rectangles. */

await loadBarcodes();

t.test('the rows of PDF417 are three modules high and fill the code', (t) => {
  const encoded = encodeBarcode('pdf417', 'RC-0005 Somchai Jaidee');
  if (encoded.kind !== 'symbol') throw new Error(encoded.fault);
  const { rows, rectangles } = encoded.symbol;
  let end = 0;
  for (let at = 0; at < rectangles.length; at += 4) {
    const [, y = 0, , height = 0] = rectangles.slice(at, at + 4);
    t.equal(y % 3, 0);
    t.equal(height % 3, 0);
    end = Math.max(end, y + height);
  }
  t.equal(end, rows);
  t.end();
});

t.test('those of DataMatrix are squares', (t) => {
  const encoded = encodeBarcode('datamatrix', 'RC-0005');
  if (encoded.kind !== 'symbol') throw new Error(encoded.fault);
  const { rows, columns, rectangles } = encoded.symbol;
  t.equal(rows, columns);
  const heights = rectangles.filter((_, at) => at % 4 === 3);
  t.ok(heights.includes(1), 'a module by itself');
  t.end();
});
