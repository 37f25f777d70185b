import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';

import { pageTexts, render, shareTemplate } from '../../lab/render.ts';
import { AUDITS } from './audits.ts';
import { PLAIN, ZERO, readDecimal, round, write } from './decimal.ts';
import { readPages } from './pdf-text.ts';
import type { Glyph, PageText } from './pdf-text.ts';
import { trySheet } from './sheet.ts';
import type { SheetItem } from './sheet.ts';
import { spellBaht, spellNumber } from './spelling.ts';
import { colorFor } from './statement-case.ts';
import type { StatementCase } from './statement-case.ts';
import { judgeStatement } from './statement-judge.ts';
import { makeDocument } from './statement-template.ts';
import { tryStatement } from './statement-try.ts';

/** Cases that failed once, as the auditor shrank them. */
interface Seeds {
  readonly statements: readonly { readonly about: string; readonly case: StatementCase }[];
  readonly items: readonly {
    readonly about: string;
    readonly language: string;
    readonly item: SheetItem;
  }[];
}

const seeds = JSON.parse(
  readFileSync(join(import.meta.dirname, 'seeds.json'), 'utf8'),
) as unknown as Seeds;

/** A statement of three pages that is printed right. */
const PLAIN_CASE: StatementCase = {
  width: 400,
  height: 190,
  margins: [20, 20, 20, 20],
  fontSize: 9,
  introLines: 2,
  outroLines: 0,
  container: 'content',
  letterhead: false,
  tables: [
    {
      widths: [36, '*', 60, 60, 70],
      layout: 'noBorders',
      headerRows: 1,
      keepWithHeaderRows: 0,
      keepRowsAtStart: 0,
      keepRowsAtEnd: 0,
      dontBreakRows: false,
      before: 0,
      after: 1,
      joined: false,
      aside: 0,
      rowPt: 0,
      narrow: false,
      statement: {
        opening: '1000.00',
        decimals: 2,
        prefix: '',
        brought: { label: 'sum', fontSize: 9, bold: false, span: 1 },
        carried: { label: 'sum', fontSize: 9, bold: false, span: 1 },
        total: { label: 'sum', fontSize: 9, bold: false, span: 1 },
      },
      formatted: false,
      rows: Array.from({ length: 14 }, (_, index) => ({
        text: 'rent of the month',
        debit: index % 2 === 0 ? `${index + 10}.25` : '',
        credit: index % 2 === 0 ? '-' : '1,204.50',
      })),
    },
  ],
};

async function printed(): Promise<PageText[]> {
  const { template, data } = makeDocument(PLAIN_CASE);
  const { pdf } = await render(shareTemplate(JSON.stringify(template)), data);
  return readPages(pdf);
}

/** The pages with the glyphs of one page changed. */
function changed(
  pages: readonly PageText[],
  page: number,
  change: (glyph: Glyph) => readonly Glyph[],
): PageText[] {
  return pages.map((one, index) =>
    index === page ? { ...one, glyphs: one.glyphs.flatMap((glyph) => change(glyph)) } : one,
  );
}

/** The signs of a text in one order, since readers differ in theirs. */
function signs(text: string): string[] {
  return text.replaceAll(/\s/g, '').split('').toSorted();
}

function rounded(text: string, places: number): string {
  return write(round(readDecimal(text) ?? ZERO, places), PLAIN);
}

/** The kinds of faults that the auditor finds on these pages. */
function kindsOf(pages: readonly PageText[]): string[] {
  return [...new Set(judgeStatement(PLAIN_CASE, pages).map((fault) => fault.kind))];
}

/** Whether a colour is that of a role, by its number in `ROLES` from 1. */
function row(color: number, role: number): boolean {
  return color >> 16 === role;
}

t.test('the auditor finds nothing in a statement that is printed right', async (t) => {
  const pages = await printed();
  t.equal(pages.length, 3);
  t.strictSame(judgeStatement(PLAIN_CASE, pages), []);
});

t.test('the auditor sees what is printed wrong', async (t) => {
  const pages = await printed();
  const balance = colorFor('brought', 0, 4);
  const tops = pages.map((page) => Math.max(...page.glyphs.map((glyph) => glyph.baseline)));
  const last = tops.length - 1;
  const token = pages[1]?.glyphs.find(({ color }) => color === colorFor('entry', 0, 0));
  const cases: [kind: string, wrong: PageText[]][] = [
    [
      'brought wrong',
      changed(pages, 1, (glyph) =>
        glyph.color === balance && glyph.text === '.' ? [{ ...glyph, text: ',' }] : [glyph],
      ),
    ],
    ['brought missing', changed(pages, 1, (glyph) => (row(glyph.color, 6) ? [] : [glyph]))],
    ['carried missing', changed(pages, 0, (glyph) => (row(glyph.color, 7) ? [] : [glyph]))],
    ['total missing', changed(pages, last, (glyph) => (row(glyph.color, 8) ? [] : [glyph]))],
    ['header', changed(pages, 1, (glyph) => (row(glyph.color, 2) ? [glyph, glyph] : [glyph]))],
    ['page number', changed(pages, 1, (glyph) => (row(glyph.color, 10) ? [] : [glyph]))],
    ['row lost', changed(pages, 1, (glyph) => (row(glyph.color, 3) ? [] : [glyph]))],
    ['carried alone', changed(pages, 0, (glyph) => (row(glyph.color, 3) ? [] : [glyph]))],
    [
      'amount split',
      changed(pages, 0, (glyph) =>
        glyph.color === colorFor('entry', 0, 4) && glyph.text === '5'
          ? [{ ...glyph, baseline: glyph.baseline - 4 }]
          : [glyph],
      ),
    ],
    [
      'order',
      changed(pages, 1, (glyph) =>
        row(glyph.color, 6) ? [{ ...glyph, baseline: glyph.baseline - 60 }] : [glyph],
      ),
    ],
    [
      'cell text',
      changed(pages, 1, (glyph) =>
        glyph.color === colorFor('entry', 0, 1) && glyph.baseline === token?.baseline
          ? [{ ...glyph, text: 'x' }]
          : [glyph],
      ),
    ],
    [
      'columns meet',
      changed(pages, 0, (glyph) =>
        glyph.color === colorFor('entry', 0, 3) ? [{ ...glyph, right: glyph.right + 90 }] : [glyph],
      ),
    ],
    [
      'outside vertically',
      changed(pages, 0, (glyph) =>
        row(glyph.color, 8) ? [{ ...glyph, baseline: glyph.baseline - 40 }] : [glyph],
      ),
    ],
  ];
  for (const [kind, wrong] of cases) t.ok(kindsOf(wrong).includes(kind), kind);
});

t.test('the reader of PDF texts agrees with poppler', async (t) => {
  const file = join(t.testdir(), 'statement.pdf');
  const source = readFileSync('templates/statement.json', 'utf8');
  const { samples } = JSON.parse(source) as { samples: { data: unknown }[] };
  const { pdf } = await render(shareTemplate(source), samples[0]?.data);
  const expected = pageTexts(file, pdf).map((text) => signs(text));
  const found = readPages(pdf).map(({ glyphs }) => signs(glyphs.map(({ text }) => text).join('')));
  t.ok(expected.length > 1);
  t.strictSame(found, expected);
});

t.test('the decimals and words of the auditor are right themselves', async (t) => {
  t.strictSame(
    ['1.005', '-1.005', '0.004', '-0.004', '999.995'].map((text) => rounded(text, 2)),
    ['1.01', '-1.01', '0.00', '0.00', '1000.00'],
  );
  const amount = readDecimal('1250.50') ?? ZERO;
  t.equal(spellBaht(amount, 'en'), 'One thousand two hundred fifty baht and 50/100');
  t.equal(spellBaht(amount, 'th'), 'หนึ่งพันสองร้อยห้าสิบบาทห้าสิบสตางค์');
  t.equal(spellNumber({ units: 115n, places: 1 }, 'en'), 'Eleven point five');
});

t.test('cases that failed once', async (t) => {
  for (const { about, case: wanted } of seeds.statements) {
    t.strictSame(await tryStatement(wanted), [], about);
  }
  for (const { about, language, item } of seeds.items) {
    t.strictSame(await trySheet([item], language), [], about);
  }
});

t.test('random statements, numbers and dates are printed right', async (t) => {
  for (const [name, audit] of Object.entries(AUDITS)) {
    const { seed, size } = SMOKE[name as keyof typeof AUDITS];
    const tally = await audit(seed, size);
    t.strictSame(tally.summary(), [], name);
  }
});

// The other sizes and seeds are run by hand, see CONTRIBUTING.md.
const SMOKE = {
  statements: { seed: 1, size: 300 },
  groups: { seed: 1, size: 60 },
  nestings: { seed: 1, size: 100 },
  numbers: { seed: 120, size: 1_000 },
  dates: { seed: 1, size: 300 },
} as const;
