import { CLAUSES, CLOSING, INTRODUCTION } from './contract-text.ts';
import { formatMoney, formatThaiDate, pickDate } from './format.ts';
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
import type { DocumentOptions, Shape, ShapeDocument, Sheet, SheetRun, TextBlock } from './sheet.ts';
import { DISTRICTS, PROVINCES, vocabulary } from './words.ts';

/** Shape C: a loan contract of three pages. Prose with fields spread through it, a parties table. */
const TITLE = 'สัญญากู้ยืมเงิน';
const SIZES = { title: 18, prose: 13.5, table: 10 } as const;
const LINE_HEIGHT = 1.3;
const AFTER = 8;

const TEXT_FIELDS = [
  'place',
  'contractNumber',
  'agent',
  'borrower',
  'borrowerId',
  'borrowerAddress',
  'guarantor',
  'guarantorAddress',
  'purpose',
  'account',
  'deed',
  'landDistrict',
  'officerPhone',
  'witness',
] as const;
const DATE_FIELDS = ['signedOn', 'firstDue', 'lastDue'] as const;
const MONEY_FIELDS = ['principal', 'installment', 'mortgage', 'guaranteeLimit'] as const;
const RATE_FIELDS = ['rate', 'penaltyRate'] as const;

const PARTY_HEADER = ['ฐานะ', 'ชื่อและนามสกุล', 'เลขประจำตัวประชาชน', 'โทรศัพท์'] as const;
const PARTY_WIDTHS = [85, 178, 120, 100] as const;
const PARTY_ALIGNS = ['left', 'left', 'left', 'left'] as const;
const ROLES = ['ผู้ให้กู้', 'ผู้กู้', 'ผู้ค้ำประกัน', 'พยาน'] as const;
const PURPOSES = [
  'ซื้อที่อยู่อาศัย',
  'ต่อเติมบ้านพักอาศัย',
  'ชำระหนี้สินเดิม',
  'ลงทุนค้าขายสินค้าเกษตร',
  'ซื้อเครื่องจักรสำหรับโรงงาน',
  'ขยายกิจการร้านอาหาร',
];

/** A text, or the name of a field that stands between two texts. */
interface ProsePart {
  readonly text: string;
  readonly isField: boolean;
}

/** Splits prose at its `{{name}}` marks. */
function splitProse(prose: string): readonly ProsePart[] {
  return prose
    .split(/\{\{(\w+)\}\}/)
    .map((text, i) => ({ text, isField: i % 2 === 1 }))
    .filter(({ text }) => text !== '');
}

function proseNode(prose: string): Record<string, unknown> {
  return {
    text: splitProse(prose).map(({ text, isField }) =>
      isField ? { text: `{{${text}}}`, bold: true } : text,
    ),
    lineHeight: LINE_HEIGHT,
    margin: [0, 0, 0, AFTER],
  };
}

const TITLE_STYLE = { fontSize: SIZES.title, bold: true, alignment: 'center' } as const;

const TEMPLATE = {
  templateId: 'bench-contract',
  name: 'สัญญากู้ยืมเงิน',
  language: 'th',
  fields: [
    ...TEXT_FIELDS.map((name) => ({ name, type: 'text', required: true })),
    ...DATE_FIELDS.map((name) => ({ name, ...DATE_FIELD })),
    ...MONEY_FIELDS.map((name) => ({ name, ...MONEY_FIELD })),
    ...RATE_FIELDS.map((name) => ({
      name,
      type: 'number',
      required: true,
      format: { decimals: 2 },
      validation: { min: 0, max: 100 },
    })),
    { name: 'months', type: 'number', required: true, format: { decimals: 0 } },
    { name: 'parties', type: 'table', required: true },
  ],
  document: {
    ...PAGE_KEYS,
    defaultStyle: { font: 'Sarabun', fontSize: SIZES.prose },
    footer: FOOTER_NODE,
    content: [
      { text: TITLE, ...TITLE_STYLE, margin: [0, 0, 0, 12] },
      proseNode(INTRODUCTION),
      {
        table: {
          headerRows: 1,
          widths: PARTY_WIDTHS,
          body: [
            PARTY_HEADER.map((text) => ({ text, bold: true })),
            { each: 'parties', cells: PARTY_ALIGNS.map((_, i) => `{{${i}}}`) },
          ],
        },
        layout: { ...TABLE_LAYOUT, paddingTop: 3, paddingBottom: 3 },
        fontSize: SIZES.table,
        margin: [0, 0, 0, 10],
      },
      ...CLAUSES.map(proseNode),
      proseNode(CLOSING),
    ],
  },
  samples: [{ name: 'loan', data: contractDocument(0, { cold: false }).data }],
};

/** An amount in baht. */
function money(random: Random, leastBaht: number, spreadBaht: number): number {
  return (leastBaht * 100 + random.below(spreadBaht * 100)) / 100;
}

function contractData(seed: number, options: DocumentOptions): Record<string, unknown> {
  const random = seededRandom(seed);
  const words = vocabulary(random, options.cold);
  const people = [words.person(), words.person(), words.person(), words.person()] as const;
  return {
    place: `สำนักงานสาขา${words.word(DISTRICTS)}`,
    contractNumber: `LN${random.digits(4)}/${random.digits(6)}`,
    agent: people[0],
    borrower: people[1],
    borrowerId: random.digits(13),
    borrowerAddress: words.address(),
    guarantor: people[2],
    guarantorAddress: words.address(),
    purpose: words.word(PURPOSES),
    account: accountNumber(random),
    deed: random.digits(6),
    landDistrict: `${words.word(DISTRICTS)} ${words.word(PROVINCES)}`,
    officerPhone: `02${random.digits(7)}`,
    witness: people[3],
    signedOn: pickDate(random),
    firstDue: pickDate(random),
    lastDue: pickDate(random),
    principal: money(random, 100_000, 5_000_000),
    installment: money(random, 2_000, 60_000),
    mortgage: money(random, 200_000, 6_000_000),
    guaranteeLimit: money(random, 50_000, 3_000_000),
    rate: (random.below(1200) + 300) / 100,
    penaltyRate: (random.below(300) + 1500) / 100,
    months: 12 + random.below(340),
    parties: ROLES.map((role, i) => [
      role,
      people[i] ?? '',
      random.digits(13),
      `08${random.digits(8)}`,
    ]),
  };
}

/** The printed text of each field. */
function shownValues(data: Readonly<Record<string, unknown>>): ReadonlyMap<string, string> {
  const shown = new Map<string, string>();
  for (const name of TEXT_FIELDS) shown.set(name, String(data[name]));
  for (const name of DATE_FIELDS) shown.set(name, formatThaiDate(String(data[name])));
  for (const name of MONEY_FIELDS) {
    shown.set(name, formatMoney(Math.round(Number(data[name]) * 100)));
  }
  for (const name of RATE_FIELDS) shown.set(name, Number(data[name]).toFixed(2));
  shown.set('months', String(data['months']));
  return shown;
}

function proseBlock(prose: string, shown: ReadonlyMap<string, string>): TextBlock {
  const runs: SheetRun[] = splitProse(prose).map(({ text, isField }) =>
    isField ? { text: shown.get(text) ?? '', bold: true } : { text, bold: false },
  );
  return {
    kind: 'text',
    runs,
    size: SIZES.prose,
    align: 'left',
    lineHeight: LINE_HEIGHT,
    after: AFTER,
  };
}

function contractSheet(shown: ReadonlyMap<string, string>, parties: string[][]): Sheet {
  return {
    blocks: [
      {
        kind: 'text',
        runs: [{ text: TITLE, bold: true }],
        size: SIZES.title,
        align: 'center',
        lineHeight: 1,
        after: 12,
      },
      proseBlock(INTRODUCTION, shown),
      {
        kind: 'table',
        widths: PARTY_WIDTHS,
        aligns: PARTY_ALIGNS,
        header: PARTY_HEADER,
        rows: parties,
        size: SIZES.table,
        paddingY: 3,
        after: 10,
      },
      ...CLAUSES.map((prose) => proseBlock(prose, shown)),
      proseBlock(CLOSING, shown),
    ],
  };
}

function contractDocument(seed: number, options: DocumentOptions): ShapeDocument {
  const data = contractData(seed, options);
  // contractData makes parties as rows of strings.
  const parties = data['parties'] as string[][];
  return {
    data,
    sheet: () => contractSheet(shownValues(data), parties),
    strings: () => [...shownValues(data).values(), ...parties.flat()],
  };
}

export const CONTRACT: Shape = {
  name: 'C',
  title: 'three-page contract',
  pages: 3,
  template: TEMPLATE,
  document: contractDocument,
};
