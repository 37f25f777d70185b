/**
 * Random amounts in random formats, and templates that print them in every kind of container. The
 * expected texts come from string arithmetic that shares no code with the engine.
 */

/** A generator of numbers from 0 to 1 (mulberry32), the same for the same seed. */
export function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

interface Format {
  readonly decimals?: number;
  readonly thousandsSeparator?: boolean;
  readonly prefix?: string;
  readonly suffix?: string;
  readonly digits?: 'thai';
  readonly language?: string;
}

export interface Case {
  readonly template: object;
  readonly data: object;
  /** The texts of all amounts on the page. */
  readonly amounts: readonly string[];
  readonly widthPt: number;
  readonly fontSizePt: number;
  /** Amounts that fit these widths must not be refused: by the narrowest place of each. */
  readonly places: readonly { readonly amount: string; readonly roomPt: number }[];
}

const PREFIXES =
  '||||฿|฿ |$|€|£|US$|THB |THB|USD |(|[|(THB |ยอด |บาท |Rs. |Rs.|≈ |円|Kč |"|+|− |/|a-|ยอดคงเหลือ|%';
const SUFFIXES =
  '||||%| %| บาท|บาท| THB|)|]| kg|-| CR|円|元|.-|/month| per month| ต่อเดือน| ฿|\u00a0€|"| (net)| - |…|°C';
const LANGUAGES = ['en', 'th', 'de', 'hi'];
const SEPARATORS: Readonly<Record<string, readonly [string, string]>> = {
  en: [',', '.'],
  th: [',', '.'],
  de: ['.', ','],
  hi: [',', '.'],
};
const WORDS = 'the balance after fee is due on account จำนวนเงิน คงเหลือ ชำระ ดอกเบี้ย of and'.split(
  ' ',
);
const ALIGNMENTS = ['left', 'right', 'center', 'justify'];

/** One page as wide as the case's width, with amounts in text, columns, lists and tables. */
export function makeCase(seed: number): Case {
  const random = randomFrom(seed);
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;
  const widthPt = 40 + Math.floor(random() * 461);
  const fontSizePt = pick([7, 9, 10, 12]);
  const format = randomFormat(random, pick);
  const amounts: string[] = [];
  /** A random decimal whose printed text is expected `count` times. */
  const amount = (count: number): string => {
    const decimal = randomDecimal(random, widthPt);
    for (let index = 0; index < count; index++) amounts.push(printed(decimal, format));
    return decimal;
  };
  const words = (): string =>
    Array.from({ length: 1 + Math.floor(random() * 6) }, () => pick(WORDS)).join(' ');
  const alignment = pick(ALIGNMENTS);
  const cells = Array.from(
    { length: 1 + Math.floor(random() * Math.min(3, widthPt / 40)) },
    (_, column) => ({
      text: `{{${column}}}`,
      format,
      alignment,
    }),
  );
  const each = (widths: readonly unknown[]): object => ({
    table: { widths, body: [{ each: 'rows', cells }] },
    layout: pick(['noBorders', 'lightHorizontalLines']),
  });
  const columns = cells.length;
  const data = {
    n: amount(4),
    rows: Array.from({ length: 3 }, () => cells.map(() => amount(3))),
  };
  const share = Math.floor(widthPt / columns) - 12;
  const content = [
    { text: `${words()} {{n}} ${words()}`, alignment },
    { columns: [{ width: '*', text: '{{n}}', alignment }] },
    { ul: [`${words()}: {{n}}`] },
    {
      text: [words(), ' ', { text: '{{n}}', bold: true }, '.'],
      alignment,
      wordBreak: pick(['normal', 'break-all']),
    },
    each(cells.map(() => '*')),
    each(cells.map(() => 'auto')),
    each(cells.map(() => share)),
  ];
  const template = {
    templateId: 'amounts',
    language: 'en',
    fields: [
      { name: 'n', type: 'number', required: true, format },
      { name: 'rows', type: 'table', required: true },
    ],
    document: {
      pageSize: { width: widthPt + 2 * MARGIN_PT, height: 3000 },
      pageMargins: MARGIN_PT,
      defaultStyle: { font: 'Sarabun', fontSize: fontSizePt },
      content,
    },
  };
  const places = [
    { amount: printed(data.n, format), roomPt: widthPt - LIST_INDENT_PT },
    ...data.rows.flat().map((cell) => ({ amount: printed(cell, format), roomPt: share })),
  ];
  return { template, data, amounts, widthPt, fontSizePt, places };
}

export const MARGIN_PT = 20;
/** More than the markers of a list take. */
const LIST_INDENT_PT = 20;

function randomFormat(random: () => number, pick: <T>(list: readonly T[]) => T): Format {
  return {
    ...(random() < 0.8 ? { decimals: Math.floor(random() * 4) } : {}),
    thousandsSeparator: random() < 0.8,
    prefix: pick(PREFIXES.split('|')),
    suffix: pick(SUFFIXES.split('|')),
    ...(random() < 0.2 ? { digits: 'thai' as const } : {}),
    language: pick(LANGUAGES),
  };
}

/** Mostly amounts that fit the width, some that do not. */
function randomDecimal(random: () => number, widthPt: number): string {
  const lengthMax = random() < 0.01 ? 24 : Math.min(14, Math.max(2, Math.floor(widthPt / 16)));
  const length = 1 + Math.floor(random() * lengthMax);
  let digits = String(1 + Math.floor(random() * 9));
  while (digits.length < length) digits += String(Math.floor(random() * 10));
  const sign = random() < 0.5 ? '-' : '';
  const fraction = random() < 0.6 ? `.${String(Math.floor(random() * 100)).padStart(2, '0')}` : '';
  return sign + digits + fraction;
}

/** The text that a number must print: rounded half away from zero, grouped, sign before the prefix. */
function printed(decimal: string, format: Format): string {
  const { decimals, prefix = '', suffix = '', language = 'en' } = format;
  const [, sign = '', whole = '', fraction = ''] = /^(-?)(\d+)(?:\.(\d+))?$/u.exec(decimal) ?? [];
  let digits = whole;
  let rest = fraction;
  if (decimals !== undefined) {
    const padded = fraction.padEnd(decimals + 1, '0');
    let units = BigInt(whole + padded.slice(0, decimals));
    if (Number(padded.charAt(decimals)) >= 5) units += 1n;
    const text = String(units).padStart(decimals + 1, '0');
    digits = text.slice(0, text.length - decimals);
    rest = text.slice(text.length - decimals);
  }
  const [group = ',', point = '.'] = SEPARATORS[language] ?? [];
  if (format.thousandsSeparator === true) digits = grouped(digits, group, language === 'hi');
  let text = rest === '' ? digits : digits + point + rest;
  if (format.digits === 'thai')
    text = text.replace(/\d/gu, (digit) => '๐๑๒๓๔๕๖๗๘๙'.charAt(Number(digit)));
  const isZero = !/[1-9๑-๙]/u.test(text);
  return (isZero ? '' : sign) + prefix + text + suffix;
}

function grouped(digits: string, group: string, isIndian: boolean): string {
  const groups: string[] = [];
  let end = digits.length;
  for (let size = 3; end > size; size = isIndian ? 2 : 3) {
    groups.unshift(digits.slice(end - size, end));
    end -= size;
  }
  return [digits.slice(0, end), ...groups].join(group);
}
