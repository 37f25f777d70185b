import { roundMagnitude } from './decimal.ts';

/** Thai words of an amount of money, as cheques and receipts spell it. */

const DIGITS = ['', 'หนึ่ง', 'สอง', 'สาม', 'สี่', 'ห้า', 'หก', 'เจ็ด', 'แปด', 'เก้า'] as const;
/** Names of the places below a million, lowest last. */
const PLACES = ['แสน', 'หมื่น', 'พัน', 'ร้อย', 'สิบ', ''] as const;
const MILLION = 'ล้าน';

/** Every piece `bahtText` can print. */
export const BAHT_WORDS: readonly string[] = [
  ...DIGITS,
  ...PLACES,
  MILLION,
  'ศูนย์เอ็ดยี่สิบลบบาทถ้วนสตางค์',
];

/** `1250.50` → หนึ่งพันสองร้อยห้าสิบบาทห้าสิบสตางค์; rounded to satang, half away from zero. */
export function bahtText(decimal: string): string {
  const [baht, satang] = roundMagnitude(decimal, 2);
  const isZero = /^0+$/.test(baht + satang);
  const sign = decimal.startsWith('-') && !isZero ? 'ลบ' : '';
  const hasSatang = satang !== '00';
  const whole = readInteger(baht);
  if (!hasSatang) return `${sign}${whole === '' ? 'ศูนย์' : whole}บาทถ้วน`;
  const bahtWords = whole === '' ? '' : `${whole}บาท`;
  return `${sign}${bahtWords}${readInteger(satang)}สตางค์`;
}

/**
 * Words of an integer, '' for zero. Millions nest: what stands before the last six digits is read
 * as a number of its own, followed by ล้าน (10^12 is หนึ่งล้านล้าน).
 */
function readInteger(digits: string): string {
  const high = digits.length > 6 ? readInteger(digits.slice(0, -6)) : '';
  const low = readBelowMillion(digits.slice(-6).padStart(6, '0'), high !== '');
  return high === '' ? low : high + MILLION + low;
}

/** Exactly six digits. A final 1 is เอ็ด when anything stands before it. */
function readBelowMillion(digits: string, follows: boolean): string {
  let words = '';
  for (let place = 0; place < 6; place++) {
    const digit = digits.charCodeAt(place) - 48;
    if (digit === 0) continue;
    const isTens = place === 4;
    const isOnes = place === 5;
    if (isTens && digit === 1) words += 'สิบ';
    else if (isTens && digit === 2) words += 'ยี่สิบ';
    else if (isOnes && digit === 1 && (follows || words !== '')) words += 'เอ็ด';
    else words += (DIGITS[digit] ?? '') + (PLACES[place] ?? '');
  }
  return words;
}
