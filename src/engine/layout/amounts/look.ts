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
  if (length > LENGTH_MAX) return false;
  // Most texts are names, sentences or digits: one look at their characters is faster than the
  // expressions, and it mostly ends at the first one.
  let digits = 0;
  for (let index = 0; index < length; index++) {
    const code = text.charCodeAt(index);
    if ((code >= 0x30 && code <= 0x39) || (code >= 0xe50 && code <= 0xe59)) digits++;
    else if (isForeign(code)) return false;
  }
  if (digits === 0 || digits === length) return false;
  return AMOUNT.test(text) && !ONLY_DIGITS.test(text);
}

/** By ASCII code: 1 where a character other than a digit stands in some amount. */
const IN_AMOUNTS = new Uint8Array(128);
for (const character of ` +-()[].,'%$rsABCDEFGHIJKLMNOPQRSTUVWXYZ`) {
  IN_AMOUNTS[character.charCodeAt(0)] = 1;
}
/** The Thai characters in amounts that are no digits: บาท and ฿. */
const BAHT = new Set(Array.from('บาท฿', (character) => character.charCodeAt(0)));

/** Whether a character that is no digit rules an amount out; if not, `AMOUNT` decides. */
function isForeign(code: number): boolean {
  if (code < IN_AMOUNTS.length) return IN_AMOUNTS[code] === 0;
  return code >= 0xe01 && code <= 0xe5b && !BAHT.has(code);
}
