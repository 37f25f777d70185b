import type { Steps } from '../time-slice.ts';
import { skipBlanks, STRIDE_BYTES } from './blanks.ts';

/**
 * Checks whether bytes are JSON (RFC 8259) without building values: JSON.parse of 1 MB of small
 * keys blocks all other requests for 60 ms, this takes 5. The grammar is that of JSON.parse; the
 * bytes must be valid UTF-8.
 */

const QUOTE = 0x22;
const PLUS = 0x2b;
const COMMA = 0x2c;
const MINUS = 0x2d;
const POINT = 0x2e;
const ZERO = 0x30;
const COLON = 0x3a;
const BRACKET_OPEN = 0x5b;
const BACKSLASH = 0x5c;
const BRACKET_CLOSE = 0x5d;
const BRACE_OPEN = 0x7b;
const BRACE_CLOSE = 0x7d;

const LETTER_U = 0x75;
const LITERALS = ['true', 'false', 'null'].map((word) => Buffer.from(word));
const IS_ESCAPE = tableOf('"\\/bfnrt');
const IS_HEX = tableOf('0123456789abcdefABCDEF');

/** States of the reader, named after the token that may come next. */
const VALUE = 0;
const VALUE_OR_CLOSE = 1;
const AFTER_VALUE = 2;
const KEY = 3;
const KEY_OR_CLOSE = 4;
const AFTER_KEY = 5;
type State =
  | typeof VALUE
  | typeof VALUE_OR_CLOSE
  | typeof AFTER_VALUE
  | typeof KEY
  | typeof KEY_OR_CLOSE
  | typeof AFTER_KEY;

/** Where a text stops being JSON. */
export interface JsonFault {
  /** The offset of the first byte that JSON cannot have here; the length if the text ends early. */
  readonly at: number;
  /** The offset after the token before it. */
  readonly end: number;
  /** What JSON would have here; `string`: the fault is inside a string. */
  readonly expected: 'value' | 'comma' | 'key' | 'colon' | 'end' | 'string';
  /** The bracket that would close the innermost open list or object; '' if none is open. */
  readonly closer: '}' | ']' | '';
}

const EXPECTED = ['value', 'value', 'comma', 'key', 'key', 'colon'] as const;

/** True if JSON.parse of the text would not throw. */
export function* checkingJson(text: Uint8Array): Steps<boolean> {
  return (yield* findingFault(text)) === null;
}

/** Finds where JSON.parse of the text would stop; null if it would not throw. */
export function* findingFault(text: Uint8Array): Steps<JsonFault | null> {
  // One entry per level of nesting: the bracket that closes it.
  let levels = new Uint8Array(256);
  let depth = 0;
  let state = VALUE as State;
  let at = 0;
  let end = 0;
  const fault = (expected: JsonFault['expected'], place = at): JsonFault => {
    return { at: place, end, expected, closer: closerOf(levels, depth) };
  };
  // Many long bodies may come at once: each waits for a slice before it takes time.
  let pauseAt = text.length > STRIDE_BYTES ? 0 : STRIDE_BYTES;
  for (;;) {
    if (at >= pauseAt) {
      yield;
      pauseAt = at + STRIDE_BYTES;
    }
    end = at;
    at = skipBlanks(text, at);
    const byte = text[at];
    if (byte === undefined) {
      return state === AFTER_VALUE && depth === 0 ? null : fault(EXPECTED[state]);
    }
    if (byte === QUOTE && state !== AFTER_VALUE && state !== AFTER_KEY) {
      const next = stringEnd(text, at);
      if (next < 0) return fault('string', ~next);
      at = next;
      state = state === KEY || state === KEY_OR_CLOSE ? AFTER_KEY : AFTER_VALUE;
      continue;
    }
    const mayClose = state === AFTER_VALUE || state === VALUE_OR_CLOSE || state === KEY_OR_CLOSE;
    if (mayClose && byte === levels[depth - 1]) {
      depth -= 1;
      state = AFTER_VALUE;
      at += 1;
      continue;
    }
    switch (state) {
      case VALUE:
      case VALUE_OR_CLOSE:
        if (byte === BRACE_OPEN || byte === BRACKET_OPEN) {
          if (depth === levels.length) levels = doubled(levels);
          levels[depth] = byte === BRACE_OPEN ? BRACE_CLOSE : BRACKET_CLOSE;
          depth += 1;
          state = byte === BRACE_OPEN ? KEY_OR_CLOSE : VALUE_OR_CLOSE;
          at += 1;
        } else {
          const next = scalarEnd(text, at);
          if (next < 0) return fault('value');
          at = next;
          state = AFTER_VALUE;
        }
        break;
      case AFTER_VALUE:
        if (depth === 0) return fault('end');
        if (byte !== COMMA) return fault('comma');
        state = levels[depth - 1] === BRACE_CLOSE ? KEY : VALUE;
        at += 1;
        break;
      case KEY:
      case KEY_OR_CLOSE:
        return fault('key');
      case AFTER_KEY:
        if (byte !== COLON) return fault('colon');
        state = VALUE;
        at += 1;
    }
  }
}

function closerOf(levels: Uint8Array, depth: number): JsonFault['closer'] {
  if (depth === 0) return '';
  return levels[depth - 1] === BRACE_CLOSE ? '}' : ']';
}

function doubled(levels: Uint8Array): Uint8Array<ArrayBuffer> {
  const grown = new Uint8Array(2 * levels.length);
  grown.set(levels);
  return grown;
}

// The functions below return the complement of the offset of a fault, which is negative.

/** The offset after the string that opens at `from`. */
function stringEnd(text: Uint8Array, from: number): number {
  let at = from + 1;
  for (;;) {
    const byte = text[at];
    if (byte === QUOTE) return at + 1;
    if (byte === undefined || byte < 0x20) return ~at;
    at += 1;
    if (byte !== BACKSLASH) continue;
    const backslash = at - 1;
    const escape = text[at] ?? 0;
    at += 1;
    if (IS_ESCAPE[escape] === 1) continue;
    if (escape !== LETTER_U) return ~backslash;
    for (const end = at + 4; at < end; at += 1) {
      if (IS_HEX[text[at] ?? 0] !== 1) return ~backslash;
    }
  }
}

/** The offset after a number or literal. */
function scalarEnd(text: Uint8Array, from: number): number {
  const first = text[from];
  if (first === MINUS || isDigit(first)) return numberEnd(text, from);
  for (const word of LITERALS) {
    if (word[0] !== first) continue;
    for (let index = 1; index < word.length; index += 1) {
      if (text[from + index] !== word[index]) return ~from;
    }
    return from + word.length;
  }
  return ~from;
}

function numberEnd(text: Uint8Array, from: number): number {
  let at = text[from] === MINUS ? from + 1 : from;
  if (text[at] === ZERO) at += 1;
  else at = digitsEnd(text, at);
  if (at >= 0 && text[at] === POINT) at = digitsEnd(text, at + 1);
  if (at < 0 || ((text[at] ?? 0) | 0x20) !== 0x65) return at;
  at += 1;
  const sign = text[at];
  return digitsEnd(text, sign === PLUS || sign === MINUS ? at + 1 : at);
}

/** The offset after one or more digits. */
function digitsEnd(text: Uint8Array, from: number): number {
  let at = from;
  while (isDigit(text[at])) at += 1;
  return at === from ? ~at : at;
}

function isDigit(byte: number | undefined): boolean {
  return byte !== undefined && byte >= ZERO && byte <= 0x39;
}

function tableOf(characters: string): Uint8Array {
  const table = new Uint8Array(256);
  for (const byte of Buffer.from(characters)) table[byte] = 1;
  return table;
}
