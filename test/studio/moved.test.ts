import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { getDocument } from 'pdfjs-dist/legacy/build/pdf.mjs';
import t from 'tap';
import { compareLines } from '../../studio/src/compare/lines.ts';
import { composed, pageText } from '../../studio/src/compare/page-text.ts';
import { render, shareTemplate } from '../../lab/render.ts';

/** A block that only moves has no changed words in the Studio's comparison. */

const TEMPLATES = resolve(import.meta.dirname, '../../templates');
/** Distances in points; a longer list: INTAGLIO_TEST_MOVES=0.01,0.02,… */
const MOVES = (process.env['INTAGLIO_TEST_MOVES'] ?? '0.01,0.37,0.5,6,20').split(',').map(Number);

interface TemplateFile {
  readonly document: { readonly content: unknown; readonly pageMargins?: unknown };
  readonly samples?: readonly { readonly name?: string; readonly data: object }[];
}

/** The text of each page, as the Studio reads it. */
async function textsOf(pdf: Uint8Array): Promise<readonly string[]> {
  const task = getDocument({ data: new Uint8Array(pdf), verbosity: 0 });
  const document = await task.promise;
  const texts: string[] = [];
  for (let number = 1; number <= Math.min(2, document.numPages); number += 1) {
    const { items } = await (await document.getPage(number)).getTextContent();
    texts.push(pageText(items.filter((item) => 'str' in item)));
  }
  await task.destroy();
  return texts;
}

/** The template with the first block of its content moved, which moves nothing else. */
function moved(template: TemplateFile, byPt: number): TemplateFile {
  const { content } = template.document;
  const [first, ...rest] = Array.isArray(content) ? (content as unknown[]) : [content];
  const block = { stack: [first], relativePosition: { x: byPt / 2, y: byPt } };
  return { ...template, document: { ...template.document, content: [block, ...rest] } };
}

/** The pages of scans.json are sections, which cannot be moved. */
const files = readdirSync(TEMPLATES).filter(
  (name) => name.endsWith('.json') && !/schema|2000|scans/.test(name),
);

for (const name of files) {
  t.test(`${name}: no move of a block changes words`, async (t) => {
    const template = JSON.parse(readFileSync(join(TEMPLATES, name), 'utf8')) as TemplateFile;
    for (const { name: sample = '', data } of (template.samples ?? []).slice(0, 2)) {
      const textAt = async (byPt: number): Promise<readonly string[]> => {
        const source = JSON.stringify(moved(template, byPt));
        return textsOf((await render(shareTemplate(source), data)).pdf);
      };
      const still = await textAt(0);
      t.ok(still.join('').length > 100, 'the page has text');
      t.notMatch(still.join(''), /\u0E4D\s?\u0E32/, 'sara am is composed');
      for (const byPt of MOVES) {
        const after = await textAt(byPt);
        const changes = still.flatMap((text, index) => compareLines(text, after[index] ?? ''));
        t.same(changes, [], `${sample} by ${byPt} pt`);
      }
    }
  });
}

t.test('words that changed are reported', async (t) => {
  const text = readFileSync(join(TEMPLATES, 'receipt.json'), 'utf8');
  const template = JSON.parse(text) as TemplateFile;
  const [sample] = template.samples ?? [];
  const read = async (source: string): Promise<string> =>
    (await textsOf((await render(shareTemplate(source), sample?.data ?? {})).pdf)).join('\n');
  const before = await read(text);
  t.match(before, 'จำกัด (มหาชน)', 'Thai reads as it is written');
  const after = await read(text.replaceAll('(มหาชน)', '(จำนวน)'));
  t.ok(compareLines(before, after).some(({ text: line }) => line.includes('(จำนวน)')));
});

t.test('both orders of the halves of sara am are one letter', (t) => {
  t.equal(composed('น\u0E4D\u0E49\u0E32'), 'น้ำ');
  t.equal(composed('น\u0E49\u0E4D\u0E32'), 'น้ำ');
  t.equal(composed('จ\u0E4D\u0E32นวน'), 'จำนวน');
  t.end();
});
