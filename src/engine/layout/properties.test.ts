import fc from 'fast-check';
import t from 'tap';
import { linesOf, textsOf } from './fixtures/lines.ts';
import { cell, PAGE, row, stack, table, template, text } from './fixtures/nodes.ts';
import type { Alignment, Node, Width } from '../model/nodes.ts';
import type { LaidOutDocument } from '../model/frame.ts';
import { layoutDocument } from './layout.ts';

/** Tolerance for rounding. */
const SLACK_PT = 1e-6;

function lay(
  children: readonly Node[],
  data: readonly (readonly string[])[] = [],
  widthPt: number = PAGE.widthPt,
): LaidOutDocument {
  const document = layoutDocument(template(children, { widthPt }), [{ type: 'table', rows: data }]);
  if (!document.ok) throw new Error(document.message);
  return document.value;
}

/** All characters of a document except spaces, page by page in painting order. */
function glyphsOf(document: LaidOutDocument): string {
  return document.pages
    .flatMap((page) => textsOf(page.body).map((placed) => placed.text))
    .join('')
    .replaceAll(/\s/gu, '');
}

const LETTERS = Array.from('abcXYZ012-/().,กนท');
const word = fc.string({
  unit: fc.constantFrom(...LETTERS),
  minLength: 1,
  maxLength: 30,
});
const prose = fc.array(word, { minLength: 1, maxLength: 40 }).map((words) => words.join(' '));
const alignment = fc.constantFrom<Alignment>('left', 'right', 'center', 'justify');
const RUNS = { numRuns: 150 };

void t.test('no glyph is lost and no line is wider than its box', async (t) => {
  fc.assert(
    fc.property(prose, alignment, (content, side) => {
      const document = lay([text(content, { alignment: side })]);
      t.equal(glyphsOf(document), content.replaceAll(/\s/gu, ''));
      for (const page of document.pages) {
        for (const placed of textsOf(page.body)) {
          const trailing = placed.text.length - placed.text.trimEnd().length;
          const right = placed.x + placed.width - trailing * 5;
          if (placed.x < -SLACK_PT || right > PAGE.widthPt + SLACK_PT) {
            t.fail(`"${placed.text}" reaches from ${placed.x} to ${right}`);
          }
        }
      }
    }),
    RUNS,
  );
});

void t.test('lines go down the page and stay on it', async (t) => {
  fc.assert(
    fc.property(fc.array(prose, { minLength: 1, maxLength: 8 }), (paragraphs) => {
      const document = lay(paragraphs.map((content) => text(content)));
      for (const page of document.pages) {
        const baselines = textsOf(page.body).map((placed) => placed.y);
        t.ok(baselines.every((y, index) => index === 0 || y >= (baselines[index - 1] ?? 0)));
        t.ok(baselines.every((y) => y > 0 && y + 2 <= PAGE.heightPt + SLACK_PT));
      }
    }),
    RUNS,
  );
});

const width = fc.constantFrom<Width>(
  { kind: 'star' },
  { kind: 'auto' },
  { kind: 'fixed', pt: 20 },
  { kind: 'percent', percent: 25 },
);

void t.test('no row is lost over pages, whatever the widths and breaks', async (t) => {
  fc.assert(
    fc.property(
      fc.array(fc.tuple(word, word), { minLength: 1, maxLength: 40 }),
      fc.tuple(width, width),
      fc.boolean(),
      fc.integer({ min: 0, max: 1 }),
      (data, widths, dontBreakRows, headerRows) => {
        const cells = [0, 1].map((column) => cell(text([{ kind: 'cell', column, format: null }])));
        const head = row([cell(text('H')), cell(text('H'))]);
        const node = table(widths, [head, row(cells, { each: 0 })], { dontBreakRows, headerRows });
        // Some texts and amounts that may not be broken do not fit a column of 20 pt: then the
        // document is refused.
        const document = layUnlessRefused([node], data, 320);
        // A cell that continues on the next page is painted before its neighbour, so sort first.
        t.same(sorted(glyphsOf(document).replaceAll('H', '')), sorted(data.flat().join('')));
      },
    ),
    RUNS,
  );
});

/**
 * Layout refuses a value that the edge of the paper would cut off. Its words for a text and an
 * amount:
 */
const REFUSALS = ['longer than its place', 'wider than its place'];

/** Lays out; skips the case if layout refuses a value that the edge of the paper would cut off. */
function layUnlessRefused(...args: Parameters<typeof lay>): LaidOutDocument {
  try {
    return lay(...args);
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    const { message } = error;
    fc.pre(!REFUSALS.some((words) => message.includes(words)));
    throw error;
  }
}

function sorted(content: string): string {
  return Array.from(content).toSorted().join('');
}

void t.test('page numbers run from 1 to n', async (t) => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 60 }), (lines) => {
      const content = Array.from({ length: lines }, (_, index) => `l${index}`).join('\n');
      const footer = text([{ kind: 'page' }, { kind: 'static', text: '/' }, { kind: 'pages' }]);
      const source = template([text(content)], {
        footer: { first: footer, rest: footer, last: footer },
        margins: [0, 0, 0, 20],
      });
      const document = layoutDocument(source, []);
      if (!document.ok) throw new Error(document.message);
      const { pages } = document.value;
      t.equal(pages.length, Math.ceil(lines / 8));
      for (const [pageIndex] of pages.entries()) {
        const request = { pageIndex, pageCount: pages.length, widthPt: 100, heightPt: 100 };
        const [part] = document.value.overlay({ ...request, attached: false });
        const shown = textsOf(part?.items ?? []).map((placed) => placed.text);
        t.same(shown, [`${pageIndex + 1}/${pages.length}`]);
      }
    }),
    { numRuns: 60 },
  );
});

void t.test('the same document twice has the same items', async (t) => {
  fc.assert(
    fc.property(fc.array(prose, { minLength: 1, maxLength: 5 }), (paragraphs) => {
      const source = template([
        stack(paragraphs.map((content) => text(content, { alignment: 'justify' }))),
      ]);
      const once = layoutDocument(source, []);
      const twice = layoutDocument(source, []);
      if (!once.ok || !twice.ok) throw new Error('not laid out');
      t.same(linesOf(once.value), linesOf(twice.value));
      t.same(
        once.value.pages.flatMap((page) => textsOf(page.body)),
        twice.value.pages.flatMap((page) => textsOf(page.body)),
      );
    }),
    { numRuns: 60 },
  );
});
