import { mutateJson } from '../mutate-json.ts';
import { mutateStrings } from '../mutate-strings.ts';
import { shareTemplate, tryRender } from '../../../lab/render.ts';
import type { RenderResult } from '#engine';
import type { Target } from './target.ts';

/** Data of a document with every field type; drafts with their samples; markup of an svg field. */

const LENGTH_MAX = 20_000;
const names = ['text', 'narrow', 'justified', 'spaced', 'whole', 'qr'];
const TEMPLATE = shareTemplate(
  JSON.stringify({
    templateId: 'fuzz',
    name: 'Fuzz',
    fields: [
      ...names.map((name) => ({ name, type: name === 'qr' ? 'qrcode' : 'text', required: false })),
      { name: 'number', type: 'number', required: false },
      { name: 'date', type: 'date', required: false },
      { name: 'table', type: 'table', required: false },
      { name: 'svg', type: 'svg', required: false },
    ],
    document: {
      content: [
        { text: '{{text}} {{number}} {{date}}' },
        {
          columns: [
            { width: 14, text: '{{narrow}}' },
            { width: '*', text: '{{justified}}', alignment: 'justify' },
          ],
        },
        { text: '{{spaced}}', characterSpacing: 1, decoration: 'underline' },
        { text: '{{whole}}', noWrap: true },
        { qr: '{{qr}}' },
        {
          table: {
            widths: ['auto', '*', 20],
            body: [{ each: 'table', cells: ['{{0}}', '{{1}}', '{{2}}'] }],
          },
        },
        { svg: '{{svg}}', width: 100 },
      ],
    },
  }),
);

function behaviourOf(result: RenderResult): string {
  if (result.ok) {
    const { pages, pdf } = result.value;
    return `${Math.ceil(Math.log2(pages + 1))} pages, ${Math.ceil(4 * Math.log2(pdf.length))}`;
  }
  if (result.code === 'internal_error') throw new Error(result.message);
  return `${result.code} ${result.fields?.map(({ reason }) => reason).join() ?? ''}`;
}

export const renderTarget: Target = {
  seeds: async () => [
    JSON.stringify({ text: 'Total 12,500.00 รับเงินแล้ว', narrow: 'abcdefghij', number: '1.50' }),
    JSON.stringify({ text: 'שלום (abc) 12', justified: 'ทดสอบ ระบบ ธนาคาร การเงิน' }),
    JSON.stringify({
      spaced: 'กำ ก่ำ e\u0301',
      whole: 'x😀',
      qr: 'https://example.com',
      date: '2026-11-22',
    }),
    JSON.stringify({
      table: [
        ['a', 'ข้อความ', '1'],
        ['b', 'c d e', '2'],
        ['', ' ', 'f'],
      ],
    }),
  ],
  dictionary: ['"text":', '\\u0e33', '\\u0301', '\\u2067', '\\u2069', '(', ')', 'ำ'],
  mutate: (known, random) =>
    random.chance(4) ? mutateJson(known, random) : mutateStrings(known, random, LENGTH_MAX),
  run: async (input) => {
    let data: unknown;
    try {
      data = JSON.parse(input.toString('utf8'));
    } catch (error) {
      if (error instanceof SyntaxError) return 'no JSON';
      throw error;
    }
    return behaviourOf(await tryRender(TEMPLATE, data));
  },
};

const svg = (inner: string): string =>
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9">${inner}</svg>`;

/** SVG markup that is drawn, not only parsed. */
export const drawTarget: Target = {
  seeds: async () => [
    svg(
      '<path d="M0 0L1 1z" fill="url(#g)"/><linearGradient id="g"><stop/><stop/></linearGradient>',
    ),
    svg(
      '<style>.a{fill:url(#p)}g{stroke:red}</style><pattern id="p" width="1" height="1"><path d="M0 0h1"/></pattern><g class="a"><rect width="9" height="9"/></g>',
    ),
    svg(
      '<g id="a" transform="rotate(3)"><use href="#b" opacity=".5"/></g><g id="b"><path d="M1 1A2 2 0 0 1 3 3"/></g>',
    ),
    svg(
      '<text x="1 2" rotate="3">ก่ำ a<tspan dy="1">b</tspan></text><clipPath id="c"><rect width="1" height="1"/></clipPath><g clip-path="url(#c)"><rect/></g>',
    ),
    svg(
      '<marker id="m"><path d="M0 0h1"/></marker><path marker-mid="url(#m)" stroke-dasharray="1 2" stroke="red" d="M0 0L1 1 2 2"/>',
    ),
  ],
  dictionary: [
    ...'<g> </g> <use href="#a"/> <style> </style> <rect width="9" height="9"/> <text> </text>'.split(
      ' ',
    ),
    ...'fill="url(#g)" opacity=".5" clip-path="url(#c)" rotate="3" {fill:red} .a * , L1 2 <tspan>'.split(
      ' ',
    ),
    ...'transform="scale(2)" class="a" id="a" stroke="red" marker-mid="url(#m)" </tspan>'.split(
      ' ',
    ),
  ],
  async run(input) {
    return behaviourOf(await tryRender(TEMPLATE, { svg: input.toString('utf8') }));
  },
};
