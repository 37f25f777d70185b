import t from 'tap';
import { BLOCKS } from './blocks.ts';
import { comparePdfs } from './compare.ts';
import { renderByPdfmake, renderByUs } from './engines.ts';
import { TABLES } from './tables.ts';
import { TEXTS } from './texts.ts';

/**
 * Every difference to pdfmake that remains, by definition: how many words may lie elsewhere, and
 * why. A difference that goes away must go from here, too.
 */
const DIFFERENCES: Readonly<Record<string, { readonly words: number; readonly why: string }>> = {};

const DEFINITIONS = { ...TEXTS, ...BLOCKS, ...TABLES };

void t.test('there are enough definitions to mean something', async (t) => {
  t.ok(Object.keys(DEFINITIONS).length >= 60);
});

let words = 0;
let matched = 0;

for (const [name, definition] of Object.entries(DEFINITIONS)) {
  void t.test(`as pdfmake: ${name}`, async (t) => {
    const [ours, theirs] = [await renderByUs(definition), await renderByPdfmake(definition)];
    const comparison = comparePdfs(ours, theirs);
    words += comparison.words;
    matched += comparison.matched;
    t.equal(comparison.pages[0], comparison.pages[1], 'pages');
    const known = DIFFERENCES[name]?.words ?? 0;
    t.equal(comparison.words - comparison.matched, known, comparison.misses.join('; '));
  });
}

void t.test('at least 98 % of all words lie within 1.5 pt', async (t) => {
  t.ok(matched >= words * 0.98, `${matched} of ${words}`);
});
