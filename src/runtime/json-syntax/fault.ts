import type { SlipCause } from '../json-slips/slip.ts';
import { foreignWord } from '../json-slips/values.ts';
import { slipWords } from '../json-slips/words.ts';
import type { Steps } from '../time-slice.ts';
import { findingFault, type JsonFault } from './syntax.ts';
import { STRIDE_BYTES } from './blanks.ts';

/**
 * Says where and why a body is not JSON. The cause is judged by the few bytes around the fault, so
 * a body of any length costs one pass. A message quotes nothing that could be data of a customer:
 * logs of callers keep messages.
 */

/** Bytes before and after a fault that are looked at. */
const NEAR_BYTES = 16;

interface Said {
  /** The offset to report. */
  readonly at: number;
  readonly words: string;
}

/** The message about a body that is not JSON; null if it is. It must be valid UTF-8. */
export function* describingFault(body: Uint8Array): Steps<string | null> {
  const fault = yield* findingFault(body);
  if (fault === null) return null;
  if (fault.expected === 'value' && fault.closer === '' && fault.at === body.length) {
    return 'The body is empty: it must be JSON.';
  }
  const { at, words } = causeOf(body, fault);
  const { line, column } = yield* locating(body, at);
  return `The body is not valid JSON (line ${line}, column ${column}). ${words}`;
}

/** Line and column of an offset, from 1; columns are UTF-16 units, as editors count them. */
function* locating(body: Uint8Array, at: number): Steps<{ line: number; column: number }> {
  let line = 1;
  let column = 1;
  for (let index = 0; index < at; index += 1) {
    if (index % STRIDE_BYTES === STRIDE_BYTES - 1) yield;
    const byte = body[index] ?? 0;
    if (byte === 0x0a) {
      line += 1;
      column = 1;
    } else if (byte < 0x80 || byte >= 0xc0) column += byte >= 0xf0 ? 2 : 1;
  }
  return { line, column };
}

function causeOf(body: Uint8Array, { at, end, expected, closer }: JsonFault): Said {
  const before = textOf(body, Math.max(0, end - NEAR_BYTES), end).at(-1) ?? '';
  const near = textOf(body, at, at + NEAR_BYTES);
  if (expected === 'string') return { at, words: inString(near) };
  if (near === '') return { at: end, words: wordsOf('unclosed', closer) };
  if (expected === 'end') return { at, words: wordsOf('text_after') };
  const apart = betweenTokens(near);
  if (apart !== null) return { at, words: wordsOf(apart) };
  if (expected === 'comma') {
    const isMissing = /^["'[{\p{L}\d-]/u.test(near) && at !== end;
    if (isMissing) return { at: end, words: wordsOf('comma_missing') };
    return { at, words: afterValue(near, at === end ? before : '', closer) };
  }
  if (/^[}\],]/.test(near)) {
    if (expected === 'colon' || before === ':') return { at: end, words: wordsOf('value_missing') };
    if (near.startsWith(',')) return { at, words: wordsOf('comma_extra') };
    const isTrailing = before === ',' && near.startsWith(closer);
    return isTrailing
      ? { at: end - 1, words: wordsOf('comma_trailing') }
      : { at, words: wordsOf('unknown') };
  }
  if (expected === 'key') return { at, words: unquoted(near, wordsOf('key_unquoted')) };
  if (expected === 'value') return { at, words: inValue(near) };
  if (/^(?:=|:=|：)/.test(near)) return { at, words: wordsOf('sign', ':') };
  return { at: end, words: wordsOf('colon_missing') };
}

/** `before`: the last character of a value that ends where the fault is. */
function afterValue(near: string, before: string, closer: string): string {
  if (/^[}\]]/.test(near)) return wordsOf('sign', closer);
  if (/^[;，、]/u.test(near)) return wordsOf('sign', ',');
  if (/^\d/.test(before)) return NUMBER;
  if (before === '"' && /^[^[{]/.test(near)) return wordsOf('quote_inside');
  return wordsOf(before !== '' && /^["[{]/.test(near) ? 'comma_missing' : 'unknown');
}

function inValue(near: string): string {
  const word = /^[+-]?(\p{L}+)/u.exec(near)?.[1] ?? '';
  const cause = foreignWord(word);
  if (cause !== null) return wordsOf(cause, word);
  return /^[-+.\d]/.test(near) ? NUMBER : unquoted(near, TEXT);
}

const TEXT = 'A text must be in quotation marks.';
const NUMBER = 'This is not a number as JSON writes it.';
const LINE_ENDS =
  'A text ends with its line: its closing quotation mark is missing, or a line break in it is not' +
  ' written as \\n.';

function inString(near: string): string {
  if (near === '') return wordsOf('quote_missing');
  if (/^[\r\n]/.test(near)) return LINE_ENDS;
  return wordsOf(near.startsWith('\\') ? 'escape' : 'tab');
}

/** A mark, comment or blank that JSON does not have between tokens. */
function betweenTokens(near: string): SlipCause | null {
  if (near.startsWith('\uFEFF')) return 'bom';
  if (/^(?:\/[/*]|#)/.test(near)) return 'comment';
  return /^[\s\u200B-\u200D]/u.test(near) ? 'blank' : null;
}

/** What is wrong with a text or key that does not begin with a quotation mark of JSON. */
function unquoted(near: string, words: string): string {
  if (/^['`]/.test(near)) return wordsOf('quotes_single');
  if (/^[“”„«»‘’‚‹›]/u.test(near)) return wordsOf('quotes_smart');
  return /^[\p{L}\p{N}_$]/u.test(near) ? words : wordsOf('unknown');
}

function wordsOf(cause: SlipCause, sign = ''): string {
  return slipWords({ cause, sign, missing: null });
}

function textOf(body: Uint8Array, from: number, to: number): string {
  return Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString('utf8', from, to);
}
