import { slipInString } from './quotes.ts';
import { type Scan, stringAt } from './scan.ts';
import { match, slip, type Slip } from './slip.ts';

const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\p{L}\p{N}_.%])/uy;
const WORD = /[\p{L}_$][\p{L}\p{M}\p{N}_$]*/uy;

/** Words of other languages, with their cause and the value in JSON. */
const WORDS: Readonly<
  Record<string, readonly [cause: 'true_false' | 'none' | 'nan', json: string]>
> = {
  true: ['true_false', 'true'],
  false: ['true_false', 'false'],
  yes: ['true_false', 'true'],
  no: ['true_false', 'false'],
  none: ['none', 'null'],
  nil: ['none', 'null'],
  null: ['none', 'null'],
  undefined: ['none', 'null'],
  nan: ['nan', 'null'],
  infinity: ['nan', 'null'],
  inf: ['nan', 'null'],
};

/** Why a word of another language, such as None, is not a value; null for other words. */
export function foreignWord(word: string): 'true_false' | 'none' | 'nan' | null {
  const lower = word.toLowerCase();
  return Object.hasOwn(WORDS, lower) ? (WORDS[lower]?.[0] ?? null) : null;
}

/** Takes a value, or returns the slip in it. */
export function slipInValue(scan: Scan): Slip | null {
  if (scan.isTaken) return null;
  const { text, at, sign } = scan;
  if (sign === '{' || sign === '[') return scan.open();
  if (sign === '"') return slipInString(scan) ?? scan.takeValue(stringAt(text, at).length);
  const length = numberWithUnit(text, at);
  if (length !== null) return length;
  const number = match(NUMBER, text, at);
  if (number !== '') return scan.takeValue(number.length);
  const signed = match(/[+-]?/y, text, at).length;
  const word = match(WORD, text, at + signed);
  if (word === 'true' || word === 'false' || word === 'null') {
    if (signed === 0 && isWhole(text, at + word.length)) return scan.takeValue(word.length);
  }
  const lower = word.toLowerCase();
  const known = Object.hasOwn(WORDS, lower) ? WORDS[lower] : undefined;
  if (known !== undefined && isWhole(text, at + signed + word.length)) {
    return slip(known[0], at, at + signed + word.length, known[1], word);
  }
  return wrongNumber(text, at) ?? words(text, at);
}

/** Whether a value ends here. If not, the word is the first of a sentence. */
function isWhole(text: string, at: number): boolean {
  return at === text.length || match(/[ \t]*(?:[,}\]\r\n]|\/[/*]|#|$)/y, text, at) !== '';
}

/** A number in a notation of people or of other languages. */
function wrongNumber(text: string, at: number): Slip | null {
  const typed = match(/[+-]?[\d.][\d.a-fA-FxXeE_+]*/y, text, at);
  const to = at + typed.length;
  if (typed === '' || !isWhole(text, to)) return null;
  // This is a code, such as an account number: as a number, it would lose its leading zeros.
  if (/^0\d+$/.test(typed)) return slip('number_zeros', at, to, `"${typed}"`, typed);
  const value = Number(typed.replaceAll('_', ''));
  if (!Number.isFinite(value)) return slip('number', at, to, JSON.stringify(typed), typed);
  return slip('number', at, to, String(value), typed);
}

/** Points in each unit that people write after a number. A template has only points. */
const POINTS: Readonly<Record<string, number>> = {
  pt: 1,
  px: 0.75,
  mm: 72 / 25.4,
  cm: 720 / 25.4,
  in: 72,
};

/** A length with a unit, as in style sheets. The fix is the same length in points. */
function numberWithUnit(text: string, at: number): Slip | null {
  const typed = match(/-?\d+(?:\.\d+)?[ \t]*(?:pt|px|mm|cm|in)\b/y, text, at);
  const to = at + typed.length;
  if (typed === '' || !isWhole(text, to)) return null;
  const points = Number.parseFloat(typed) * (POINTS[typed.slice(-2)] ?? 1);
  return slip('number_unit', at, to, String(Number(points.toFixed(2))), typed);
}

/** Words without quotation marks, up to the end of the value, or with the closing mark only. */
function words(text: string, at: number): Slip {
  const ended = match(/(?:\{\{[^{}\n\r"]*\}\}|[^\n\r"{}[\]])+"[ \t]*(?:[,}\]\r\n]|$)/y, text, at);
  if (ended !== '') return slip('quote_before', at, at, '"');
  const typed = match(/(?:\{\{[^{}\n\r"]*\}\}|[^\n\r,}\]"])*/y, text, at).trimEnd();
  if (typed === '') return slip('unknown', at, at + 1, null);
  return slip('text_unquoted', at, at + typed.length, JSON.stringify(typed), typed);
}
