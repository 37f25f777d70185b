import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { getDocument, OPS } from 'pdfjs-dist/legacy/build/pdf.mjs';
import t from 'tap';
import { drawnText, pageText, respaced } from '../../studio/src/compare/page-text.ts';
import { findMoves, movedAt, pageRows, type TextRow } from '../../studio/src/compare/rows.ts';
import { withFileNames } from '../../studio/src/compare/file-names.ts';
import { render, shareTemplate } from '../../lab/render.ts';
import { HOME } from '../../lab/home.ts';

const RECEIPT = JSON.parse(readFileSync(join(HOME, 'templates/receipt-en.json'), 'utf8')) as {
  readonly document: object;
  readonly samples: readonly { readonly data: object }[];
};

/** The first page of the receipt with this content, as the painter of the Studio reads it. */
async function read(
  content: readonly object[],
): Promise<{ readonly text: string; readonly rows: readonly TextRow[] }> {
  const { document: whole, samples } = RECEIPT;
  const source = JSON.stringify({ ...RECEIPT, document: { ...whole, content } });
  const { pdf } = await render(shareTemplate(source), samples[0]?.data ?? {});
  const task = getDocument({ data: new Uint8Array(pdf), verbosity: 0 });
  const page = await (await task.promise).getPage(1);
  const { items } = await page.getTextContent();
  const pieces = items.filter((item) => 'str' in item);
  const text = respaced(pageText(pieces), drawnText(await page.getOperatorList(), OPS.showText));
  const { height } = page.getViewport({ scale: 1 });
  await task.destroy();
  return { text, rows: pageRows(pieces, (x, y) => [x, height - y]) };
}

t.test('letter-spaced text is read with the spaces between its words', async (t) => {
  for (const characterSpacing of [0, 1.5, 3, 6]) {
    const { text } = await read([
      { text: 'Bank of Siam 12,345.60', characterSpacing },
      { text: 'ใบเสร็จ ค่ะ', characterSpacing },
    ]);
    const words = text.replaceAll('\n', ' ');
    t.match(words, /Bank of Siam 12,345\.60/, `${characterSpacing} pt`);
    t.match(words, /ใบเสร็จ ค่ะ/, `${characterSpacing} pt`);
  }
});

const LINES = ['First line', 'Second line', 'Third line', 'Fourth line'];

function amounts(...values: readonly string[]): object {
  return {
    table: { widths: [200, 80], body: values.map((value, index) => [`Item ${index}`, value]) },
  };
}

t.test('rows below an inserted line moved, those above it did not', async (t) => {
  const before = await read(LINES.map((text) => ({ text })));
  const added = ['First line', 'Inserted line', ...LINES.slice(1)];
  const after = await read(added.map((text) => ({ text })));
  const { distances, count, ...bands } = findMoves(before.rows, after.rows);
  t.equal(count, 3);
  t.equal(distances.length, 1);
  const down = (distances[0] ?? 0).toFixed(1);
  const movesOf = (rows: readonly TextRow[], which: 'before' | 'after'): unknown[] => {
    const moved = rows.map(({ baseline }) => movedAt(bands[which], baseline));
    return moved.map((by) => (by === null ? null : by.toFixed(1)));
  };
  const tail = LINES.length + 1;
  t.same(movesOf(after.rows, 'after').slice(0, tail), [null, null, down, down, down]);
  t.same(movesOf(before.rows, 'before').slice(0, tail - 1), [null, down, down, down]);
});

t.test('an amount that changed its row is no row that moved', async (t) => {
  const before = await read([amounts('100.00', '200.00', '300.00')]);
  const after = await read([{ text: 'Above' }, amounts('200.00', '100.00', '300.00')]);
  t.equal(findMoves(before.rows, after.rows).count, 1, 'only the third one moved');
});

function named(value: string): string {
  return withFileNames(value, ({ type, sizeBytes, pixels }) => `<${type} ${pixels}${sizeBytes}>`);
}

t.test('a picture in a quoted value is named with its size', async (t) => {
  const quoted = '{"image":"data:image/png;base64,[300x20 px, 2048 bytes, sha256 0123456789ab]"}';
  t.equal(named(quoted), '{"image":<image/png 300 × 20 px, 2048>}');
  t.equal(named('"data:application/pdf;base64,[10 bytes, sha256 ab12]"'), '<application/pdf 10>');
  t.equal(named('"data: 1"'), '"data: 1"');
});
