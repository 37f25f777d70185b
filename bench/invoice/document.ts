import { createRequire } from 'node:module';
import { seededRandom } from '../../lab/random.ts';

/**
 * Shape D: an invoice on one page in Latin script, with ten lines, an embedded TrueType font and no
 * picture: what other libraries show as their example. Each of them draws the same texts at the same
 * places.
 */
export interface Invoice {
  readonly number: string;
  readonly issued: string;
  readonly due: string;
  readonly customer: string;
  readonly street: string;
  readonly town: string;
  readonly subtotal: string;
  readonly tax: string;
  readonly total: string;
  /** Description, quantity, price, amount. */
  readonly lines: readonly (readonly [string, string, string, string])[];
}

const resolve = createRequire(import.meta.url).resolve;
export const ROBOTO = {
  regular: resolve('@expo-google-fonts/roboto/400Regular/Roboto_400Regular.ttf'),
  bold: resolve('@expo-google-fonts/roboto/700Bold/Roboto_700Bold.ttf'),
} as const;

const LINES = 10;
const GOODS = ['Annual licence', 'Support hours', 'Card printing', 'Courier', 'Safe deposit box'];
const NAMES = ['Harbour', 'Meadow', 'Summit', 'Lantern', 'Orchard', 'Granite'] as const;
const PAGE = { size: [595.28, 841.89], margin: 50 } as const;

/** The invoice with this number: the same seed gives the same one. */
export function invoice(seed: number): Invoice {
  const random = seededRandom(seed);
  let sum = 0;
  const lines = Array.from({ length: LINES }, (_, index): Invoice['lines'][number] => {
    const count = 1 + random.below(20);
    const price = 500 + random.below(90_000);
    sum += count * price;
    const good = `${index + 1}. ${random.pick(GOODS)} ${random.reference(6)}`;
    return [good, String(count), money(price), money(count * price)];
  });
  const tax = Math.round(sum * 0.2);
  const day = (): string => `2026-${two(1 + random.below(12))}-${two(1 + random.below(28))}`;
  return {
    number: `INV-${random.digits(8)}`,
    issued: day(),
    due: day(),
    customer: `${random.pick(NAMES)} & ${random.pick(NAMES)} Ltd`,
    street: `${random.digits(2)} ${random.pick(NAMES)} Street`,
    town: `London ${random.reference(6)}`,
    subtotal: money(sum),
    tax: money(tax),
    total: money(sum + tax),
    lines,
  };
}

function two(number: number): string {
  return String(number).padStart(2, '0');
}

function money(cents: number): string {
  const whole = String(Math.floor(cents / 100)).replace(/\B(?=(\d{3})+$)/g, ',');
  return `${whole}.${two(cents % 100)}`;
}

/** A text and where its baseline begins, or ends when it is set right. */
export interface Placed {
  readonly text: string;
  readonly x: number;
  readonly y: number;
  readonly size: number;
  readonly bold: boolean;
  readonly right: boolean;
}

/** A rule from the left to the right margin. */
export interface Sheet {
  readonly texts: readonly Placed[];
  readonly rules: readonly number[];
}

const [LEFT, RIGHT] = [PAGE.margin, PAGE.size[0] - PAGE.margin];
const COLUMNS = [LEFT, 360, 450, RIGHT] as const;
const HEAD = ['Description', 'Quantity', 'Price', 'Amount'] as const;
const [FIRST_ROW, ROW] = [270, 22];

/** Where the peers draw an invoice, in points from the top left corner. */
export function sheetOf(data: Invoice): Sheet {
  const texts: Placed[] = [];
  const put = (
    text: string,
    x: number,
    y: number,
    bold = false,
    size = 10,
    right = false,
  ): void => {
    texts.push({ text, x, y, size, bold, right });
  };
  const row = (cells: readonly string[], y: number, bold: boolean): void => {
    for (const [index, cell] of cells.entries())
      put(cell, COLUMNS[index] ?? 0, y, bold, 10, index > 0);
  };
  put('Invoice', LEFT, 70, true, 24);
  put('Northgate Bank plc', RIGHT, 70, true, 10, true);
  put(`Number ${data.number}`, LEFT, 110);
  put(`Issued ${data.issued}`, LEFT, 126);
  put(`Due ${data.due}`, LEFT, 142);
  put(data.customer, LEFT, 178, true);
  put(data.street, LEFT, 194);
  put(data.town, LEFT, 210);
  row(HEAD, FIRST_ROW - ROW, true);
  for (const [index, line] of data.lines.entries()) row(line, FIRST_ROW + index * ROW, false);
  const end = FIRST_ROW + data.lines.length * ROW;
  row(['', '', 'Subtotal', data.subtotal], end + 8, false);
  row(['', '', 'VAT 20 %', data.tax], end + 24, false);
  row(['', '', 'Total', data.total], end + 40, true);
  put('Thank you. Please pay to account 12345678, sort code 01-02-03.', LEFT, end + 80);
  const rules = [FIRST_ROW - 15, ...data.lines.map((_, index) => FIRST_ROW + 7 + index * ROW)];
  return { texts: texts.filter(({ text }) => text !== ''), rules };
}

/** Every text of the data, as the page must show it. */
export function stringsOf({ lines, ...texts }: Invoice): readonly string[] {
  return [...Object.values(texts), ...lines.flat()];
}

const text = { type: 'text', required: true } as const;
/** The template of the service: the same page, laid out instead of placed. */
export const TEMPLATE = {
  templateId: 'bench-invoice',
  name: 'Invoice',
  fields: [
    ...['number', 'issued', 'due', 'customer', 'street', 'town', 'subtotal', 'tax', 'total'].map(
      (name) => ({ name, ...text }),
    ),
    { name: 'lines', type: 'table', required: true },
  ],
  document: {
    pageSize: 'A4',
    pageMargins: [50, 50, 50, 50],
    defaultStyle: { font: 'Roboto', fontSize: 10 },
    content: [
      {
        columns: [
          { text: 'Invoice', fontSize: 24, bold: true },
          { text: 'Northgate Bank plc', bold: true, alignment: 'right' },
        ],
        margin: [0, 0, 0, 16],
      },
      'Number {{number}}',
      'Issued {{issued}}',
      'Due {{due}}',
      { text: '{{customer}}', bold: true, margin: [0, 20, 0, 0] },
      '{{street}}',
      { text: '{{town}}', margin: [0, 0, 0, 20] },
      {
        table: {
          widths: ['*', 60, 80, 85],
          headerRows: 1,
          body: [
            HEAD.map((head, index) => {
              return { text: head, bold: true, alignment: index === 0 ? 'left' : 'right' };
            }),
            {
              each: 'lines',
              cells: [0, 1, 2, 3].map((index) => {
                return { text: `{{${index}}}`, alignment: index === 0 ? 'left' : 'right' };
              }),
            },
          ],
        },
        layout: 'lightHorizontalLines',
        margin: [0, 0, 0, 8],
      },
      {
        table: {
          widths: ['*', 80, 85],
          body: [
            ['', 'Subtotal', '{{subtotal}}'],
            ['', 'VAT 20 %', '{{tax}}'],
            ['', { text: 'Total', bold: true }, { text: '{{total}}', bold: true }],
          ].map((row) => row.map((cell) => rightAligned(cell))),
        },
        layout: 'noBorders',
        margin: [0, 0, 0, 20],
      },
      'Thank you. Please pay to account 12345678, sort code 01-02-03.',
    ],
  },
} as const;

function rightAligned(cell: string | { readonly text: string; readonly bold: boolean }): object {
  return typeof cell === 'string'
    ? { text: cell, alignment: 'right' }
    : { ...cell, alignment: 'right' };
}
