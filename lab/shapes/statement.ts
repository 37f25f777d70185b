import { formatMoney, formatShortDate, formatThaiDate, pickDate } from './format.ts';
import {
  accountNumber,
  DATE_FIELD,
  FOOTER_NODE,
  MONEY_FIELD,
  PAGE_KEYS,
  TABLE_LAYOUT,
} from './parts.ts';
import { seededRandom } from '../random.ts';
import type { DocumentOptions, Shape, ShapeDocument, Sheet } from './sheet.ts';
import { DISTRICTS, TRANSACTIONS, vocabulary } from './words.ts';

/** Shape B: an account statement of 2,000 rows and five columns, header row on every page. */
const ROWS = 2_000;
const TITLE = 'รายการเดินบัญชีเงินฝาก';
const LABELS = [
  ['holder', 'ชื่อบัญชี'],
  ['account', 'เลขที่บัญชี'],
  ['branch', 'สาขา'],
  ['from', 'ตั้งแต่วันที่'],
  ['to', 'ถึงวันที่'],
  ['opening', 'ยอดยกมา'],
] as const;
const HEADER = ['วันที่', 'รายการ', 'ถอน', 'ฝาก', 'คงเหลือ'] as const;
const WIDTHS = [62, 178, 75, 75, 85] as const;
const ALIGNS = ['left', 'left', 'right', 'right', 'right'] as const;
const SIZES = { title: 16, info: 10, rows: 9 } as const;

const TEMPLATE = {
  templateId: 'bench-statement',
  name: 'รายการเดินบัญชี',
  language: 'th',
  fields: [
    { name: 'holder', type: 'text', required: true },
    { name: 'account', type: 'text', required: true },
    { name: 'branch', type: 'text', required: true },
    { name: 'from', ...DATE_FIELD },
    { name: 'to', ...DATE_FIELD },
    { name: 'opening', ...MONEY_FIELD },
    { name: 'rows', type: 'table', required: true },
  ],
  document: {
    ...PAGE_KEYS,
    defaultStyle: { font: 'Sarabun', fontSize: SIZES.info },
    footer: FOOTER_NODE,
    content: [
      {
        text: TITLE,
        fontSize: SIZES.title,
        bold: true,
        alignment: 'center',
        margin: [0, 0, 0, 8],
      },
      ...LABELS.map(([name, label], i) => ({
        text: [{ text: `${label} `, bold: true }, `{{${name}}}`],
        margin: [0, 0, 0, i === LABELS.length - 1 ? 8 : 0],
      })),
      {
        table: {
          headerRows: 1,
          widths: WIDTHS,
          body: [
            HEADER.map((text, i) => ({ text, bold: true, alignment: ALIGNS[i] })),
            {
              each: 'rows',
              cells: ALIGNS.map((alignment, i) => ({ text: `{{${i}}}`, alignment })),
            },
          ],
        },
        layout: { ...TABLE_LAYOUT, paddingTop: 1.8, paddingBottom: 1.8 },
        fontSize: SIZES.rows,
      },
    ],
  },
  samples: [{ name: 'ten rows', data: statementDocument(0, { cold: false, rows: 10 }).data }],
};

function statementRows(seed: number, options: DocumentOptions, opening: number): string[][] {
  // Not the random numbers of the document's other fields.
  const random = seededRandom(seed ^ 0x5bd1e995);
  const words = vocabulary(random, options.cold);
  let balance = opening;
  const rows: string[][] = [];
  const count = options.rows ?? ROWS;
  for (let i = 0; i < count; i++) {
    const amount = 100 + random.below(2_500_000);
    const paysOut = random.below(2) === 0 && balance > amount;
    balance += paysOut ? -amount : amount;
    rows.push([
      formatShortDate(pickDate(random)),
      `${words.word(TRANSACTIONS)} ${random.reference(9)}`,
      paysOut ? formatMoney(amount) : '',
      paysOut ? '' : formatMoney(amount),
      formatMoney(balance),
    ]);
  }
  return rows;
}

/** The fields above the table as the page must show them. */
type Shown = Readonly<Record<(typeof LABELS)[number][0], string>>;

function statementSheet(shown: Shown, rows: readonly (readonly string[])[]): Sheet {
  const blocks = LABELS.map(([name, label], i) => ({
    kind: 'text' as const,
    runs: [
      { text: `${label} `, bold: true },
      { text: shown[name], bold: false },
    ],
    size: SIZES.info,
    align: 'left' as const,
    lineHeight: 1,
    after: i === LABELS.length - 1 ? 8 : 0,
  }));
  return {
    blocks: [
      {
        kind: 'text',
        runs: [{ text: TITLE, bold: true }],
        size: SIZES.title,
        align: 'center',
        lineHeight: 1,
        after: 8,
      },
      ...blocks,
      {
        kind: 'table',
        widths: WIDTHS,
        aligns: ALIGNS,
        header: HEADER,
        rows,
        size: SIZES.rows,
        paddingY: 1.8,
        after: 0,
      },
    ],
  };
}

function statementDocument(seed: number, options: DocumentOptions): ShapeDocument {
  const random = seededRandom(seed);
  const words = vocabulary(random, options.cold);
  const opening = 1_000_000 + random.below(90_000_000);
  const data = {
    holder: words.person(),
    account: accountNumber(random),
    branch: words.word(DISTRICTS),
    from: pickDate(random),
    to: pickDate(random),
    opening: opening / 100,
    rows: statementRows(seed, options, opening),
  };
  const shown = (): Shown => ({
    holder: data.holder,
    account: data.account,
    branch: data.branch,
    from: formatThaiDate(data.from),
    to: formatThaiDate(data.to),
    opening: formatMoney(opening),
  });
  return {
    data,
    sheet: () => statementSheet(shown(), data.rows),
    strings: () => [...Object.values(shown()), ...data.rows.flat().filter((cell) => cell !== '')],
  };
}

export const STATEMENT: Shape = {
  name: 'B',
  title: '2,000-row statement',
  pages: 45,
  template: TEMPLATE,
  document: statementDocument,
};
