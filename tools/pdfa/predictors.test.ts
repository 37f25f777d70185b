import t from 'tap';
import { render, shareTemplate } from '../../lab/render.ts';
import { Lexer } from './cos.ts';
import { putTogether, replaceIn, takeApart } from './mutations/edit.ts';
import { PdfDocument, unfilterRows } from './file.ts';
import { findViolations } from './rules.ts';
import { SAMPLE_DATA, sampleTemplate } from './mutations/sample.ts';

/** The checker's reader undoes every filter of PNG and ends on files that lead it in a circle. */

/** Filters a row as RFC 2083 says; written row by row, the other way round than the reader. */
function filtered(filter: number, row: readonly number[], before: readonly number[]): number[] {
  const out = row.map((value, index) => {
    const [a, b, c] = [row[index - 1] ?? 0, before[index] ?? 0, before[index - 1] ?? 0];
    const paeth = [a, b, c].toSorted(
      (one, other) => Math.abs(a + b - c - one) - Math.abs(a + b - c - other),
    )[0];
    const expected = [0, a, b, Math.floor((a + b) / 2), paeth ?? 0][filter] ?? 0;
    return (value - expected + 256) % 256;
  });
  return [filter, ...out];
}

const ROWS = [
  [1, 0, 17, 200, 255],
  [1, 0, 99, 3, 254],
  [2, 7, 100, 250, 0],
];

t.test('rows of every filter are read', async (t) => {
  for (const filter of [0, 1, 2, 3, 4]) {
    const bytes = ROWS.flatMap((row, index) => filtered(filter, row, ROWS[index - 1] ?? []));
    t.strictSame([...unfilterRows(Buffer.from(bytes), 5)], ROWS.flat(), `filter ${filter}`);
  }
  t.throws(() => unfilterRows(Buffer.from([5, 0]), 1), /no filter 5/);
  t.throws(() => unfilterRows(Buffer.from([0, 0]), 0), /without columns/);
});

t.test('a hexadecimal string without end is named', async (t) => {
  const lexer = new Lexer(Buffer.from('1 <0a0b'), 0, false, () => undefined);
  t.equal(lexer.next(), 1);
  t.throws(() => lexer.next(), /string at 2 has no end/);
});

t.test('cross-reference sections in a circle are named', async (t) => {
  const head = '%PDF-1.7\n';
  const xref = `xref\n0 1\n0000000000 65535 f \ntrailer\n<</Size 1/Prev ${head.length}>>\n`;
  const file = Buffer.from(`${head}${xref}startxref\n${head.length}\n%%EOF`);
  t.throws(() => new PdfDocument(file), /comes before itself/);
});

t.test('an inline image with another filter ends at EI', async (t) => {
  const source = sampleTemplate({ archive: 'PDF/A-2u' });
  const { pdf } = await render(shareTemplate(source), SAMPLE_DATA);
  const withImage = (image: string): Buffer => {
    const editable = takeApart(pdf);
    replaceIn(editable, /(stream\n)q\n/, `$1q\nBI /W 1/H 1/BPC 8/CS/G/F/RL ID ${image}\n`);
    return putTogether(editable);
  };
  const rules = findViolations(withImage('\x00a\x80 EI'), '2u').map(({ rule }) => rule);
  t.strictSame(
    rules.filter((rule) => rule.startsWith('6.2.2')),
    [],
  );
});
