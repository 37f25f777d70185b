import type { Steps } from '../../runtime/time-slice.ts';
import { STRIDE_BYTES, skipBlanks } from './locate-data.ts';

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

/** True if JSON.parse of the text would not throw. */
export function* checkingJson(text: Uint8Array): Steps<boolean> {
  // One entry per level of nesting: 1 for an object, 0 for an array.
  let levels = new Uint8Array(256);
  let depth = 0;
  let state: State = VALUE;
  let at = 0;
  // Many long bodies may come at once: each waits for a slice before it takes time.
  let pauseAt = text.length > STRIDE_BYTES ? 0 : STRIDE_BYTES;
  for (;;) {
    if (at >= pauseAt) {
      yield;
      pauseAt = at + STRIDE_BYTES;
    }
    at = skipBlanks(text, at);
    if (at >= text.length) return state === AFTER_VALUE && depth === 0;
    const byte = text[at];
    switch (state) {
      case VALUE:
      case VALUE_OR_CLOSE:
        if (byte === BRACE_OPEN || byte === BRACKET_OPEN) {
          if (depth === levels.length) levels = doubled(levels);
          levels[depth] = byte === BRACE_OPEN ? 1 : 0;
          depth += 1;
          state = byte === BRACE_OPEN ? KEY_OR_CLOSE : VALUE_OR_CLOSE;
          at += 1;
        } else if (byte === BRACKET_CLOSE && state === VALUE_OR_CLOSE) {
          depth -= 1;
          state = AFTER_VALUE;
          at += 1;
        } else {
          at = byte === QUOTE ? stringEnd(text, at) : scalarEnd(text, at);
          if (at === -1) return false;
          state = AFTER_VALUE;
        }
        break;
      case AFTER_VALUE: {
        if (depth === 0) return false;
        const isObject = levels[depth - 1] === 1;
        if (byte === COMMA) state = isObject ? KEY : VALUE;
        else if (byte === (isObject ? BRACE_CLOSE : BRACKET_CLOSE)) depth -= 1;
        else return false;
        at += 1;
        break;
      }
      case KEY:
      case KEY_OR_CLOSE:
        if (byte === QUOTE) {
          at = stringEnd(text, at);
          if (at === -1) return false;
          state = AFTER_KEY;
        } else if (byte === BRACE_CLOSE && state === KEY_OR_CLOSE) {
          depth -= 1;
          state = AFTER_VALUE;
          at += 1;
        } else return false;
        break;
      case AFTER_KEY:
        if (byte !== COLON) return false;
        state = VALUE;
        at += 1;
    }
  }
}

function doubled(levels: Uint8Array): Uint8Array<ArrayBuffer> {
  const grown = new Uint8Array(2 * levels.length);
  grown.set(levels);
  return grown;
}

/** The offset after the string that opens at `from`; -1: it is not a valid string. */
function stringEnd(text: Uint8Array, from: number): number {
  let at = from + 1;
  for (;;) {
    const byte = text[at];
    if (byte === QUOTE) return at + 1;
    if (byte === undefined || byte < 0x20) return -1;
    at += 1;
    if (byte !== BACKSLASH) continue;
    const escape = text[at] ?? 0;
    at += 1;
    if (IS_ESCAPE[escape] === 1) continue;
    if (escape !== LETTER_U) return -1;
    for (const end = at + 4; at < end; at += 1) {
      if (IS_HEX[text[at] ?? 0] !== 1) return -1;
    }
  }
}

/** The offset after a number or literal; -1: there is neither. */
function scalarEnd(text: Uint8Array, from: number): number {
  const first = text[from];
  if (first === MINUS || isDigit(first)) return numberEnd(text, from);
  for (const word of LITERALS) {
    if (word[0] !== first) continue;
    for (let index = 1; index < word.length; index += 1) {
      if (text[from + index] !== word[index]) return -1;
    }
    return from + word.length;
  }
  return -1;
}

function numberEnd(text: Uint8Array, from: number): number {
  let at = text[from] === MINUS ? from + 1 : from;
  if (text[at] === ZERO) at += 1;
  else at = digitsEnd(text, at);
  if (at !== -1 && text[at] === POINT) at = digitsEnd(text, at + 1);
  if (at === -1 || ((text[at] ?? 0) | 0x20) !== 0x65) return at;
  at += 1;
  const sign = text[at];
  return digitsEnd(text, sign === PLUS || sign === MINUS ? at + 1 : at);
}

/** The offset after one or more digits; -1: there is none. */
function digitsEnd(text: Uint8Array, from: number): number {
  let at = from;
  while (isDigit(text[at])) at += 1;
  return at === from ? -1 : at;
}

function isDigit(byte: number | undefined): boolean {
  return byte !== undefined && byte >= ZERO && byte <= 0x39;
}

function tableOf(characters: string): Uint8Array {
  const table = new Uint8Array(256);
  for (const byte of Buffer.from(characters)) table[byte] = 1;
  return table;
}
