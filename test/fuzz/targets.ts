import { crc32 } from 'node:zlib';
import { compileContract } from '../../src/workers/contract/contract.ts';
import { contractProblems } from '../../src/workers/contract/descriptor.ts';
import {
  exifSegment,
  insertSegments,
  makePng,
  PALETTE,
} from '../../src/workers/contract/fixtures.ts';
import { compileDateFormat } from '../../src/workers/contract/formats.ts';
import { prepareImage } from '../../src/workers/contract/image.ts';
import { compileMask } from '../../src/workers/contract/mask.ts';
import { compilePattern, PatternError } from '../../src/workers/contract/pattern.ts';
import { parseSvg } from '../../src/workers/contract/svg.ts';
import type { FieldDescriptor } from '../../src/workers/contract/types.ts';

/** One parser under fuzzing. */
export interface Target {
  /** First inputs; the kept corpus comes on top. */
  readonly seeds: () => Promise<readonly (string | Uint8Array)[]>;
  readonly dictionary: readonly string[];
  /**
   * Takes any input. May throw only on a bug. What it gives back tells behaviours apart: an input
   * that shows a new one is mutated further.
   */
  readonly run: (input: Buffer) => string | Promise<string>;
  /** Mends what mutation always breaks (checksums), for some of the inputs. */
  readonly mend?: (input: Buffer) => void;
}

const FIELDS: readonly FieldDescriptor[] = [
  { name: 'text', type: 'text', required: true, validation: { pattern: '^a+$', maxLength: 9 } },
  { name: 'account', type: 'text', required: false, format: { mask: 'xxx-X' } },
  { name: 'number', type: 'number', required: true, format: { decimals: 2 } },
  { name: 'words', type: 'number', required: false, format: { style: 'bahttext' } },
  { name: 'date', type: 'date', required: true, format: { calendar: 'buddhist' } },
  { name: 'image', type: 'image', required: false },
  { name: 'qrcode', type: 'qrcode', required: false },
  { name: 'table', type: 'table', required: false },
  { name: 'svg', type: 'svg', required: false },
  { name: '__proto__', type: 'text', required: false },
];

const contract = compileContract(FIELDS, 'th');

const SAMPLE = {
  text: 'aaa',
  account: '1234',
  number: '1250.50',
  words: '-0.25',
  date: '2026-11-21',
  image: 'data:image/png;base64,iVBORw0KGgo=',
  qrcode: 'https://bank.example/',
  table: [['1', 'ก'], []],
  svg: '<svg><rect/></svg>',
};

const contractTarget: Target = {
  seeds: async () => [
    JSON.stringify(SAMPLE),
    JSON.stringify({ ...SAMPLE, number: 5, table: JSON.stringify(SAMPLE.table) }),
    '{"number":1.5e3,"__proto__":"a","text":"\\ud800\\u0007","date":null}',
    '[]',
  ],
  dictionary: [
    ...'{ } [ ] , : " \\" \\u0000 \\ud800 null true 1e9 -0 1E+400 "number": "table":'.split(' '),
    ...'[[""]] __proto__ constructor 2024-02-29 \x7f \u0085 ก data:image/png;base64, <svg>'.split(
      ' ',
    ),
  ],
  async run(input) {
    const outcome = await contract.check(input);
    if (outcome.ok) return outcome.value.map((value) => value?.type ?? '-').join();
    const names = FIELDS.map(({ name }) => name);
    let last = -1;
    for (const { field } of outcome.fields ?? []) {
      const at = names.indexOf(field);
      if (at <= last) throw new Error('defects are out of order, repeated or unknown');
      last = at;
    }
    return outcome.fields?.map(({ field, reason }) => `${field} ${reason}`).join() ?? outcome.code;
  },
};

const svg = (inner: string): string =>
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9">${inner}</svg>`;

const svgTarget: Target = {
  seeds: async () => [
    svg('<path d="M0 0L1 1z" fill="url(#g)"/><linearGradient id="g"><stop/></linearGradient>'),
    svg('<style>.a{fill:url(#p)}@media print{b{c:d}}</style><pattern id="p"/><g class="a"/>'),
    svg('<g id="a"><use href="#b"/></g><g id="b"/><text xml:space="preserve">ก&#65;&lt;</text>'),
    `<?xml version="1.0"?><!-- c -->${svg('<![CDATA[x]]><marker id="m"/>')}`,
  ],
  dictionary: [
    ...'<g> </g> <use href="# <svg </svg> <style> </style> <![CDATA[ ]]> <!-- --> <!DOCTYPE'.split(
      ' ',
    ),
    ...'<?xml ?> &lt; &#0; &#x10FFFF; & xmlns= xmlns:x=" x:href=" url(# url( ) @import \\ /* */'.split(
      ' ',
    ),
    ...'onload= <script> style=" class=" id=" { } marker: javascript: \u0000 \ud7ff'.split(' '),
  ],
  run(input) {
    const outcome = parseSvg(input.toString('utf8'));
    if (!outcome.ok) return outcome.reason;
    const names = outcome.root.children.map((child) =>
      typeof child === 'string' ? '#' : child.name,
    );
    return [...new Set(names)].join();
  },
};

const imageTarget: Target = {
  async seeds() {
    const { default: sharp } = await import('sharp');
    const pixels = Buffer.from(Array.from({ length: 12 * 9 * 4 }, (_, at) => (at * 31) & 255));
    const raw = { raw: { width: 12, height: 9, channels: 4 } } as const;
    const picture = (): ReturnType<typeof sharp> => sharp(pixels, raw);
    const jpeg = await picture().jpeg().toBuffer();
    return [
      makePng({ widthPx: 9, heightPx: 7, parts: 2 }),
      makePng({ widthPx: 9, heightPx: 7, colorType: 3, chunks: [['PLTE', PALETTE]] }),
      makePng({ widthPx: 9, heightPx: 7, colorType: 0, bitDepth: 1 }),
      makePng({ widthPx: 9, heightPx: 7, colorType: 6, bitDepth: 16 }),
      await picture().png({ progressive: true }).toBuffer(),
      jpeg,
      insertSegments(jpeg, exifSegment(6)),
      await picture().jpeg({ progressive: true }).toBuffer(),
      await picture().toColourspace('cmyk').jpeg().toBuffer(),
      await picture().gif().toBuffer(),
      await picture().webp().toBuffer(),
      await picture().webp({ lossless: true }).toBuffer(),
    ];
  },
  dictionary: ['IHDR', 'PLTE', 'IDAT', 'IEND', 'tRNS', 'iCCP', 'eXIf', '\xff\xd9', 'VP8X', 'ANIM'],
  async run(input) {
    const outcome = await prepareImage(input);
    if (!outcome.ok) return outcome.reason;
    const { filter, colorSpace, bitsPerComponent, softMask } = outcome.value;
    const color = typeof colorSpace === 'string' ? colorSpace : 'Indexed';
    return [filter, color, bitsPerComponent, softMask !== null].join();
  },
  mend: mendPng,
};

/** Sets every chunk's CRC right, so that a change reaches the code behind the check. */
function mendPng(input: Buffer): void {
  if (input[0] !== 0x89) return;
  for (let at = 8; at + 12 <= input.length;) {
    const end = at + 8 + input.readUInt32BE(at);
    if (end + 4 > input.length) return;
    input.writeUInt32BE(crc32(input.subarray(at + 4, end)), end);
    at = end + 4;
  }
}

const formatTarget: Target = {
  seeds: async () => ['^[A-Z]{2}\\d+(a|b)*$', "EEEE 'ที่' d MMMM yyyy", 'xxx-X-•*', '{"decimals":2}'],
  dictionary: "( ) [ ] {2,3} * + ? | \\d \\p{L} \\u{41} ^ $ . (?: (?<a> yyyy MMM ' -".split(' '),
  run(input) {
    const text = input.toString('utf8').slice(0, 2000);
    const pattern = { pattern: text };
    const fields: FieldDescriptor[] = [
      { name: 'd', type: 'date', required: true, format: pattern },
      { name: 't', type: 'text', required: true, validation: pattern },
    ];
    const problems = contractProblems(fields, 'th').map(({ path }) => path);
    compileMask(text).apply('1234567890');
    if (!problems.includes('fields[0].format.pattern')) {
      compileDateFormat({ pattern: text }, 'th')('2026-11-21');
    }
    try {
      compilePattern(text)('aab 12 ก\n');
    } catch (error) {
      if (!(error instanceof PatternError)) throw error;
      return error.message.slice(0, 20);
    }
    return problems.join();
  },
};

export const TARGETS: Readonly<Record<string, Target>> = {
  contract: contractTarget,
  svg: svgTarget,
  image: imageTarget,
  format: formatTarget,
};
