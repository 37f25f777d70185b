import type { Chance } from './chance.ts';
import { PLAIN, ZERO, readDecimal, round, write } from './decimal.ts';
import type { Decimal, NumberLook } from './decimal.ts';
import type { SheetItem } from './sheet.ts';
import { spellBaht, spellNumber } from './spelling.ts';

/** Languages whose letters the fonts of the product have; en-IN groups 12,34,567. */
export const NUMBER_LANGUAGES = 'en th de fr es it sv vi pl de-CH en-IN'.split(' ');

/** How ICU separates groups and fraction. */
function signsOf(language: string): { group: string; point: string } {
  const format = new Intl.NumberFormat(language, {
    useGrouping: 'always',
    numberingSystem: 'latn',
  });
  const parts = format.formatToParts(1_234_567.5);
  const signOf = (type: string): string => parts.find((part) => part.type === type)?.value ?? '';
  return { group: signOf('group'), point: signOf('decimal') };
}

const signs = new Map(NUMBER_LANGUAGES.map((language) => [language, signsOf(language)]));

const PREFIXES = ['฿', '$', '€', '£', 'THB ', 'US$', '(', 'Rs. ', '+', 'ยอด ', '~', '#'] as const;
const SUFFIXES = [
  '%',
  ' THB',
  ' บาท',
  ')',
  ' €',
  '.-',
  '/month',
  ' CR',
  ' units left',
  '°',
] as const;

/** Draws a number, its format, and a place for it. */
export function drawNumber(chance: Chance, language: string): SheetItem {
  const value = drawValue(chance);
  const isCell = chance.oneIn(6);
  const isWords = chance.oneIn(8);
  const format: Record<string, unknown> = {};
  const due = isWords
    ? drawWords(chance, value, language, format)
    : write(value, drawLook(chance, language, format));
  const isBare = Object.keys(format).length === 0;
  const isInField = !isCell && chance.oneIn(3);
  return {
    type: isCell ? 'cell' : 'number',
    fieldFormat: isInField && !isBare ? format : null,
    value: write(value, PLAIN),
    keys: {
      ...(isInField || isBare ? {} : { format }),
      alignment: chance.pick(['left', 'right', 'center', 'justify']),
      fontSize: chance.pick([6, 8, 10, 12, 16]),
      ...(chance.oneIn(3) ? { font: 'Sarabun' } : {}),
      ...(chance.oneIn(4) ? { bold: true } : {}),
    },
    around: chance.pick(AROUND),
    widthPt: chance.whole(40, 500),
    // A cell without any format is a text.
    due: [isBare && isCell ? write(value, PLAIN) : due],
    isWord: !isWords && !(isBare && isCell),
  };
}

const AROUND: readonly [readonly [string, string], ...(readonly [string, string])[]] = [
  ['', ''],
  ['', ''],
  ['Your balance on 24 November is ', ' after the fee of this month.'],
  ['A payment of ', ', due today, was made to the account of the payee.'],
  ['ยอดเงินคงเหลือ ', ' ณ วันที่ 24 พฤศจิกายน'],
  ['The total (', ') is paid in full.'],
];

function drawValue(chance: Chance): Decimal {
  const digits = chance.oneIn(20) ? chance.whole(16, 30) : chance.whole(1, 12);
  let text = chance.oneIn(15) ? '0' : String(chance.whole(1, 9));
  while (text !== '0' && text.length < digits) text += String(chance.whole(0, 9));
  const places = chance.pick([0, 1, 2, 2, 2, 3, 5, 10]);
  let fraction = '';
  // Fives and nines at the end are where roundings go wrong.
  while (fraction.length < places) fraction += chance.pick(['0', '5', '9', '4', '1', '7']);
  const sign = chance.oneIn(3) && /[1-9]/.test(text + fraction) ? '-' : '';
  return readDecimal(`${sign}${text}${fraction === '' ? '' : `.${fraction}`}`) ?? ZERO;
}

function drawLook(chance: Chance, language: string, format: Record<string, unknown>): NumberLook {
  const { group, point } = signs.get(language) ?? { group: '', point: '.' };
  const decimals = chance.oneIn(4) ? null : chance.pick([2, 2, 2, 0, 1, 3, 6]);
  const isGrouped = !chance.oneIn(4);
  const prefix = chance.oneIn(2) ? chance.pick(PREFIXES) : '';
  const suffix = chance.oneIn(3) ? chance.pick(SUFFIXES) : '';
  const thaiDigits = chance.oneIn(8);
  if (decimals !== null) format['decimals'] = decimals;
  if (isGrouped) format['thousandsSeparator'] = true;
  if (prefix !== '') format['prefix'] = prefix;
  if (suffix !== '') format['suffix'] = suffix;
  if (thaiDigits) format['digits'] = 'thai';
  const groupRest = language === 'en-IN' ? 2 : 3;
  return {
    decimals,
    group: isGrouped ? group : '',
    groupRest,
    point,
    prefix,
    suffix,
    thaiDigits,
  };
}

function drawWords(
  chance: Chance,
  value: Decimal,
  language: string,
  format: Record<string, unknown>,
): string {
  const own = language === 'en' || language === 'th' ? language : null;
  const spelling = own !== null && chance.oneIn(2) ? own : chance.pick(['en', 'th'] as const);
  if (spelling !== own || chance.oneIn(2)) format['language'] = spelling;
  format['words'] = true;
  if (chance.oneIn(2)) {
    format['currency'] = 'THB';
    return spellBaht(value, spelling);
  }
  if (chance.oneIn(2)) return spellNumber(value, spelling);
  const decimals = chance.whole(0, 3);
  format['decimals'] = decimals;
  return spellNumber(round(value, decimals), spelling);
}
