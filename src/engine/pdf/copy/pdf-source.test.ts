import t from 'tap';
import { CrossReferences, readOffsets } from '../objects/cross-references.ts';
import { PdfSource } from './pdf-source.ts';

/** A file whose objects are their numbers, with a cross-reference stream. */
function fileOf(count: number): Buffer {
  const table = new CrossReferences(count + 2);
  let text = '%PDF-1.7\n';
  for (let number = 1; number <= count; number++) {
    table.plain(number, text.length);
    text += `${number} 0 obj\n(${number})\nendobj\n`;
  }
  const start = text.length;
  table.plain(count + 1, start);
  const { entries, data } = table.finish();
  const dictionary = `<</Type/XRef/Size ${count + 2}${entries}/Root 1 0 R/Length ${data.length}>>`;
  return Buffer.concat([
    Buffer.from(`${text}${count + 1} 0 obj\n${dictionary}stream\n`),
    data,
    Buffer.from(`\nendstream\nendobj\nstartxref\n${start}\n%%EOF\n`),
  ]);
}

t.test('objects are found by short and by deflated cross-reference streams', async (t) => {
  for (const count of [5, 1_000]) {
    const file = fileOf(count);
    t.equal(file.includes('/FlateDecode'), count > 300);
    const source = new PdfSource(file);
    t.equal(source.root, 1);
    const numbers = Array.from({ length: count }, (_, index) => index + 1);
    t.ok(
      numbers.every((number) => source.text(number) === `(${number})`),
      `${count}`,
    );
  }
});

t.test('offsets beyond 16 MB have four bytes in a cross-reference stream', async (t) => {
  for (const [count, last, widths] of [
    [5, 0xffffff, '[1 3 2]'],
    [5, 0x1000000, '[1 4 2]'],
    [1_000, 0xffffff, '[1 3 2]'],
    [1_000, 0x1234567, '[1 4 2]'],
  ] as const) {
    const offsets = Array.from({ length: count }, (_, index) => (index === 0 ? 0 : index * 20));
    offsets[count - 1] = last;
    const table = new CrossReferences(count);
    for (let number = 1; number < count; number++) table.plain(number, offsets[number] ?? 0);
    const { entries, data } = table.finish();
    t.ok(entries.startsWith(`/W${widths}`), entries);
    t.same(readOffsets(`<<${entries}>>`, data), offsets);
  }
});
