/**
 * Amounts among the texts that callers send: cells and fields of type text, printed as they are. An
 * amount has a minus, a bracket, a currency, a decimal point or separated thousands. Digits alone
 * may be an account number, which may be split where a line is too short for it.
 */

/** Length of the longest text that may be an amount. */
const LENGTH_MAX = 60;

const SIGN = '[-+\u2212\u2010\u2012\u2013\u00b1]';
const CURRENCY = String.raw`(?:[A-Z]{0,3}\p{Sc}|[A-Z]{3}|Rs\.?|บาท)`;
const DIGIT = String.raw`[\d\u0e50-\u0e59]`;
/** Thousands by comma, point, apostrophe or narrow space, and decimals; or decimals alone. */
const SEPARATED = [
  `${DIGIT}{1,3}(?:,${DIGIT}{2,3})+(?:\\.${DIGIT}+)?`,
  `${DIGIT}{1,3}(?:[.'\u2019\u00a0\u202f]${DIGIT}{3})+(?:[,.]${DIGIT}+)?`,
  `${DIGIT}*[.,]${DIGIT}+`,
].join('|');
const UNIT = `(?:%|\u2030|CR|DR|Cr|Dr|${CURRENCY}|${SIGN})`;

function shape(number: string): string {
  const before = `${SIGN}? *[([]? *(?:${CURRENCY})? *${SIGN}? *[([]?`;
  return `^ *${before} *(?:${number}) *[)\\]]? *${UNIT}? *[)\\]]? *$`;
}

const AMOUNT = new RegExp(shape(`${SEPARATED}|${DIGIT}+`), 'u');
const ONLY_DIGITS = new RegExp(`^[ +]*${DIGIT}+ *$`, 'u');

/** Whether a whole text is an amount. */
export function looksLikeAmount(text: string): boolean {
  const { length } = text;
  if (length === 0 || length > LENGTH_MAX) return false;
  if (isWordLetter(text.charCodeAt(0), THAI_B)) return false;
  if (isWordLetter(text.charCodeAt(length - 1), THAI_TH)) return false;
  if (!hasDigit(text)) return false;
  return AMOUNT.test(text) && !ONLY_DIGITS.test(text);
}

/** The first and the last letter of บาท, and the sign of the currency. */
const THAI_B = 0xe1a;
const THAI_TH = 0xe17;
const BAHT_SIGN = 0xe3f;
/** The last letters of Cr, Dr and Rs. */
const SMALL_R = 0x72;
const SMALL_S = 0x73;

/**
 * Whether no amount begins or ends with a character: a Thai letter, except for the one of บาท that
 * is `letter`, or a small Latin letter. Most texts are names and sentences, told apart by their ends.
 */
function isWordLetter(code: number, letter: number): boolean {
  if (code >= 0xe01 && code <= 0xe4e) return code !== letter && code !== BAHT_SIGN;
  return code >= 0x61 && code <= 0x7a && code !== SMALL_R && code !== SMALL_S;
}

/** Tells other names from amounts, faster than an expression does. */
function hasDigit(text: string): boolean {
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if ((code >= 0x30 && code <= 0x39) || (code >= 0xe50 && code <= 0xe59)) return true;
  }
  return false;
}
