import type { Steps } from '../../runtime/time-slice.ts';
import { runAtOnce } from '../../runtime/time-slice.ts';

/** Steps over JSON without parsing it. They believe that the text is JSON: who parses it sees. */

const QUOTE = 0x22;
const BRACKET_OPEN = 0x5b;
const BACKSLASH = 0x5c;
const BRACKET_CLOSE = 0x5d;
const BRACE_OPEN = 0x7b;
const BRACE_CLOSE = 0x7d;
/** Strings longer than this are left to the native search. */
const SHORT_STRING = 48;
/** Between two places where long work may pause: well under a millisecond. */
export const STRIDE_BYTES = 64 * 1024;

/** The place of the next byte that is no blank, or the end. */
export function skipBlanks(body: Uint8Array, from: number): number {
  let at = from;
  for (;;) {
    const byte = body[at];
    if (byte === undefined || byte > 0x20) return at;
    if (byte !== 0x20 && byte !== 0x0a && byte !== 0x0d && byte !== 0x09) return at;
    at += 1;
  }
}

/** The place after the closing quote of the string that opens at `from`; -1 when there is none. */
export function skipString(body: Uint8Array, from: number): number {
  let at = from + 1;
  for (;;) {
    const shortEnd = at + SHORT_STRING;
    while (at < shortEnd) {
      const byte = body[at];
      if (byte === QUOTE) return at + 1;
      if (byte === undefined) return -1;
      at += byte === BACKSLASH ? 2 : 1;
    }
    const quote = body.indexOf(QUOTE, at);
    if (quote === -1) return -1;
    let slashes = 0;
    while (quote - slashes > at && body[quote - slashes - 1] === BACKSLASH) slashes += 1;
    if (slashes % 2 === 0) return quote + 1;
    at = quote + 1;
  }
}

/** The place after the object or array that opens at `from`; -1 when the text ends before. */
export function skipNested(body: Uint8Array, from: number): number {
  return runAtOnce(skippingNested(body, from));
}

/** `skipNested`, with pauses. */
export function* skippingNested(body: Uint8Array, from: number): Steps<number> {
  const place: NestedPlace = { at: from, depth: 0 };
  while (!skipTo(body, place, place.at + STRIDE_BYTES)) yield;
  return place.at;
}

interface NestedPlace {
  /** -1: the text ended before. */
  at: number;
  depth: number;
}

/** True when the value or the text has ended, false at `until`. */
function skipTo(body: Uint8Array, place: NestedPlace, until: number): boolean {
  let { at, depth } = place;
  let isOver = false;
  while (at < until && !isOver) {
    const byte = body[at];
    if (byte === QUOTE) {
      at = skipString(body, at);
      isOver = at === -1;
    } else if (byte === undefined) {
      at = -1;
      isOver = true;
    } else {
      at += 1;
      if (byte === BRACE_OPEN || byte === BRACKET_OPEN) {
        depth += 1;
      } else if (byte === BRACE_CLOSE || byte === BRACKET_CLOSE) {
        depth -= 1;
        isOver = depth === 0;
      }
    }
  }
  place.at = at;
  place.depth = depth;
  return isOver;
}
