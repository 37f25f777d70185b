import { entryAt } from '../../../errors.ts';
import type { Currency } from './currencies.ts';
import { CURRENCIES } from './currencies.ts';
import { roundMagnitude, splitDecimal } from './decimal.ts';
import { THAI_DIGITS, THAI_NUMBER_WORDS, thaiInteger } from './thai-number.ts';

/** Numbers and amounts of money in words, in Thai and English, from exact decimals. */

const UNITS = [
  'zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen',
  'fifteen sixteen seventeen eighteen nineteen',
]
  .join(' ')
  .split(' ');
const TENS = '- - twenty thirty forty fifty sixty seventy eighty ninety'.split(' ');
/** Names of the groups of three digits, lowest first (the short scale of banking English). */
const SCALES = [
  '',
  ...'thousand million billion trillion quadrillion quintillion sextillion septillion'.split(' '),
  ...'octillion nonillion decillion undecillion duodecillion'.split(' '),
];
/** Integer digits that have names: enough for 40 digits, also when rounding up adds one. */
const ENGLISH_DIGITS_MAX = SCALES.length * 3;

/** Whether a decimal has so few digits before its point that they can be spelled. */
export function hasName(decimal: string): boolean {
  return splitDecimal(decimal)[0].length < ENGLISH_DIGITS_MAX;
}

/** Languages that numbers are spelled in. */
export type WordsLanguage = 'en' | 'th';

/** The language of words for a tag, or null where there is none. */
export function wordsLanguage(language: string): WordsLanguage | null {
  const primary = language.toLowerCase().split(/[-_]/, 1)[0];
  if (primary === 'th') return 'th';
  return primary === 'en' || primary === '' || primary === undefined ? 'en' : null;
}

export interface WordsOptions {
  readonly language: WordsLanguage;
  /** ISO 4217 code; null: a plain number. */
  readonly currency: string | null;
  /** Digits to which a plain number is rounded; null: it stays as it is. */
  readonly decimals: number | null;
}

/**
 * Spells an exact decimal: `1250.50` is "One thousand two hundred fifty baht and 50/100" in English
 * and หนึ่งพันสองร้อยห้าสิบบาทห้าสิบสตางค์ in Thai, a whole amount ends in "only" or ถ้วน. Amounts
 * are rounded to the money's smallest unit, half away from zero.
 */
export function compileWords({
  language,
  currency,
  decimals,
}: WordsOptions): (decimal: string) => string {
  const money = currency === null ? null : currencyOf(currency);
  const places = money === null ? decimals : money.decimals;
  return (decimal) => {
    const [integer, fraction] =
      places === null ? splitDecimal(decimal) : roundMagnitude(decimal, places);
    const isNegative = decimal.startsWith('-') && /[1-9]/.test(integer + fraction);
    const body =
      language === 'th' ? inThai(integer, fraction, money) : inEnglish(integer, fraction, money);
    if (language === 'th') return isNegative ? `ลบ${body}` : body;
    return capitalized(isNegative ? `minus ${body}` : body);
  };
}

function currencyOf(code: string): Currency {
  const money = Object.hasOwn(CURRENCIES, code) ? CURRENCIES[code] : undefined;
  if (money === undefined) throw new RangeError('the currency was not checked');
  return money;
}

function inThai(integer: string, fraction: string, money: Currency | null): string {
  const spelled = thaiInteger(integer);
  const whole = spelled === '' ? entryAt(THAI_DIGITS, 0) : spelled;
  if (money === null) {
    if (!/\d/.test(fraction)) return whole;
    return `${whole}จุด${Array.from(fraction, (digit) => entryAt(THAI_DIGITS, Number(digit))).join('')}`;
  }
  const part = thaiInteger(fraction);
  if (part === '') return `${whole}${money.thai}ถ้วน`;
  return `${spelled === '' ? '' : spelled + money.thai}${part}${money.thaiPart}`;
}

function inEnglish(integer: string, fraction: string, money: Currency | null): string {
  const whole = englishInteger(integer);
  if (money === null) {
    if (fraction === '') return whole;
    return `${whole} point ${Array.from(fraction, (digit) => entryAt(UNITS, Number(digit))).join(' ')}`;
  }
  const [one, many] = money.english;
  const name = /^0*1$/.test(integer) ? one : many;
  if (!/[1-9]/.test(fraction)) return `${whole} ${name} only`;
  return `${whole} ${name} and ${fraction}/1${'0'.repeat(fraction.length)}`;
}

/** Words of an integer, groups of three digits from the highest down. */
function englishInteger(integer: string): string {
  const digits = integer.replace(/^0+/, '');
  if (digits === '') return entryAt(UNITS, 0);
  if (digits.length > ENGLISH_DIGITS_MAX) throw new RangeError('a number without a name');
  const groups = Math.ceil(digits.length / 3);
  const padded = digits.padStart(groups * 3, '0');
  const words: string[] = [];
  for (let group = 0; group < groups; group++) {
    const value = Number(padded.slice(group * 3, group * 3 + 3));
    if (value === 0) continue;
    words.push(belowThousand(value));
    const scale = entryAt(SCALES, groups - 1 - group);
    if (scale !== '') words.push(scale);
  }
  return words.join(' ');
}

function belowThousand(value: number): string {
  const hundreds = Math.floor(value / 100);
  const rest = value % 100;
  const words = hundreds === 0 ? [] : [`${UNITS[hundreds]} hundred`];
  if (rest > 0 && rest < 20) words.push(entryAt(UNITS, rest));
  else if (rest >= 20) {
    const ones = rest % 10;
    words.push(entryAt(TENS, Math.floor(rest / 10)) + (ones === 0 ? '' : `-${UNITS[ones]}`));
  }
  return words.join(' ');
}

function capitalized(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}

/** Every piece that `compileWords` can print with these options, for font subsets. */
export function wordsRepertoire(language: WordsLanguage, currency: string | null): string[] {
  const money = currency === null ? null : currencyOf(currency);
  if (language === 'th') {
    const names = money === null ? [] : [money.thai, money.thaiPart];
    return [...THAI_NUMBER_WORDS, 'ลบจุดถ้วน', ...names];
  }
  const words = [...UNITS, ...TENS, ...SCALES, 'minus and only point hundred 0123456789/'];
  return [...words, ...words.map(capitalized), ...(money?.english ?? [])];
}
