import { shareTemplate, tryRender } from '../../lab/render.ts';
import type { RenderResult, SharedTemplate } from '#engine';
import { prepareImage } from '../../src/engine/image/image.ts';
import run from '../../src/workers/render.ts';
import { LIMITS } from '../../src/limits.ts';
import { findChanges } from '../../src/engine/template/changes/changes.ts';
import { PICTURES } from './images.ts';
import { ownDecodeBudget } from '../../src/engine/image/decode-budget.ts';

const BUDGET = ownDecodeBudget();

/** Data, options and drafts of growing size; each family is costly in another way. */
export interface Family {
  readonly name: string;
  /** The size of the largest member; left out: the limit of a body. */
  readonly bytesMax?: number;
  /**
   * Makes a member of about `bytes` bytes. The function returned may be called once, and resolves
   * to the outcome.
   */
  readonly prepare: (bytes: number) => Promise<() => Promise<string>>;
}

const FIELDS = ['text', 'number', 'date', 'qrcode', 'table', 'svg'];

function template(content: object): SharedTemplate {
  const fields = FIELDS.map((type) => ({ name: type, type, required: false }));
  return shareTemplate(
    JSON.stringify({ templateId: 'x', name: 'x', fields, document: { content: [content] } }),
  );
}

const WIDE = template({ text: '{{text}}' });
const NARROW = template({ columns: [{ width: 14, text: '{{text}}' }] });
const STRETCHED = template({
  columns: [{ width: 90, text: '{{text}}', alignment: 'justify', characterSpacing: 0.5 }],
});
const OTHERS = template([{ text: '{{number}} {{date}}' }, { qr: '{{qrcode}}' }]);
const TABLE = template({
  table: {
    widths: ['auto', '*', 30],
    body: [{ each: 'table', cells: ['{{0}}', '{{1}}', '{{2}}'] }],
  },
});
const SVG = template({ svg: '{{svg}}', width: 100 });

function outcomeOf(result: RenderResult): string {
  return result.ok ? `${result.value.pages} pages` : `${result.code}: ${result.message}`;
}

/** Repeats `unit` to about `bytes` bytes. */
function fill(unit: string, bytes: number): string {
  return unit.repeat(Math.max(1, Math.floor(bytes / Buffer.byteLength(unit))));
}

const TEXTS: Readonly<Record<string, (bytes: number) => string>> = {
  'Latin without blanks': (bytes) => fill('AVATofi', bytes),
  'Latin words': (bytes) => fill('Total due ', bytes),
  'words that differ': (bytes) =>
    Array.from({ length: bytes / 6 }, (_, index) => index.toString(36).padStart(5, 'q')).join(' '),
  Thai: (bytes) => fill('การทดสอบระบบธนาคาร', bytes),
  'Thai and closing marks': (bytes) => fill('ก)', bytes),
  'closing marks': (bytes) => fill(')', bytes),
  quotes: (bytes) => fill('"', bytes),
  'marks on one base': (bytes) => `a${fill('\u0301', bytes)}`,
  'Thai marks on one base': (bytes) => `ก${fill('\u0e48', bytes)}`,
  'marks that differ': (bytes) => `ก${fill('ั่้๊', bytes)}`,
  'sara am': (bytes) => fill('ำ', bytes),
  'brackets in bidi': (bytes) => `א${fill('()', bytes)}`,
  'nested brackets in bidi': (bytes) => `א${fill('(', bytes / 2)}${fill(')', bytes / 2)}`,
  'digits after Hebrew': (bytes) => `א${fill('1', bytes)}`,
  'isolates in bidi': (bytes) => `א${fill('\u2067a\u2069', bytes)}`,
  'embeddings in bidi': (bytes) => `א${fill('\u202aa\u202c', bytes)}`,
  'formatting alone': (bytes) => `א${fill('\u202e', bytes)}`,
  Arabic: (bytes) => fill('مرحبا', bytes),
  emoji: (bytes) => fill('👨‍👩‍👧😀', bytes),
  ideographs: (bytes) => fill('漢字', bytes),
  newlines: (bytes) => fill('a\n', bytes),
  blanks: (bytes) => fill(' ', bytes),
  'blanks that do not break': (bytes) => fill('\u00a0', bytes),
};

const svg = (inner: string): string =>
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 100 100">${inner}</svg>`;
const PATHS = '<path d="M0 0L9 9"/>'.repeat(40);
const DRAWINGS: Readonly<Record<string, (bytes: number) => string>> = {
  'a path': (bytes) => `<path d="M0 0${fill('L1 2', bytes)}" stroke="red"/>`,
  arcs: (bytes) => `<path d="M0 0${fill('A5 9 20 0 1 3 7', bytes)}"/>`,
  shapes: (bytes) => fill('<rect width="9" height="9" fill="red"/>', Math.min(bytes, 350_000)),
  groups: (bytes) =>
    `${'<g opacity=".5">'.repeat(150)}${fill('<g></g>', Math.min(bytes, 60_000))}${'</g>'.repeat(150)}`,
  uses: (bytes) =>
    `<defs><g id="a">${PATHS}</g></defs>${fill('<use href="#a"/>', Math.min(bytes, 16_000))}`,
  'a paint with many servers': (bytes) => `<rect width="9" fill="${fill('url(#a)', bytes)}"/>`,
  'a long value in a rule': (bytes) =>
    `<style>rect{font-family:${fill('a,', bytes / 2)}b}</style>${fill('<rect/>', Math.min(bytes / 2, 60_000))}`,
  'many unknown properties': (bytes) =>
    `<style>rect{${fill('abc:d;', bytes / 2)}}</style>${fill('<rect/>', Math.min(bytes / 2, 60_000))}`,
  'many declarations': (bytes) =>
    `<style>rect{${fill('fill:red;', bytes / 2)}}</style>${fill('<rect/>', Math.min(bytes / 2, 60_000))}`,
  'open comments in a sheet': (bytes) => `<style>${fill('/*a', bytes)}</style>`,
  'many classes': (bytes) =>
    `<style>.a{fill:red}</style>${fill('<rect class="a b c d e f g h"/>', Math.min(bytes, 270_000))}`,
  gradients: (bytes) =>
    `<linearGradient id="g" spreadMethod="reflect" x2=".1"><stop/><stop offset="1"/></linearGradient>${fill('<path d="M0 0h9v9" fill="url(#g)"/>', Math.min(bytes, 60_000))}`,
  patterns: (bytes) =>
    `<pattern id="p" width=".1" height=".1"><path d="M0 0h1"/></pattern>${fill('<path d="M0 0h9v9z" fill="url(#p)"/>', Math.min(bytes, 16_000))}`,
  markers: (bytes) =>
    `<marker id="m"><path d="M0 0h1"/></marker><path marker-mid="url(#m)" d="M0 0${fill('L1 2', Math.min(bytes, 90_000))}"/>`,
  clips: (bytes) =>
    `<clipPath id="c"><path d="M0 0${fill('L1 2', 1_000)}"/></clipPath>${fill('<rect width="9" height="9" clip-path="url(#c)"/>', Math.min(bytes, 40_000))}`,
  'a text': (bytes) => `<text>${fill('ab ก่ำ ', bytes)}</text>`,
  'turned letters': (bytes) => `<text rotate="5">${fill('ab', Math.min(bytes, 45_000))}</text>`,
  'nested tspans': (bytes) =>
    `<text>${'<tspan dx="1 2">'.repeat(150)}${fill('a', bytes)}${'</tspan>'.repeat(150)}</text>`,
};

const TABLES: Readonly<Record<string, (bytes: number) => readonly string[][]>> = {
  rows: (bytes) => rows(Math.min(2_000, bytes / 20), ['1', 'a b', '9.00']),
  'cells that wrap': (bytes) => rows(Math.min(2_000, bytes / 200), ['1', fill('a b ', 180), 'x']),
  'one long cell': (bytes) => rows(1, ['1', fill('ab ', bytes), 'x']),
  'a long word in an automatic column': (bytes) => rows(1, [fill('x', bytes), 'a', 'b']),
  'a long word in a narrow column': (bytes) => rows(1, ['a', 'b', fill('x', bytes)]),
};

function rows(length: number, row: readonly string[]): string[][] {
  return count(length, () => [...row]);
}

/** Makes as many items as fit into `bytes` and into the limit on the number of values. */
function many<T>(bytes: number, bytesEach: number, valuesEach: number, make: () => T): T[] {
  return count(Math.min(bytes / bytesEach, (LIMITS.layoutValuesMax * 0.99) / valuesEach), make);
}

const DRAFTS: Readonly<Record<string, (bytes: number) => object>> = {
  'small texts': (bytes) => ({ content: many(bytes, 4, 1, () => 'a') }),
  'empty nodes': (bytes) => ({ content: many(bytes, 3, 1, () => ({})) }),
  'empty texts': (bytes) => ({ content: many(bytes, 3, 1, () => '') }),
  'a list': (bytes) => ({ content: [{ ul: many(bytes, 4, 1, () => 'a') }] }),
  'small runs': (bytes) => ({ content: [{ text: many(bytes, 4, 1, () => 'a') }] }),
  'QR codes': (bytes) => ({ content: many(bytes, 11, 2, () => ({ qr: 'a' })) }),
  columns: (bytes) => ({ content: many(bytes, 20, 4, () => ({ columns: ['a', 'b'] })) }),
  'small cells': (bytes) => ({
    content: [
      { table: { body: many(bytes, 40, 11, () => Array.from({ length: 10 }, () => 'a')) } },
    ],
  }),
  'small keys': (bytes) => ({
    content: [],
    styles: Object.fromEntries(count(bytes / 8, (index) => [index.toString(36), 1])),
  }),
  'nodes with styles': (bytes) => ({
    styles: Object.fromEntries(count(bytes / 100, (index) => [`s${index}`, { fontSize: 9 }])),
    content: count(bytes / 100, (index) => ({ text: 'a', style: `s${index}` })),
  }),
  'runs in a paragraph': (bytes) => ({
    content: [{ text: count(bytes / 30, (index) => ({ text: 'a', bold: index % 2 === 0 })) }],
  }),
  'a table of contents': (bytes) => ({
    content: [{ toc: {} }, ...count(bytes / 40, (index) => ({ text: `h${index}`, tocItem: true }))],
  }),
  'a wide table': (bytes) => ({
    content: [{ table: { body: count(20, () => count(Math.min(50, bytes / 400), () => 'a')) } }],
  }),
  'fonts with features': (bytes) => ({
    content: count(bytes / 60, (index) => ({ text: 'a', fontFeatures: { ss01: index } })),
  }),
  'a numbered header on many pages': (bytes) => ({
    header: { text: `{{page}} ${fill('x ', bytes / 4)}` },
    content: [fill('a\n', bytes / 2)],
  }),
  'deep nesting': (bytes) => ({
    content: count(bytes / 400, () => nested(20)),
  }),
};

function count<T>(length: number, make: (index: number) => T): T[] {
  return Array.from({ length: Math.max(1, Math.floor(length)) }, (_, index) => make(index));
}

function nested(depth: number): object {
  return depth === 0 ? { text: 'a' } : { stack: [nested(depth - 1)] };
}

function* familiesOf<T>(
  kind: string,
  list: Readonly<Record<string, T>>,
  runOf: (make: T, bytes: number) => Promise<string>,
): Generator<Family> {
  for (const [name, make] of Object.entries(list)) {
    yield { name: `${kind}: ${name}`, prepare: async (bytes) => () => runOf(make, bytes) };
  }
}

function* draftFamilies(): Generator<Family> {
  for (const [name, make] of Object.entries(DRAFTS)) {
    yield {
      name: `draft: ${name}`,
      bytesMax: LIMITS.templateBytesMax,
      prepare: async (bytes) => {
        const source = { templateId: 'x', name: 'x', fields: [], document: make(bytes) };
        const samples = [{ name: 's', data: {} }];
        const shared = shareTemplate(JSON.stringify({ ...source, samples }));
        return () => check(shared);
      },
    };
  }
}

/** Content that is compared with the same content of another name. */
const CHANGES: Readonly<Record<string, (bytes: number, name: string) => readonly unknown[]>> = {
  'other texts': (bytes, name) => count(bytes / 400, (index) => long(name, index)),
  'other texts in groups': (bytes, name) =>
    count(bytes / 400, (index) => (index % 50 === 49 ? `same ${index}` : long(name, index))),
  'short texts in groups': (bytes, name) =>
    count(bytes / 84, (index) => (index % 50 === 49 ? `same ${index}` : long(name, index, 80))),
  'lists with other texts': (bytes, name) =>
    count(bytes / 42_000, () => ({ stack: count(480, (index) => long(name, index, 80)) })),
};

/** A text that shares few pairs of characters with that of another name. */
function long(name: string, index: number, length = 396): string {
  let text = name;
  for (let at = index; text.length < length; at += 1) {
    text += (at * 7_919 + index).toString(36) + name;
  }
  return text.slice(0, length);
}

function* changeFamilies(): Generator<Family> {
  for (const [name, make] of Object.entries(CHANGES)) {
    yield {
      name: `changes: ${name}`,
      bytesMax: LIMITS.templateBytesMax,
      prepare: async (bytes) => {
        const fileOf = (letter: string): Uint8Array =>
          Buffer.from(JSON.stringify({ fields: [], document: { content: make(bytes, letter) } }));
        const [before, after] = [fileOf('q'), fileOf('w')];
        return async () => `${findChanges(before, after).length} changes`;
      },
    };
  }
}

/** A picture of 30 million pixels in a body of 1 MB. */
const PIXELS_A_BYTE = 30;

function* pictureFamilies(): Generator<Family> {
  for (const [name, make] of Object.entries(PICTURES)) {
    yield {
      name: `image: ${name}`,
      prepare: async (bytes) => {
        const file = await make(bytes * PIXELS_A_BYTE);
        return async () => {
          const outcome = await prepareImage(file, BUDGET);
          return outcome.ok ? `${file.length} bytes` : outcome.fault;
        };
      },
    };
  }
}

async function check(shared: SharedTemplate): Promise<string> {
  const result = await run({ kind: 'check', template: shared, renderSamples: true, atMs: 0 });
  if (result === undefined || !('findings' in result)) throw new Error('not checked');
  return `${result.findings.length} findings, ${result.samples[0]?.pages ?? 0} pages`;
}

const SETTINGS = [
  ['wide', WIDE],
  ['narrow', NARROW],
  ['stretched', STRETCHED],
] as const;

export const FAMILIES: readonly Family[] = [
  ...SETTINGS.flatMap(([name, shared]) => [
    ...familiesOf(`text, ${name}`, TEXTS, async (make, bytes) =>
      outcomeOf(await tryRender(shared, { text: make(bytes) })),
    ),
  ]),
  ...familiesOf('svg', DRAWINGS, async (make, bytes) =>
    outcomeOf(await tryRender(SVG, { svg: svg(make(bytes)) })),
  ),
  ...familiesOf('table', TABLES, async (make, bytes) =>
    outcomeOf(await tryRender(TABLE, { table: make(bytes) })),
  ),
  ...pictureFamilies(),
  ...draftFamilies(),
  ...changeFamilies(),
  {
    name: 'number, date and QR code',
    prepare: async (bytes) => async () => {
      const data = {
        number: fill('9', Math.min(bytes, 40)),
        date: '2026-11-22',
        qrcode: fill('a', Math.min(bytes, 2_900)),
      };
      return outcomeOf(await tryRender(OTHERS, data));
    },
  },
  {
    name: 'attached pages under a watermark',
    prepare: async (bytes) => async () => {
      const text = fill('a\n', bytes);
      const first = await tryRender(WIDE, { text });
      if (!first.ok) return first.code;
      const options = {
        attachments: [first.value.pdf],
        watermark: { text: 'COPY', opacity: 0.2 },
        metadata: { title: 'Title' },
      };
      return outcomeOf(await tryRender(WIDE, { text: 'a' }, options));
    },
  },
];
