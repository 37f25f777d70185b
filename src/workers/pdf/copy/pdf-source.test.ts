import t from 'tap';
import { CrossReferences } from '../objects/cross-references.ts';
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
