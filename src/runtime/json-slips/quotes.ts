import { type Scan, stringAt, stringFault } from './scan.ts';
import { bindingsEnd } from './bindings.ts';
import { isJson, match, slip, type Slip } from './slip.ts';

/** What may follow a string: a sign of JSON, or the end of its line. */
const BEHIND = /[ \t\r]*(?:[,:}\]]|\n|$)/y;

/** Quotation marks of word processors, of which the first opens and the others may close. */
const SMART = /[“”„«»‘’‚‹›]/u;

/** A text in other quotation marks than JSON has. */
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

/** Quotation marks of the words are escaped; what was escaped already stays as it is. */
function quoted(words: string): string {
  return `"${words.replaceAll(/\\.|"/gs, (found) => (found === '"' ? '\\"' : found))}"`;
}

/** Whether a string may end before this place: a sign follows, and after a comma something of JSON. */
function isEnd(text: string, at: number): boolean {
  const behind = match(BEHIND, text, at);
  if (behind === '' && at < text.length) return false;
  if (!behind.endsWith(',')) return true;
  return (
    match(/\s*(?:["'“‘[{\d\]}-]|true|false|null|$)/y, text, at + behind.length) !== '' ||
    at + behind.length === text.length
  );
}

/** What is wrong inside the string that begins here; null: it is well formed. */
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

/** A string whose line ends before it: its mark is missing or a smart one, or it has two lines. */
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
  // Further words, and then the mark that ends the text; what closes or opens something is no word.
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

/** The first place between the two where a quotation mark makes the text JSON; `from` if none does. */
function markPlace(text: string, from: number, to: number): number {
  for (let place = from; place <= to; place += 1) {
    if (isJson(`${text.slice(0, place)}"${text.slice(place)}`)) return place;
  }
  return from;
}

/** A string that a quotation mark among its words has ended; null: something else is wrong. */
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
      // A further key would become words of this text: something strays between the two.
      const until = close + 1 + match(/[ \t]*:/uy, text, close + 1).length;
      if (/,[ \t]*"[^"\n]*"[ \t]*:/.test(text.slice(at, until))) return null;
      return slip('quote_inside', from, close + 1, quoted(text.slice(from + 1, close)));
    }
  }
  return null;
}

/**
 * A string that lacks its mark and so ends with the one that begins the next key or item: what should
 * stand between the two is among its words.
 */
function unendedBefore(text: string, from: number, end: number, at: number): Slip | null {
  const words = text.slice(from + 1, end - 1);
  if (match(/[\p{L}_$][\p{L}\p{M}\p{N}_$.-]*"[ \t]*:/uy, text, at) === '') {
    // An item of a list, or words before a quotation: only one word alone is surely an item.
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

/** A key that lacks its mark: the colon and what follows are among its words. */
export function unendedKey({ text, end, isAfterString, stringAt: from }: Scan): Slip | null {
  return isAfterString ? markBeforeColon(text, from, end) : null;
}

function markBeforeColon(text: string, from: number, end: number): Slip | null {
  const name = match(/[\p{L}_$][\p{L}\p{M}\p{N}_$.-]*(?=[ \t]*:)/uy, text, from + 1);
  const place = from + 1 + name.length;
  return name === '' || place >= end ? null : slip('quote_missing', place, place, '"');
}
