import { decimalMoney, formatMoney, formatThaiDate, pickDate } from './format.ts';
import { LOGO_DATA_URL, LOGO_PT } from './logo.ts';
import {
  accountNumber,
  DATE_FIELD,
  FOOTER_NODE,
  MONEY_FIELD,
  PAGE_KEYS,
  TABLE_LAYOUT,
} from './parts.ts';
import { seededRandom } from '../random.ts';
import type { Random } from '../random.ts';
import { PAIRS } from './sheet.ts';
import type { DocumentOptions, Shape, ShapeDocument, Sheet } from './sheet.ts';
import { DISTRICTS, PRODUCTS, PROVINCES, vocabulary } from './words.ts';
import type { Vocabulary } from './words.ts';

/** Shape A: a one-page Thai receipt. Logo, QR code, 25 labelled fields, ten rows of items. */
type FieldKind = 'text' | 'date' | 'money';

/** The first column takes FIRST_COLUMN of them, the second the rest. */
const FIELDS: readonly (readonly [name: string, label: string, kind: FieldKind])[] = [
  ['receiptNumber', 'เลขที่ใบเสร็จ', 'text'],
  ['issued', 'วันที่ออก', 'date'],
  ['customer', 'ได้รับเงินจาก', 'text'],
  ['taxId', 'เลขผู้เสียภาษี', 'text'],
  ['address', 'ที่อยู่', 'text'],
  ['phone', 'โทรศัพท์', 'text'],
  ['email', 'อีเมล', 'text'],
  ['contractNumber', 'เลขที่สัญญา', 'text'],
  ['account', 'เลขที่บัญชี', 'text'],
  ['periodFrom', 'งวดตั้งแต่วันที่', 'date'],
  ['periodTo', 'ถึงวันที่', 'date'],
  ['branch', 'สาขา', 'text'],
  ['cashier', 'ผู้รับเงิน', 'text'],
  ['terminal', 'เครื่องรับชำระ', 'text'],
  ['method', 'ชำระโดย', 'text'],
  ['paidOn', 'วันที่ชำระ', 'date'],
  ['approval', 'รหัสอนุมัติ', 'text'],
  ['reference', 'เลขที่อ้างอิง', 'text'],
  ['province', 'จังหวัด', 'text'],
  ['subtotal', 'รวมเป็นเงิน', 'money'],
  ['discount', 'ส่วนลด', 'money'],
  ['vat', 'ภาษีมูลค่าเพิ่ม 7%', 'money'],
  ['total', 'จำนวนเงินสุทธิ', 'money'],
  ['received', 'รับเงินมา', 'money'],
  ['change', 'เงินทอน', 'money'],
];
const FIRST_COLUMN = 13;
const ITEM_HEADER = ['ลำดับ', 'รายการ', 'จำนวน', 'ราคาต่อหน่วย', 'จำนวนเงิน'] as const;
const ITEM_WIDTHS = [28, 217, 50, 85, 95] as const;
const ITEM_ALIGNS = ['center', 'left', 'right', 'right', 'right'] as const;
const MASTHEAD = [
  { text: 'บริษัท สินเชื่อตัวอย่างไทย จำกัด (มหาชน)', bold: true },
  { text: '99/9 ถนนพระรามที่ 4 แขวงสีลม เขตบางรัก กรุงเทพมหานคร 10500', bold: false },
  { text: 'โทรศัพท์ 0 2000 1234 เลขประจำตัวผู้เสียภาษี 0107500000001', bold: false },
] as const;
const TITLE = 'ใบเสร็จรับเงิน / ใบกำกับภาษี';
const SIZES = { masthead: 9, title: 16, pairs: 9.5, items: 9.5 } as const;
const QR_PT = 90;
const ITEMS = 10;
const VAT_SHARE = 0.07;
const METHODS = ['เงินสด', 'โอนผ่านธนาคาร', 'บัตรเครดิต', 'พร้อมเพย์', 'เช็คธนาคาร', 'หักบัญชีอัตโนมัติ'];

function fieldDescriptor([name, , kind]: (typeof FIELDS)[number]): Record<string, unknown> {
  switch (kind) {
    case 'text':
      return { name, type: 'text', required: true };
    case 'date':
      return { name, ...DATE_FIELD };
    case 'money':
      return { name, ...MONEY_FIELD, validation: { min: 0 } };
  }
}

function pairsTable(fields: typeof FIELDS): Record<string, unknown> {
  return {
    table: {
      widths: [PAIRS.labelWidth, '*'],
      body: fields.map(([name, label]) => [{ text: label, bold: true }, `{{${name}}}`]),
    },
    layout: 'noBorders',
    fontSize: SIZES.pairs,
  };
}

const TEMPLATE = {
  templateId: 'bench-receipt',
  name: 'ใบเสร็จรับเงิน',
  language: 'th',
  fields: [
    ...FIELDS.map(fieldDescriptor),
    { name: 'items', type: 'table', required: true },
    { name: 'verify', type: 'qrcode', required: true },
  ],
  document: {
    ...PAGE_KEYS,
    defaultStyle: { font: 'Sarabun', fontSize: 10 },
    images: { logo: LOGO_DATA_URL },
    footer: FOOTER_NODE,
    content: [
      {
        columns: [
          { image: 'logo', width: LOGO_PT.width },
          {
            width: '*',
            alignment: 'right',
            fontSize: SIZES.masthead,
            stack: MASTHEAD.map(({ text, bold }) => ({ text, bold })),
          },
        ],
        margin: [0, 0, 0, 12],
      },
      {
        text: TITLE,
        fontSize: SIZES.title,
        bold: true,
        alignment: 'center',
        margin: [0, 0, 0, 10],
      },
      {
        columns: [
          { width: '*', ...pairsTable(FIELDS.slice(0, FIRST_COLUMN)) },
          { width: '*', ...pairsTable(FIELDS.slice(FIRST_COLUMN)) },
        ],
        columnGap: PAIRS.columnGap,
        margin: [0, 0, 0, 12],
      },
      {
        table: {
          headerRows: 1,
          widths: ITEM_WIDTHS,
          body: [
            ITEM_HEADER.map((text, i) => ({ text, bold: true, alignment: ITEM_ALIGNS[i] })),
            {
              each: 'items',
              cells: ITEM_ALIGNS.map((alignment, i) => ({ text: `{{${i}}}`, alignment })),
            },
          ],
        },
        layout: { ...TABLE_LAYOUT, paddingTop: 3, paddingBottom: 3 },
        fontSize: SIZES.items,
        margin: [0, 0, 0, 12],
      },
      { qr: '{{verify}}', fit: QR_PT, eccLevel: 'M' },
    ],
  },
  samples: [{ name: 'ten items', data: receiptData(0, { cold: false }) }],
};

function itemRows(random: Random, words: Vocabulary): { rows: string[][]; sumSatang: number } {
  const rows: string[][] = [];
  let sumSatang = 0;
  for (let i = 1; i <= ITEMS; i++) {
    const count = 1 + random.below(40);
    const priceSatang = 2_500 + random.below(1_500_000);
    sumSatang += count * priceSatang;
    rows.push([
      String(i),
      `${words.word(PRODUCTS)} ${random.reference(6)}`,
      String(count),
      formatMoney(priceSatang),
      formatMoney(count * priceSatang),
    ]);
  }
  return { rows, sumSatang };
}

function receiptData(seed: number, options: DocumentOptions): Record<string, unknown> {
  const random = seededRandom(seed);
  const words = vocabulary(random, options.cold);
  const { rows, sumSatang } = itemRows(random, words);
  const discount = random.below(100_000);
  const vat = Math.round((sumSatang - discount) * VAT_SHARE);
  const total = sumSatang - discount + vat;
  const received = total + random.below(100_000);
  const reference = random.reference(16);
  return {
    receiptNumber: `RC${random.digits(10)}`,
    issued: pickDate(random),
    customer: words.person(),
    taxId: random.digits(13),
    address: words.address(),
    phone: `08${random.digits(8)}`,
    email: `${random.reference(9).toLowerCase()}@example.co.th`,
    contractNumber: `LN-${random.digits(4)}-${random.digits(6)}`,
    account: accountNumber(random),
    periodFrom: pickDate(random),
    periodTo: pickDate(random),
    branch: words.word(DISTRICTS),
    cashier: words.person(),
    terminal: `POS${random.digits(7)}`,
    method: words.word(METHODS),
    paidOn: pickDate(random),
    approval: random.digits(6),
    reference,
    province: words.word(PROVINCES),
    subtotal: decimalMoney(sumSatang),
    discount: decimalMoney(discount),
    vat: decimalMoney(vat),
    total: decimalMoney(total),
    received: decimalMoney(received),
    change: decimalMoney(received - total),
    items: rows,
    verify: `https://verify.example.co.th/r/${reference}?d=${random.reference(49)}`,
  };
}

/** A value as the page must show it. */
function display(kind: FieldKind, value: string): string {
  switch (kind) {
    case 'text':
      return value;
    case 'date':
      return formatThaiDate(value);
    case 'money':
      return formatMoney(Math.round(Number(value) * 100));
  }
}

function receiptPairs(data: Readonly<Record<string, unknown>>): (readonly [string, string])[] {
  return FIELDS.map(([name, label, kind]) => [label, display(kind, String(data[name]))] as const);
}

function receiptSheet(data: Readonly<Record<string, unknown>>, items: string[][]): Sheet {
  const pairs = receiptPairs(data);
  return {
    blocks: [
      { kind: 'masthead', lines: MASTHEAD, size: SIZES.masthead, after: 12 },
      {
        kind: 'text',
        runs: [{ text: TITLE, bold: true }],
        size: SIZES.title,
        align: 'center',
        lineHeight: 1,
        after: 10,
      },
      {
        kind: 'pairs',
        columns: [pairs.slice(0, FIRST_COLUMN), pairs.slice(FIRST_COLUMN)],
        size: SIZES.pairs,
        after: 12,
      },
      {
        kind: 'table',
        widths: ITEM_WIDTHS,
        aligns: ITEM_ALIGNS,
        header: ITEM_HEADER,
        rows: items,
        size: SIZES.items,
        paddingY: 3,
        after: 12,
      },
      { kind: 'qr', text: String(data['verify']), size: QR_PT },
    ],
  };
}

function receiptDocument(seed: number, options: DocumentOptions): ShapeDocument {
  const data = receiptData(seed, options);
  // receiptData makes items as rows of strings.
  const items = data['items'] as string[][];
  return {
    data,
    sheet: () => receiptSheet(data, items),
    strings: () => [...receiptPairs(data).map(([, value]) => value), ...items.flat()],
  };
}

export const RECEIPT: Shape = {
  name: 'A',
  title: 'one-page receipt',
  pages: 1,
  template: TEMPLATE,
  document: receiptDocument,
};
