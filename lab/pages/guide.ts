import { readFileSync } from 'node:fs';
import { dataUrl, markPng } from './artwork.ts';

/** An example of docs/templates.md: a block of JSON with a picture below it. */
export interface GuideExample {
  /** The picture's file name without `.png`. */
  readonly name: string;
  /** A whole template that shows the example. */
  readonly template: object;
}

const AMOUNT = { decimals: 2, thousandsSeparator: true };

/** The entries of an account. */
const ENTRIES = {
  name: 'entries',
  type: 'list',
  fields: [
    { name: 'day', type: 'date', format: { pattern: 'd MMM yyyy' } },
    { name: 'text', type: 'text' },
    { name: 'amount', type: 'number', format: AMOUNT },
  ],
};

const FIELDS = [
  { name: 'customer', type: 'text' },
  { name: 'issued', type: 'date', format: { pattern: 'd MMMM yyyy' } },
  { name: 'total', type: 'number', format: AMOUNT },
  { name: 'discount', type: 'number' },
  { name: 'note', type: 'text' },
  { name: 'receiptNo', type: 'text' },
  { name: 'verify', type: 'qrcode' },
  { name: 'opening', type: 'number' },
  { name: 'items', type: 'table' },
  { name: 'entries', type: 'table' },
  {
    name: 'holder',
    type: 'record',
    fields: [
      { name: 'name', type: 'text' },
      { name: 'city', type: 'text' },
    ],
  },
  {
    name: 'accounts',
    type: 'list',
    fields: [{ name: 'number', type: 'text' }, ENTRIES],
  },
  {
    name: 'savings',
    type: 'list',
    fields: [{ name: 'number', type: 'text' }, { name: 'opening', type: 'number' }, ENTRIES],
  },
  {
    name: 'lines',
    type: 'list',
    fields: [
      { name: 'text', type: 'text' },
      { name: 'rate', type: 'number' },
      { name: 'net', type: 'number', format: AMOUNT },
    ],
  },
];

/** Data for the bindings of the examples; `discount` is left out on purpose. */
export const GUIDE_DATA = {
  customer: 'Ms Example',
  issued: '2026-11-21',
  total: '1325.5',
  note: 'paid at the counter',
  receiptNo: 'RC-0042',
  verify: 'https://verify.example/RC-0042',
  opening: '1000',
  items: [
    ['1', 'Account statement', '75.5'],
    ['2', 'Safe deposit box', '1250'],
  ],
  entries: [
    ['Salary', '', '24,000.00'],
    ['Rent', '8,500.00', ''],
    ['Electricity', '1,204.25', ''],
    ['Groceries', '950.75', ''],
    ['Transfer', '', '300.00'],
    ['Insurance', '650.00', ''],
  ],
  holder: { name: 'Ms Example', city: 'Chiang Mai' },
  lines: [
    { text: 'Printed statements', rate: '7', net: '1200' },
    { text: 'Training course', rate: '0', net: '4500' },
    { text: 'Safe deposit box', rate: '7', net: '2350.55' },
    { text: 'Export fee', rate: '0', net: '800' },
  ],
  accounts: [
    {
      number: '123-4-56789-0',
      entries: [
        { day: '2026-11-01', text: 'Salary', amount: '24000' },
        { day: '2026-11-03', text: 'Rent', amount: '-8500' },
      ],
    },
    { number: '987-6-54321-0', entries: [] },
  ],
  savings: [
    {
      number: '246-8-01357-9',
      opening: '1250.5',
      entries: [
        { day: '2026-11-05', text: 'Transfer in', amount: '12000' },
        { day: '2026-11-02', text: 'Standing order', amount: '-850.25' },
        { day: '2026-11-19', text: 'Cash withdrawal', amount: '-3000' },
        { day: '2026-11-30', text: 'Interest', amount: '4.17' },
      ],
    },
    {
      number: '135-7-92468-0',
      opening: '90000',
      entries: [{ day: '2026-11-12', text: 'Transfer in', amount: '10000' }],
    },
  ],
};

/** The examples of the guide, in the order of the page. */
export async function guideExamples(): Promise<readonly GuideExample[]> {
  const text = readFileSync(new URL('../../docs/templates.md', import.meta.url), 'utf8');
  const logo = dataUrl(await markPng());
  const blocks = text.matchAll(/```json\n([^`]+)```\n\n!\[[\w ]+\]\(pictures\/([\w-]+)\.png\)/g);
  return [...blocks].map(([, json = '', name = '']) => {
    const example: unknown = JSON.parse(json);
    return { name, template: templateOf(name, example, logo) };
  });
}

/** A whole template around the JSON of an example: a document, or the content of one. */
function templateOf(name: string, example: unknown, logo: string): object {
  const isDocument = typeof example === 'object' && example !== null && 'content' in example;
  const page = { pageSize: { width: 420, height: 'auto' }, pageMargins: 14 };
  const document = isDocument ? { ...page, ...example } : { ...page, content: example };
  const images = JSON.stringify(example).includes('"logo"') ? { images: { logo } } : {};
  return {
    templateId: `guide-${name}`,
    language: 'en',
    fields: FIELDS.map((field) => ({ ...field, required: false })),
    document: { ...document, ...images },
    samples: [{ name, data: GUIDE_DATA }],
  };
}
