import fc from 'fast-check';
import t from 'tap';
import type { RowFormat } from '../store/runs/types.ts';
import { PartCutter, RowTooLong } from './part-cutter.ts';

/** The parts of a text that comes in pieces of these lengths, repeated as needed. */
function partsOf(
  text: string,
  format: RowFormat,
  bytesMax: number,
  lengths: readonly number[],
): readonly string[] {
  const bytes = Buffer.from(text);
  const cutter = new PartCutter(format, bytesMax);
  const parts: string[] = [];
  for (let at = 0, turn = 0; at < bytes.length; turn += 1) {
    const length = lengths[turn % lengths.length] ?? 1;
    for (const { rows: part } of cutter.add(bytes.subarray(at, at + length))) {
      parts.push(Buffer.from(part).toString());
    }
    at += length;
  }
  for (const { rows: part } of cutter.end()) parts.push(Buffer.from(part).toString());
  return parts;
}

const lengths = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 5 });
const cell = fc.stringMatching(/^[a-zก-ฮ]{1,6}$/u);
const quoted = fc.stringMatching(/^[a-z\n,]{0,6}$/).map((text) => `"${text}""q"`);

t.test('parts have whole lines and do not depend on the pieces of the stream', async (t) => {
  fc.assert(
    fc.property(fc.array(cell, { minLength: 1, maxLength: 40 }), lengths, (rows, pieces) => {
      const text = rows.map((row) => `{"a":"${row}"}\n`).join('');
      const parts = partsOf(text, 'ndjson', 64, pieces);
      const isWhole = parts.every((part) => part.endsWith('}\n') && Buffer.byteLength(part) <= 64);
      return (
        isWhole &&
        parts.join('') === text &&
        JSON.stringify(parts) === JSON.stringify(partsOf(text, 'ndjson', 64, [text.length * 3]))
      );
    }),
  );
  t.strictSame(partsOf('{}\n\n\n{"a":1}', 'ndjson', 10, [3]), ['{}\n\n\n', '{"a":1}']);
  t.strictSame(partsOf('{}\n'.padEnd(30, '\n'), 'ndjson', 8, [5]), ['{}\n\n\n\n\n\n']);
});

t.test('CSV records keep their quoted line feeds, and each part has the header', async (t) => {
  fc.assert(
    fc.property(
      fc.array(fc.tuple(cell, quoted), { minLength: 1, maxLength: 30 }),
      lengths,
      (rows, pieces) => {
        const header = 'id,"text\n"\n';
        const records = rows.map(([id, text]) => `${id},${text}\n`);
        const parts = partsOf(header + records.join(''), 'csv', 80, pieces);
        const bodies = parts.map((part) => part.slice(header.length));
        return (
          parts.every((part) => part.startsWith(header)) &&
          bodies.join('') === records.join('') &&
          bodies.every((body) => body.endsWith('"\n'))
        );
      },
    ),
  );
  t.throws(() => partsOf(`a\n"${'x\n'.repeat(50)}`, 'csv', 40, [7]), RowTooLong);
  t.throws(() => partsOf('x'.repeat(50), 'ndjson', 40, [7]), RowTooLong);
});
