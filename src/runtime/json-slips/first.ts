import * as quotes from './quotes.ts';
import { Scan } from './scan.ts';
import { match, slip, type Slip } from './slip.ts';
import { slipInValue } from './values.ts';

/**
 * Finds the first place at which a text stops being JSON (RFC 8259), with the cause and the most
 * likely fix. Null if the text is JSON. A fixed text may have a further slip, which the next call
 * finds.
 */
export function firstSlip(text: string): Slip | null {
  if (text.startsWith('\uFEFF')) return slip('bom', 0, 1, '');
  const scan = new Scan(text);
  while (scan.next()) {
    const found = slipAt(scan);
    if (found !== null) return found;
  }
  return null;
}

/** Takes the next token, or returns the slip in it. */
function slipAt(scan: Scan): Slip | null {
  const { text, at, sign, expected } = scan;
  const apart = betweenTokens(text, at);
  if (apart !== null) return apart;
  if (sign === '') return atEnd(scan);
  if (expected === 'end') return afterEnd(text, at);
  const foreign = quotes.slipInQuotes(text, at);
  if (foreign !== null && expected !== 'comma' && expected !== 'colon') return foreign;
  switch (expected) {
    case 'key':
    case 'firstKey':
      return inKey(scan);
    case 'colon':
      return inColon(scan);
    case 'value':
    case 'firstValue':
      return closesHere(scan) ?? slipInValue(scan);
    case 'comma':
      return inComma(scan);
  }
}

/** Comments, and kinds of white space that JSON does not allow. */
function betweenTokens(text: string, at: number): Slip | null {
  const comment = match(/\/\/[^\n]*|\/\*[^]*?(?:\*\/|$)|#[^\n]*/y, text, at);
  // Directly after a quotation mark, such a sign belongs to a text whose opening mark is missing.
  if (comment !== '' && text[at - 1] !== '"') return slip('comment', at, at + comment.length, '');
  const blank = match(
    /[\u00A0\u1680\u2000-\u200D\u2028\u2029\u202F\u205F\u3000\uFEFF\f\v]+/y,
    text,
    at,
  );
  return blank === '' ? null : slip('blank', at, at + blank.length, ' ');
}

function atEnd(scan: Scan): Slip | null {
  const { expected, end, closers } = scan;
  if (expected === 'end') return null;
  if (scan.isAfterComma) return slip('comma_trailing', scan.commaAt, scan.commaAt + 1, '');
  if (expected === 'colon') return slip('value_missing', end, end, ': ""');
  if (expected === 'value' && closers !== '') return slip('value_missing', end, end, ' ""');
  if (closers === '') return slip('unknown', end, end, null);
  const missing = Array.from(closers).toReversed().join('');
  return slip('unclosed', end, end, missing, missing);
}

function afterEnd(text: string, at: number): Slip {
  const isOnlySigns = /^[\s}\],]+$/.test(text.slice(at, at + 1_000));
  return slip('text_after', at, text.length, isOnlySigns ? '' : null);
}

function inKey(scan: Scan): Slip | null {
  const { text, at, sign } = scan;
  const closed = closesHere(scan);
  if (closed !== null || scan.isTaken) return closed;
  if (sign === '"') return quotes.slipInString(scan) ?? scan.takeKey();
  const number = numberWithComma(scan);
  if (number !== null) return number;
  const name = match(/[\p{L}\p{N}_$][\p{L}\p{M}\p{N}_$.-]*/uy, text, at);
  if (name !== '' && match(/"[ \t]*:/y, text, at + name.length) !== '') {
    return slip('quote_before', at, at, '"');
  }
  if (name !== '') return slip('key_unquoted', at, at + name.length, JSON.stringify(name));
  // The previous object is not closed: the comma belongs to the list around it.
  if (sign === '{' && scan.isAfterComma) return unclosedBefore(scan, scan.commaAt);
  return slip('unknown', at, at + 1, null);
}

/** A number that was typed with commas, whose rest stands where a key must stand. */
function numberWithComma({ text, at, isAfterComma, commaAt }: Scan): Slip | null {
  if (!isAfterComma || at !== commaAt + 1) return null;
  const head = /:\s*(-?\d+)$/.exec(text.slice(Math.max(0, commaAt - NUMBER_LENGTH_MAX), commaAt));
  const rest = match(/\d+(?:,\d+)*(?:\.\d+)?(?=\s*[,}\r\n]|\s*$)/y, text, at);
  if (head === null || rest === '' || rest.length > NUMBER_LENGTH_MAX) return null;
  const [, begin = ''] = head;
  const [from, to] = [commaAt - begin.length, at + rest.length];
  const typed = text.slice(from, to);
  const isThousands = /^-?[1-9]\d{0,2}(?:,\d{3})+(?:\.\d+)?$/.test(typed);
  const isDecimal = /^-?(?:0|[1-9]\d*),\d+$/.test(typed);
  if (isThousands && isDecimal) return slip('number_either', from, to, null, typed);
  if (!isThousands && !isDecimal) return slip('number', from, to, null, typed);
  const written = isThousands ? typed.replaceAll(',', '') : typed.replace(',', '.');
  return slip('number_comma', from, to, written, written);
}

/** Characters of a number on each side of its first comma. */
const NUMBER_LENGTH_MAX = 40;

function inColon(scan: Scan): Slip | null {
  const { text, at, sign, end } = scan;
  if (sign === ':') return scan.take('value');
  const unended = quotes.unendedKey(scan);
  if (unended !== null) return unended;
  const other = match(/=>|:=|=|：/y, text, at);
  if (other !== '') return slip('sign', at, at + other.length, ':', ':');
  if (sign === ',' || sign === '}') return slip('value_missing', end, end, ': ""');
  if (/["'\p{L}\d[{-]/u.test(sign)) return slip('colon_missing', end, end, ':');
  return slip('unknown', at, at + 1, null);
}

/**
 * Handles the end of a list or object, with or without a trailing comma, and a superfluous comma.
 */
function closesHere(scan: Scan): Slip | null {
  const { at, sign, closers, isAfterComma, commaAt } = scan;
  if (sign !== ',' && sign !== '}' && sign !== ']') return null;
  if (scan.isAfterColon) return slip('value_missing', scan.end, scan.end, ' ""');
  if (sign === ',') return slip('comma_extra', at, at + 1, '');
  if (isAfterComma) return slip('comma_trailing', commaAt, commaAt + 1, '');
  return sign === closers.at(-1) ? scan.close() : wrongCloser(scan);
}

/** A stray word at the end of a member or item. */
const STRAY = /(?!(?:true|false|null)\b)\p{L}[\p{L}\p{M}\p{N}_]*(?=[ \t]*[,}\]])/uy;

function inComma(scan: Scan): Slip | null {
  const { text, at, sign, closers, end } = scan;
  if (sign === ',') return scan.takeComma();
  if (sign === '}' || sign === ']') {
    return sign === closers.at(-1) ? scan.close() : wrongCloser(scan);
  }
  const other = match(/[;，、]/uy, text, at);
  if (other !== '') return slip('sign', at, at + 1, ',', ',');
  const inside = quotes.quoteInside(scan);
  if (inside !== null) return inside;
  // Only the author knows whether a word after a value is stray, or lacks its key or its quotation
  // marks.
  const stray = match(STRAY, text, at);
  if (stray !== '') return slip('unknown', at, at + stray.length, null);
  if (/["'“”‘’`\p{L}\d[{-]/u.test(sign)) return slip('comma_missing', end, end, ',');
  return slip('unknown', at, at + 1, null);
}

function wrongCloser(scan: Scan): Slip {
  const { at, sign, closers, end } = scan;
  const wanted = closers.at(-1) ?? '';
  // If the bracket closes something further out, the inner list or object was not closed.
  if (closers.includes(sign)) return unclosedBefore(scan, end);
  return slip('sign', at, at + 1, wanted, wanted);
}

function unclosedBefore({ closers }: Scan, at: number): Slip {
  const wanted = closers.at(-1) ?? '';
  return slip('unclosed', at, at, wanted, wanted);
}
