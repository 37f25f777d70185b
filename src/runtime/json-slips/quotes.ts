import { type Scan, stringAt, stringFault } from './scan.ts';
import { bindingsEnd } from './bindings.ts';
import { isJson, match, slip, type Slip } from './slip.ts';

/** Text that may follow a string: a separator or bracket of JSON, or the end of the line. */
const BEHIND = /[ \t\r]*(?:[,:}\]]|\n|$)/y;

/** Quotation marks of word processors. */
const SMART = /[“”„«»‘’‚‹›]/u;

/** A text in quotation marks other than those of JSON. */
export function slipInQuotes(text: string, at: number): Slip | null {
  const mark = text[at] ?? '';
  if (mark === "'" || mark === '`') {
    return inMarks(text, at, 'quotes_single', (sign) => sign === mark);
  }
  if (!SMART.test(mark)) return null;
  return inMarks(text, at, 'quotes_smart', (sign) => SMART.test(sign) || sign === '"');
}

function inMarks(
  text: string,
  at: number,
  cause: 'quotes_single' | 'quotes_smart',
  closes: (sign: string) => boolean,
): Slip {
  for (let end = at + 1; end < text.length && text[end] !== '\n'; end += 1) {
    if (text[end] === '\\') end += 1;
    else if (closes(text[end] ?? '') && isEnd(text, end + 1)) {
      const words = text.slice(at + 1, end).replaceAll(/\\(['`])/g, '$1');
      return slip(cause, at, end + 1, quoted(words));
    }
  }
  return slip(cause, at, at + 1, null);
}

/** Puts words in quotation marks and escapes the marks inside; existing escapes stay. */
function quoted(words: string): string {
  return `"${words.replaceAll(/\\.|"/gs, (found) => (found === '"' ? '\\"' : found))}"`;
}

/**
 * Whether a string may end before this place: a separator or bracket follows, and after a comma a
 * token of JSON.
 */
function isEnd(text: string, at: number): boolean {
  const behind = match(BEHIND, text, at);
  if (behind === '' && at < text.length) return false;
  if (!behind.endsWith(',')) return true;
  return (
    match(/\s*(?:["'“‘[{\d\]}-]|true|false|null|$)/y, text, at + behind.length) !== '' ||
    at + behind.length === text.length
  );
}

/** The slip inside the string that begins here; null if the string is well formed. */
export function slipInString({ text, at, expected }: Scan): Slip | null {
  if (stringAt(text, at) !== '') return null;
  const fault = stringFault(text, at);
  const sign = text[fault];
  if (sign === '\\') return slip('escape', fault, fault + 1, '\\\\');
  if (sign === '\t') return slip('tab', fault, fault + 1, '\\t');
  if (sign !== undefined && sign !== '\n' && sign !== '\r') {
    const code = sign.charCodeAt(0).toString(16).padStart(4, '0');
    return slip('tab', fault, fault + 1, `\\u${code}`);
  }
  const isKey = expected === 'key' || expected === 'firstKey';
  return (isKey ? markBeforeColon(text, at, fault) : null) ?? atLineEnd(text, at, fault);
}

/**
 * A string that does not end on its line: its closing mark is missing or is a smart one, or the
 * string has a line break.
 */
function atLineEnd(text: string, at: number, fault: number): Slip {
  for (let end = at + 1; end < fault; end += 1) {
    if (SMART.test(text[end] ?? '') && isEnd(text, end + 1)) {
      return slip('quotes_smart', end, end + 1, '"');
    }
  }
  const next = /\r?\n[ \t]*(?=(.?))/y;
  next.lastIndex = fault;
  const found = next.exec(text);
  const first = found?.[1] ?? '';
  const line = text.slice(at + 1, fault);
  const rest = line.slice(bindingsEnd(line));
  const signs = /(?:[ \t]*[,}\]])*[ \t]*$/.exec(rest)?.[0] ?? '';
  // The next line has further words and then the closing mark; brackets do not count as words.
  if (
    found !== null &&
    !/[}\]]/.test(signs) &&
    /[^"{}[\]\s]/.test(first) &&
    /^[^"\n]*"/.test(text.slice(fault + found[0].length))
  ) {
    return slip('line_break', fault, fault + found[0].length, '\\n');
  }
  const place = markPlace(text, fault - signs.length, fault);
  return slip('quote_missing', place, place, '"');
}

/**
 * The first place from `from` to `to` where a quotation mark makes the text JSON; `from` if there
 * is none.
 */
function markPlace(text: string, from: number, to: number): number {
  for (let place = from; place <= to; place += 1) {
    if (isJson(`${text.slice(0, place)}"${text.slice(place)}`)) return place;
  }
  return from;
}

/** A string that was ended by a quotation mark among its words; null if something else is wrong. */
export function quoteInside({
  text,
  at,
  sign,
  end,
  isAfterString,
  stringAt: from,
}: Scan): Slip | null {
  const isSameLine = !text.slice(end, at).includes('\n');
  if (!isAfterString || !isSameLine || sign === '[' || sign === '{') return null;
  const unended = unendedBefore(text, from, end, at);
  if (unended !== null) return unended;
  if (sign === '"') return null;
  for (let close = at; close < text.length && text[close] !== '\n'; close += 1) {
    if (text[close] === '\\') close += 1;
    else if (text[close] === '"' && isEnd(text, close + 1)) {
      // The fix would swallow the next key into this text, so the cause is something between the
      // two.
      const until = close + 1 + match(/[ \t]*:/uy, text, close + 1).length;
      if (/,[ \t]*"[^"\n]*"[ \t]*:/.test(text.slice(at, until))) return null;
      return slip('quote_inside', from, close + 1, quoted(text.slice(from + 1, close)));
    }
  }
  return null;
}

/**
 * A string that lacks its closing mark, and therefore ends at the opening mark of the next key or
 * item. The separators between the two are then part of its words.
 */
function unendedBefore(text: string, from: number, end: number, at: number): Slip | null {
  const words = text.slice(from + 1, end - 1);
  if (match(/[\p{L}_$][\p{L}\p{M}\p{N}_$.-]*"[ \t]*:/uy, text, at) === '') {
    // This may be an item of a list, or words before a quotation. Only a single word is certainly
    // an item.
    const comma = /[ \t]*,[ \t]*$/.exec(words);
    if (comma === null) return null;
    const place = from + 1 + comma.index;
    const isWord = /^\S+$/.test(words.slice(0, comma.index));
    return slip('quote_missing', place, place, isWord ? '"' : null);
  }
  const start = bindingsEnd(words);
  const between = /(?:[ \t]*[}\]])*[ \t]*,(?:[ \t]*[{[])*[ \t]*$/.exec(words.slice(start));
  if (between === null) return null;
  const place = from + 1 + start + between.index;
  return slip('quote_missing', place, place, '"');
}

/** A key that lacks its closing mark: the colon and the text after it are part of its words. */
export function unendedKey({ text, end, isAfterString, stringAt: from }: Scan): Slip | null {
  return isAfterString ? markBeforeColon(text, from, end) : null;
}

function markBeforeColon(text: string, from: number, end: number): Slip | null {
  const name = match(/[\p{L}_$][\p{L}\p{M}\p{N}_$.-]*(?=[ \t]*:)/uy, text, from + 1);
  const place = from + 1 + name.length;
  return name === '' || place >= end ? null : slip('quote_missing', place, place, '"');
}
