import t from 'tap';
import { BLOCKS } from './blocks.ts';
import { comparePdfs } from './compare.ts';
import { renderByPdfmake, renderByUs } from './engines.ts';
import { KNOWN } from './known.ts';
import { TABLES } from './tables.ts';
import { TEXTS } from './texts.ts';

const DEFINITIONS = { ...TEXTS, ...BLOCKS, ...TABLES };

void t.test('at least 60 definitions are compared', async (t) => {
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
    t.equal(comparison.matched, comparison.words, comparison.misses.join('; '));
  });
}

for (const [name, known] of Object.entries(KNOWN)) {
  void t.test(`unlike pdfmake: ${name}`, async (t) => {
    const [ours, theirs] = [
      await renderByUs(known.definition),
      await renderByPdfmake(known.definition),
    ];
    const comparison = comparePdfs(ours, theirs);
    // Exactly this many: a difference that no longer exists must be removed from the list.
    t.equal(comparison.words - comparison.matched, known.words, known.why);
    if (known.pages === null) t.equal(comparison.pages[0], comparison.pages[1]);
    else t.same(comparison.pages, known.pages);
  });
}

void t.test('at least 98 % of all words lie within 1.5 pt', async (t) => {
  t.ok(matched >= words * 0.98, `${matched} of ${words}`);
});
