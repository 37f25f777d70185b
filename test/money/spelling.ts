import { round } from './decimal.ts';
import type { Decimal } from './decimal.ts';

/** An own speller of numbers, in English and in Thai, to judge `words` by. */

const SMALL = (
  'zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen ' +
  'fifteen sixteen seventeen eighteen nineteen'
).split(' ');
const TENS = 'zero ten twenty thirty forty fifty sixty seventy eighty ninety'.split(' ');
const SCALES = (
  'one thousand million billion trillion quadrillion quintillion sextillion septillion octillion ' +
  'nonillion decillion undecillion duodecillion'
).split(' ');

function belowThousand(value: number): string {
  const words: string[] = [];
  if (value >= 100) words.push(SMALL[Math.floor(value / 100)] ?? '', 'hundred');
  const rest = value % 100;
  if (rest >= 20) {
    const ones = rest % 10;
    const tens = TENS[Math.floor(rest / 10)] ?? '';
    words.push(ones === 0 ? tens : `${tens}-${SMALL[ones]}`);
  } else if (rest > 0) words.push(SMALL[rest] ?? '');
  return words.join(' ');
}

function english(value: bigint): string {
  if (value === 0n) return 'zero';
  const words: string[] = [];
  for (let scale = 0, rest = value; rest > 0n; rest /= 1000n, scale++) {
    const group = Number(rest % 1000n);
    if (group > 0) words.unshift(belowThousand(group) + (scale === 0 ? '' : ` ${SCALES[scale]}`));
  }
  return words.join(' ');
}

const THAI_DIGITS = ['ศูนย์', 'หนึ่ง', 'สอง', 'สาม', 'สี่', 'ห้า', 'หก', 'เจ็ด', 'แปด', 'เก้า'];
const THAI_PLACES = ['', 'สิบ', 'ร้อย', 'พัน', 'หมื่น', 'แสน'];

/** Groups of six digits are joined by ล้าน; a last one after any other digit is เอ็ด. */
function thai(value: bigint): string {
  if (value === 0n) return 'ศูนย์';
  const above = value / 1_000_000n;
  const digits = String(value % 1_000_000n);
  let words = above === 0n ? '' : `${thai(above)}ล้าน`;
  for (let index = 0; index < digits.length; index++) {
    const digit = Number(digits[index]);
    const place = digits.length - 1 - index;
    if (digit === 0) continue;
    if (place === 1 && digit === 1) words += 'สิบ';
    else if (place === 1 && digit === 2) words += 'ยี่สิบ';
    else if (place === 0 && digit === 1 && words !== '') words += 'เอ็ด';
    else words += (THAI_DIGITS[digit] ?? '') + (THAI_PLACES[place] ?? '');
  }
  return words;
}

export type Spelling = 'en' | 'th';

/** A plain number in words, all its fraction digits one by one. */
export function spellNumber(value: Decimal, spelling: Spelling): string {
  const isNegative = value.units < 0n;
  const digits = String(isNegative ? -value.units : value.units).padStart(value.places + 1, '0');
  const whole = BigInt(digits.slice(0, digits.length - value.places));
  const fraction = digits
    .slice(digits.length - value.places)
    .split('')
    .map(Number);
  if (spelling === 'th') {
    const rest = fraction.map((digit) => THAI_DIGITS[digit]).join('');
    return `${isNegative ? 'ลบ' : ''}${thai(whole)}${rest === '' ? '' : `จุด${rest}`}`;
  }
  const rest = fraction.map((digit) => SMALL[digit]).join(' ');
  const words = `${isNegative ? 'minus ' : ''}${english(whole)}${rest === '' ? '' : ` point ${rest}`}`;
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** An amount of baht in words. */
export function spellBaht(amount: Decimal, spelling: Spelling): string {
  const { units } = round(amount, 2);
  const magnitude = units < 0n ? -units : units;
  const baht = magnitude / 100n;
  const satang = magnitude % 100n;
  if (spelling === 'th') {
    const sign = units < 0n ? 'ลบ' : '';
    if (satang === 0n) return `${sign}${thai(baht)}บาทถ้วน`;
    return `${sign}${baht === 0n ? '' : `${thai(baht)}บาท`}${thai(satang)}สตางค์`;
  }
  const rest = satang === 0n ? 'only' : `and ${String(satang).padStart(2, '0')}/100`;
  const words = `${units < 0n ? 'minus ' : ''}${english(baht)} baht ${rest}`;
  return words.charAt(0).toUpperCase() + words.slice(1);
}
