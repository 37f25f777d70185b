import { entryAt } from '../../../errors.ts';
/** Thai words of whole numbers, as cheques and receipts spell them. */

export const THAI_DIGITS = [
  'ศูนย์',
  'หนึ่ง',
  'สอง',
  'สาม',
  'สี่',
  'ห้า',
  'หก',
  'เจ็ด',
  'แปด',
  'เก้า',
] as const;
/** Names of the places below a million, lowest last. */
const PLACES = ['แสน', 'หมื่น', 'พัน', 'ร้อย', 'สิบ', ''] as const;
const MILLION = 'ล้าน';

/** Every piece of a number in Thai words. */
export const THAI_NUMBER_WORDS: readonly string[] = [...THAI_DIGITS, ...PLACES, MILLION, 'เอ็ดยี่สิบ'];

/**
 * Words of an integer, '' for zero. Millions nest: what stands before the last six digits is read
 * as a separate number, followed by ล้าน (10^12 is หนึ่งล้านล้าน).
 */
export function thaiInteger(digits: string): string {
  const high = digits.length > 6 ? thaiInteger(digits.slice(0, -6)) : '';
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
    else words += entryAt(THAI_DIGITS, digit) + entryAt(PLACES, place);
  }
  return words;
}
