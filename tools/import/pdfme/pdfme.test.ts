import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { createEngine } from '#engine';
import { HOME } from '../../../lab/home.ts';
import { render, shareTemplate } from '../../../lab/render.ts';
import { importPdfme } from './pdfme.ts';

/**
 * Compares with templates that pdfme rendered (tools/import/fixtures/make.mjs): imported and rendered
 * here with the same data, each word is within two points of pdfme's.
 */

t.setTimeout(1_500_000);

const folder = new URL('../fixtures/', import.meta.url);
const POINTS_MAX = 2;
const BLANK = { fonts: createEngine().fonts, pages: [] };

/** Text, left, top, right, bottom. */
type Word = readonly [string, number, number, number, number];

interface Fixture {
  readonly template: Record<string, unknown>;
  readonly input: Record<string, unknown>;
  readonly pages: readonly (readonly Word[])[];
}

/** Converts pdfme's input to our data: dates with hyphens, and check marks present or absent. */
function dataOf(input: Fixture['input']): Record<string, unknown> {
  const data: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(input)) {
    if (value === 'false') continue;
    if (typeof value !== 'string') data[name] = value;
    else if (value.startsWith('{')) Object.assign(data, JSON.parse(value));
    else if (value.startsWith('[')) data[name] = rowsOf(value);
    else data[name] = /^\d{4}\/\d\d\/\d\d$/.test(value) ? value.replaceAll('/', '-') : value;
  }
  return data;
}

function rowsOf(list: string): readonly (readonly string[])[] {
  return (JSON.parse(list) as string[]).map((item) => [item]);
}

function wordsOf(pdf: Uint8Array): readonly (readonly Word[])[] {
  const html = execFileSync('pdftotext', ['-bbox', '-', '-'], { input: pdf }).toString();
  return html
    .split('<page ')
    .slice(1)
    .map((page) =>
      Array.from(
        page.matchAll(
          /xMin="([\d.-]+)" yMin="([\d.-]+)" xMax="([\d.-]+)" yMax="([\d.-]+)">([^<]*)</g,
        ),
        ([, x, y, right, bottom, word = '']): Word => [
          word,
          Number(x),
          Number(y),
          Number(right),
          Number(bottom),
        ],
      ),
    );
}

/** The distance of a word from the nearest one with the same text. */
function distanceOf([text, x, y]: Word, others: readonly Word[]): number {
  const same = others.filter(([other]) => other === text);
  return Math.min(...same.map((one) => Math.max(Math.abs(one[1] - x), Math.abs(one[2] - y))));
}

const names = readdirSync(folder).filter((file) => file.endsWith('.json'));

t.test('there are ten templates', async (t) => {
  t.equal(names.length, 10);
});

for (const name of names) {
  t.test(`${name}: words stand where pdfme puts them`, async (t) => {
    // make.mjs writes files of this shape.
    const fixture = JSON.parse(readFileSync(new URL(name, folder), 'utf8')) as Fixture;
    const { template } = importPdfme('x', fixture.template, BLANK);
    const { pdf } = await render(shareTemplate(JSON.stringify(template)), dataOf(fixture.input));
    const pages = wordsOf(pdf);
    t.equal(pages.length, fixture.pages.length, 'as many pages');
    for (const [index, expected] of fixture.pages.entries()) {
      const found = pages[index] ?? [];
      const bullets = (words: readonly Word[]) => words.filter(([text]) => text !== '•');
      t.equal(bullets(found).length, bullets(expected).length, `page ${index + 1}: all words`);
      for (const word of bullets(expected)) {
        const distance = distanceOf(word, found);
        t.ok(distance <= POINTS_MAX, `page ${index + 1}, ${word[0]}: ${distance.toFixed(2)} pt`);
      }
    }
  });
}

/** The notes of a template with one schema. */
function notesOf(schema: object, base: object = {}): readonly string[] {
  const page = [{ name: 'a', position: { x: 10, y: 10 }, width: 50, height: 40, ...schema }];
  const blank = { width: 210, height: 297, padding: [10, 10, 10, 10], ...base };
  const { notes } = importPdfme('x', { basePdf: blank, schemas: [page] }, BLANK);
  return notes.map(({ place }) => place);
}

t.test('everything without a counterpart gets a note with its place', async (t) => {
  const cases: readonly (readonly [object, readonly string[]])[] = [
    [{ type: 'text' }, []],
    [{ type: 'text', wobble: 3 }, ['schemas[0].a.wobble']],
    [{ type: 'text', fontName: 'Comic' }, ['schemas[0].a.fontName']],
    [{ type: 'text', alignment: 'justify' }, ['schemas[0].a.alignment']],
    [{ type: 'text', characterSpacing: 1 }, ['schemas[0].a.characterSpacing']],
    [{ type: 'text', characterSpacing: 1, height: 8 }, []],
    [{ type: 'text', textFormat: 'inline-markdown' }, ['schemas[0].a.textFormat']],
    [{ type: 'text', overflow: 'expand' }, ['schemas[0].a.overflow']],
    [{ type: 'text', readOnly: true, content: '{1 + total}' }, ['schemas[0].a.content']],
    [{ type: 'text', readOnly: true, content: '{total} of {date}' }, ['schemas[0].a.content']],
    [{ type: 'date', format: 'dd/MM/yyyy' }, []],
    [{ type: 'date', format: "QQQ 'of' yyyy" }, ['schemas[0].a.format']],
    [{ type: 'dateTime', format: 'HH:mm' }, ['schemas[0].a.format']],
    [{ type: 'gs1datamatrix' }, ['schemas[0].a']],
    [{ type: 'hologram' }, ['schemas[0].a']],
    [
      { type: 'table', head: ['a'], headStyles: { fontName: 'X' } },
      ['schemas[0].a.headStyles.fontName'],
    ],
    [{ type: 'table', head: ['a'], bodyStyles: { wobble: 1 } }, ['schemas[0].a.bodyStyles.wobble']],
  ];
  for (const [schema, places] of cases) {
    t.strictSame(notesOf(schema), places, JSON.stringify(schema));
  }
  t.strictSame(notesOf({ type: 'text' }, { wobble: 1 }), ['basePdf.wobble']);
});

t.test('a page number is put into the header of its section', async (t) => {
  const schema = {
    name: 'n',
    type: 'text',
    readOnly: true,
    content: 'page {currentPage} of {totalPages}, {{x}}',
    position: { x: 20, y: 250 },
    width: 100,
    height: 10,
  };
  const source = { basePdf: { width: 210, height: 297, padding: [0, 0, 0, 0] } };
  const { template } = importPdfme('x', { ...source, schemas: [[schema], [schema]] }, BLANK);
  const { pdf } = await render(shareTemplate(JSON.stringify(template)), {});
  const texts = wordsOf(pdf).map((page) => page.map(([word]) => word).join(' '));
  t.match(texts[0], /^page 1 of 2/);
  t.match(texts[1], /^page 2 of 2/);
});

t.test('pages of a PDF become backgrounds', async (t) => {
  const path = join(HOME, 'test/fixtures/letterhead/tex-plain.pdf');
  const letterhead = readFileSync(path).toString('base64');
  const schema = { name: 'a', type: 'text', position: { x: 20, y: 60 }, width: 60, height: 10 };
  const source = { basePdf: `data:application/pdf;base64,${letterhead}`, schemas: [[schema]] };
  const { template, notes } = importPdfme('x', source, {
    ...BLANK,
    pages: [{ width: 300, height: 400 }],
  });
  t.strictSame(notes, []);
  const { pdf } = await render(shareTemplate(JSON.stringify(template)), { a: 'Hello' });
  t.match(Buffer.from(pdf).toString('latin1'), /MediaBox\s*\[0 0 300 400\]/);
  const [words = []] = wordsOf(pdf);
  t.ok(words.length > 1, 'the words of the letterhead are there');
  t.ok(
    words.some(([word]) => word === 'Hello'),
    'and the value',
  );
});
