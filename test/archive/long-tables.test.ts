import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { faultsOf, pageTexts, render, shareTemplate } from '../../lab/render.ts';
import { readModel } from '../../tools/pdfa/model.ts';
import { readAloud } from '../../tools/pdfa/reading.ts';
import { violationsOf } from '../../tools/pdfa/rules.ts';
import { sampleTemplate } from '../../tools/pdfa/mutations/sample.ts';

/** Tables whose rows the writer tags together, because each cell is at most one line of text. */

const FIELDS = [{ name: 'rows', type: 'table', required: true }];
const CELLS = ['{{0}}', { text: '{{1}}', bold: true }, '{{2}}', { text: '{{3}}', fontSize: 8 }];

/** Cells are empty without a pattern; every fiftieth row is broken into lines. */
function rowsOf(count: number): string[][] {
  return Array.from({ length: count }, (_, row) => [
    `N${row}`,
    row % 3 === 0 ? '' : `ฝาก ${row}`,
    row % 50 === 49 ? 'many words '.repeat(20).trim() : `c${row}`,
    row % 7 === 0 ? '' : `d${row}`,
  ]);
}

function template(table: object, compress = true, more: object = {}): string {
  return sampleTemplate(
    { archive: 'PDF/A-2a', fields: FIELDS },
    {
      compress,
      watermark: undefined,
      content: [
        'Before',
        {
          table: {
            widths: [50, 100, '*', 60],
            body: [['No', 'What', 'Text', 'More'], { each: 'rows', cells: CELLS }],
            ...table,
          },
        },
        'After',
      ],
      ...more,
    },
  );
}

function spoken(rows: readonly (readonly string[])[], hasRowHeaders: boolean): string[][] {
  const cell = (text: string, column: number): string[][] =>
    text === '' ? [] : [[hasRowHeaders && column === 0 ? 'TH' : 'TD', text]];
  return [
    ['P', 'Before'],
    ...['No', 'What', 'Text', 'More'].map((text) => ['TH', text]),
    ...rows.flatMap((row) => row.flatMap(cell)),
    ['P', 'After'],
  ];
}

t.test('long tables violate no rule and are read in order, cell by cell', async (t) => {
  for (const count of [40, 150]) {
    for (const compress of [true, false]) {
      const table = { headerRows: 1, headerColumns: 1 };
      const rows = rowsOf(count);
      const { pdf } = await render(shareTemplate(template(table, compress)), { rows });
      const about = `${count} rows, ${compress ? 'deflated' : 'readable'}`;
      const model = readModel(pdf);
      t.strictSame([...violationsOf(model, '2a'), ...violationsOf(model, 'ua')], [], about);
      const read = readAloud(model).map(({ type, text }) => [type, text.trim()]);
      t.strictSame(read, spoken(rows, true), about);
      const cells = model.structure.elements.filter(({ type }) => type === 'TD' || type === 'TH');
      t.equal(cells.length, (count + 1) * 4, 'empty cells count, too');
    }
  }
});

t.test('other readers find the same cells of a long table', async (t) => {
  const file = join(t.testdir(), 'a.pdf');
  const rows = rowsOf(120);
  const { pdf } = await render(shareTemplate(template({ headerRows: 1 })), { rows });
  t.match(Buffer.from(pdf).toString('latin1'), /\/ObjStm[^>]*\/Predictor 12/);
  t.equal(faultsOf(file, pdf), '');
  const read = execFileSync('pdfinfo', ['-struct-text', file]).toString();
  const texts = Array.from(read.matchAll(/"(.*)"/g), ([, text = '']) => text.trim());
  const wanted = spoken(rows, false).flatMap(([, text = '']) => text.split(/(?<=words) /));
  t.strictSame(texts.join(' ').split(/\s+/), wanted.join(' ').split(/\s+/));
  t.equal(read.match(/^\s*TD/gm)?.length, 480);
  writeFileSync(file, pdf);
  t.match(execFileSync('mutool', ['show', file, 'trailer']).toString(), /Root/);
});

t.test('tags of an earlier document are reused only for equal pages', async (t) => {
  const one = shareTemplate(template({ headerRows: 1 }));
  const other = shareTemplate(template({ headerRows: 1, headerColumns: 1 }));
  const pdfs: Uint8Array[] = [];
  for (const [shared, count] of [
    [one, 150],
    [one, 170],
    [other, 150],
    [one, 150],
  ] as const) {
    const rows = rowsOf(count);
    const { pdf } = await render(shared, { rows });
    const read = readAloud(readModel(pdf)).map(({ type, text }) => [type, text.trim()]);
    t.strictSame(read, spoken(rows, shared === other));
    pdfs.push(pdf);
  }
  t.strictSame(pdfs[3], pdfs[0], 'the copy is what was written first');
});

t.test('rows that begin a page stand where they do without tags', async (t) => {
  const file = join(t.testdir(), 'a.pdf');
  const words = (pdf: Uint8Array): string[] => {
    writeFileSync(file, pdf);
    const boxes = execFileSync('pdftotext', ['-bbox', file, '-']).toString();
    return boxes.match(/<(?:page|word) .*/g) ?? [];
  };
  for (const table of [{ headerRows: 1 }, { headerColumns: 1 }]) {
    const source = template(table);
    const rows = rowsOf(170);
    const tagged = await render(shareTemplate(source), { rows });
    const plain = await render(shareTemplate(source.replace('"PDF/A-2a"', '"PDF/A-2u"')), { rows });
    t.ok(tagged.pages > 3);
    t.strictSame(words(tagged.pdf), words(plain.pdf));
  }
});

t.test('tags of a long table cost at most half of its bytes', async (t) => {
  const rows = rowsOf(600);
  const source = template({ headerRows: 1 });
  const tagged = await render(shareTemplate(source), { rows });
  const plain = await render(shareTemplate(source.replace('"PDF/A-2a"', '"PDF/A-2u"')), { rows });
  t.ok(tagged.pdf.length < 1.5 * plain.pdf.length);
});

t.test('a document with a long table can be attached to one without tags', async (t) => {
  const own = await render(shareTemplate(template({ headerRows: 1 })), { rows: rowsOf(120) });
  const plain = shareTemplate(sampleTemplate({}, { compress: true }));
  const merged = await render(plain, { name: 'x' }, { attachments: [own.pdf] });
  const file = join(t.testdir(), 'a.pdf');
  t.equal(faultsOf(file, merged.pdf), '');
  t.match(pageTexts(file, merged.pdf).join(''), /N119/);
});
