import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { render, shareTemplate } from '../../lab/render.ts';
import { inspect, type Opinion } from './check.ts';
import { DOCUMENTS } from './documents.ts';

/**
 * The samples and documents with difficult content, at every level, looked at by `check.ts`: glyphs
 * and their widths and texts, marked content, the structure tree, figures, languages and headings.
 */

const TEMPLATES = join(import.meta.dirname, '..', '..', 'templates');
const NAMES = ['contract', 'loan-offer', 'receipt', 'receipt-en', 'scans', 'statement'];
const INVOICES = ['invoices/etax-invoice', 'invoices/factur-x'];
const LEVELS = ['UA', 'PDF/A-2u', 'PDF/A-2a', 'PDF/A-3u', 'PDF/A-3a'] as const;
type Level = (typeof LEVELS)[number];

interface TemplateFile {
  readonly document: object;
  readonly samples: readonly { readonly name: string; readonly data: unknown }[];
}

const scratch = t.testdir();

/** Renders at a level and looks at the file. */
async function look(file: { document: object }, data: unknown, level: Level): Promise<Opinion> {
  const archive = level === 'UA' ? null : level;
  const isTagged = archive === null || archive.endsWith('a');
  const { document, ...rest } = file;
  const own =
    archive === null ? { document: { ...document, tagged: true } } : { document, archive };
  const { pdf } = await render(shareTemplate(JSON.stringify({ ...rest, ...own })), data);
  const path = join(scratch, 'file.pdf');
  writeFileSync(path, pdf);
  return inspect(path, archive, isTagged);
}

for (const name of [...NAMES, ...INVOICES]) {
  // The folder belongs to this repository; the compiler checks the rest.
  const file = JSON.parse(readFileSync(join(TEMPLATES, `${name}.json`), 'utf8')) as TemplateFile;
  // PDF/A-2 embeds no files.
  const levels = INVOICES.includes(name) ? (['PDF/A-3u', 'PDF/A-3a'] as const) : LEVELS;
  t.test(`samples of ${name}`, async (t) => {
    for (const level of levels) {
      for (const sample of file.samples) {
        const { faults, tree } = await look(file, sample.data, level);
        t.strictSame(faults, [], `${sample.name}, ${level}`);
        if (tree !== null && name !== 'scans') t.ok(tree.headings.includes(1), 'it has a heading');
        if (tree !== null && name === 'loan-offer')
          t.ok(tree.languages.has('en'), 'English is said');
      }
    }
  });
}

for (const [name, { template, data }] of Object.entries(DOCUMENTS)) {
  t.test(name, async (t) => {
    for (const level of LEVELS) {
      const { faults, tree } = await look(template, data, level);
      t.strictSame(faults, [], level);
      if (tree !== null) t.ok(tree.types.size > 2, 'it has elements');
    }
  });
}

/** One edit of the same length, and what the check must say of it. */
const DAMAGE: readonly (readonly [RegExp, string, RegExp])[] = [
  [/\/Widths\[(\d)/, '/Widths[9', /wide, its glyph/],
  [/<20><0020>/, '<20><0000>', /has no text in ToUnicode/],
  [/\/P<<\/MCID 2>>/, '/P<</MCID 0>>', /MCID 0: 1 in the tree, 2 in content/],
  [/\/Artifact BMC/, '/Artefact BMC', /is neither tagged nor an artifact/],
  [/EMC\n/, '   \n', /sequences are not ended/],
  [/\/BBox\[/, '/BBix[', /no bounding box/],
  [/\/S\/H2/, '/S/H4', /H4 after H1/],
  [/\/S\/TR/, '/S/TD', /may not stand in|stands in/],
  [/\/Scope\/Column/, '/Scape/Column', /no scope/],
  [/\/Alt\(/, '/Olt(', /no \/Alt/],
  [/\/S\/LBody/, '/S/LBady', /may not stand in L/],
  [/\/Lang\(en\)/, '/Lang(e )', /a wrong \/Lang/],
  [/\/ColSpan 2/, '/ColSpan 1', /rows of/],
  [/\/S\/Link/, '/S/Lonk', /is not in a Link/],
  [/\/Marked true/, '/Morked true', /not marked/],
  [/pdfuaid:part>1/, 'pdfuaid:part>2', /does not say PDF\/UA-1/],
];

t.test('each kind of fault is found', async (t) => {
  const table = {
    headerRows: 1,
    body: [
      ['A', 'B'],
      [{ text: 'c', colSpan: 2 }, {}],
    ],
  };
  const content = [
    { text: 'One', role: 'h1' },
    { text: 'Two b', role: 'h2', language: 'en' },
    'a b',
    'c d',
    { text: 'bank', link: 'https://bank.example' },
    { table },
    { ul: ['x'] },
    { svg: '<svg width="9" height="9"><rect width="9" height="9"/></svg>', alt: 'A box' },
  ];
  const info = { title: 'T' };
  const document = { info, content, tagged: true, compress: false };
  const source = JSON.stringify({ templateId: 't', language: 'th', document });
  const { pdf } = await render(shareTemplate(source), {});
  const path = join(scratch, 'damaged.pdf');
  const text = Buffer.from(pdf).toString('latin1');
  writeFileSync(path, pdf);
  t.strictSame(inspect(path, null, true).faults, []);
  for (const [pattern, replacement, fault] of DAMAGE) {
    const damaged = text.replace(pattern, replacement);
    t.ok(damaged !== text, `${String(pattern)} is there`);
    t.equal(damaged.length, text.length);
    writeFileSync(path, Buffer.from(damaged, 'latin1'));
    t.match(inspect(path, null, true).faults.join('\n'), fault, String(pattern));
  }
});
