/**
 * Rules beside the pair table for spaces, quotes and Thai: numbers that belong to a word over a
 * space, marks that must not stand alone at a line's end, and breaks where Thai meets another
 * script.
 */

const SPACE = 0x20;
const PERCENT = 0x25;
const FULL_STOP = 0x2e;
const PER_MILLE = 0x2030;
const STRAIGHT_QUOTE = 0x22;

/** Words that stay with a number after them: `วันที่ 5`, `ร้อยละ 7.50`. */
const BEFORE_NUMBER = 'ที่ ข้อ ร้อยละ มาตรา หน้า พ.ศ. ค.ศ. งวด โทร. หมู่ ซอย ชั้น ฿ เล่ม ตอน'.split(' ');
/** Units that stay with the number before them. */
const AFTER_NUMBER = 'บาท สตางค์ เปอร์เซ็นต์ น. ล้าน'.split(' ');
/** ณ, a preposition of one letter, belongs to what follows. */
const NA = 0xe13;

/**
 * Whether a line should not end at the spaces before `at`: they stand between a number and the word
 * it belongs to, inside a telephone number, or after ณ.
 */
export function bindsOverSpace(text: string, at: number): boolean {
  let end = at;
  while (end > 0 && text.charCodeAt(end - 1) === SPACE) end--;
  const last = text.charCodeAt(end - 1);
  if (last === NA) return end === 1 || text.charCodeAt(end - 2) === SPACE;
  if (isDigit(last)) {
    if (isDigit(text.charCodeAt(at))) return isTelephone(text, end);
    return AFTER_NUMBER.some((word) => text.startsWith(word, at));
  }
  if (!isDigit(text.charCodeAt(at))) return false;
  return BEFORE_NUMBER.some((word) => text.endsWith(word, end));
}

/** Whether the number that ends at `end` begins or continues a telephone number: `0 2441 0000`. */
function isTelephone(text: string, end: number): boolean {
  return /(?:^|[^\d.,])0\d{0,2}(?: \d{3,4})?$/u.test(text.slice(Math.max(0, end - 10), end));
}

function isDigit(code: number): boolean {
  return (code >= 0x30 && code <= 0x39) || (code >= 0xe50 && code <= 0xe59);
}

/**
 * Whether a line that ends at the spaces before `at` would leave a mark alone at its end, or at the
 * start of the next line.
 */
export function strandsMark(text: string, at: number): boolean {
  const next = text.charCodeAt(at);
  if (next === PERCENT || next === PER_MILLE) return isDigit(text.charCodeAt(lastBefore(text, at)));
  const closesNext = isQuote(next) && isEdge(text, at + 1) && !opens(text, at);
  if (closesNext) return true;
  const before = lastBefore(text, at);
  const mark = text.charCodeAt(before);
  return isQuote(mark) && isEdge(text, before - 1) && opens(text, before);
}

/** Index of the last character before `at` that is not a space. */
function lastBefore(text: string, at: number): number {
  let index = at - 1;
  while (index >= 0 && text.charCodeAt(index) === SPACE) index--;
  return index;
}

/** Whether no letter or number stands at `index`. */
function isEdge(text: string, index: number): boolean {
  const code = text.charCodeAt(index);
  return Number.isNaN(code) || code === SPACE || (code < 0x30 && code !== PERCENT);
}

/** Whether the character is one of “ ” ‘ ’ « » or a straight double quote. */
function isQuote(code: number): boolean {
  return (
    code === STRAIGHT_QUOTE ||
    (code >= 0x2018 && code <= 0x201d && code !== 0x201a) ||
    code === 0xab ||
    code === 0xbb
  );
}

/** Whether the quote at `index` is an opening one; straight quotes open and close alternately. */
function opens(text: string, index: number): boolean {
  const code = text.charCodeAt(index);
  if (code !== STRAIGHT_QUOTE) return code === 0x2018 || code === 0x201c || code === 0xab;
  let isOpening = true;
  const from = Math.max(0, index - QUOTES_BEFORE_MAX);
  for (let at = text.indexOf('"', from); at >= 0 && at < index; at = text.indexOf('"', at + 1)) {
    isOpening = !isOpening;
  }
  return isOpening;
}

/** Straight quotes are counted this far back. */
const QUOTES_BEFORE_MAX = 1_000;

/** Fewer Latin letters beside Thai are part of a code or an abbreviation. */
const LATIN_WORD_LENGTH_MIN = 3;

/**
 * Whether a line may end at `at` because Thai meets a bracket, a quote or a Latin word there: the
 * pair table takes Thai letters for Latin ones and forbids it.
 */
export function mayBreakBesideThai(text: string, at: number, isThaiBefore: boolean): boolean {
  const code = text.charCodeAt(isThaiBefore ? at : at - 1);
  if (isLatin(code)) return isLatinWord(text, at, isThaiBefore ? 1 : -1);
  if (isThaiBefore) return code === 0x28 || code === 0x5b || code === 0x201c || code === 0xab;
  return code === 0x29 || code === 0x5d || code === 0x201d || code === 0xbb;
}

/** Whether enough Latin letters for a word begin at `at` (`step` 1) or end there (`step` -1). */
function isLatinWord(text: string, at: number, step: number): boolean {
  let index = step > 0 ? at : at - 1;
  let count = 0;
  while (isLatin(text.charCodeAt(index)) && count < LATIN_WORD_LENGTH_MIN) {
    index += step;
    count++;
  }
  return count === LATIN_WORD_LENGTH_MIN;
}

function isLatin(code: number): boolean {
  return (code >= 0x41 && code <= 0x5a) || (code >= 0x61 && code <= 0x7a);
}

const THAI_WORD_AFTER = /[\u0e01-\u0e4e]{3,}(?!\.)/uy;

/** Whether a Thai abbreviation of several letters ends before `at` and a word begins: ผจก.|สาขา. */
export function endsAbbreviation(text: string, at: number): boolean {
  if (text.charCodeAt(at - 1) !== FULL_STOP) return false;
  const isThaiBefore =
    isThaiConsonant(text.charCodeAt(at - 2)) && isThaiLetter(text.charCodeAt(at - 3));
  if (!isThaiBefore) return false;
  THAI_WORD_AFTER.lastIndex = at;
  return THAI_WORD_AFTER.test(text);
}

/**
 * Whether the last letter of a run of Thai begins an abbreviation of dotted letters: พนักงาน|ธ.ก.ส.
 */
export function beginsAbbreviation(text: string, start: number, end: number): boolean {
  if (text.charCodeAt(end) !== FULL_STOP || end - start < RUN_BEFORE_MIN) return false;
  return isThaiConsonant(text.charCodeAt(end - 1)) && isDottedLetter(text, end + 1);
}

const RUN_BEFORE_MIN = 4;

/** Whether a Thai letter and a full stop begin at `at`, like the second abbreviation in จ.-ศ. */
export function isDottedLetter(text: string, at: number): boolean {
  return isThaiConsonant(text.charCodeAt(at)) && text.charCodeAt(at + 1) === FULL_STOP;
}

function isThaiConsonant(code: number): boolean {
  return code >= 0xe01 && code <= 0xe2e;
}

function isThaiLetter(code: number): boolean {
  return code >= 0xe01 && code <= 0xe4e;
}
