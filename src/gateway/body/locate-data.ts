import type { Steps } from '../../runtime/time-slice.ts';
import { skipBlanks, STRIDE_BYTES } from '../../runtime/json-syntax/blanks.ts';
import { runAtOnce } from '../../runtime/time-slice.ts';

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const BRACKET_OPEN = 0x5b;
const BACKSLASH = 0x5c;
const BRACKET_CLOSE = 0x5d;
const BRACE_OPEN = 0x7b;
const BRACE_CLOSE = 0x7d;
/** Longer strings are searched with the native indexOf. */
const SHORT_STRING = 48;
/** The bytes [start, end) of a value in a body. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/** Where `data` is, and how much surrounds it, which determines the cost of parsing. */
export interface LocatedData {
  /** The value of the top-level key `data`: the last one when it is repeated, as in JSON.parse. */
  readonly data: ByteRange | null;
  /** True: the text is certainly not JSON. False: it may or may not be. */
  readonly isBroken: boolean;
  /** Number of members at the top level. */
  readonly members: number;
  /**
   * Bytes of all objects and arrays outside `data`, including a `data` that a later one replaces.
   */
  readonly nestedBytes: number;
}

/**
 * Finds the value of the top-level key `data` in one pass over the bytes, without parsing; it stops
 * after `membersMax` members. `data` is null when the text has no such key. It assumes that the
 * text is JSON, which is safe: if the range is JSON, and the text with `{}` in place of the range
 * is JSON, then the whole text is JSON with the same meaning.
 */
export function* locatingData(
  body: Uint8Array,
  membersMax = Number.POSITIVE_INFINITY,
): Steps<LocatedData> {
  let data: ByteRange | null = null;
  let members = 0;
  let nestedBytes = 0;
  const none = (isBroken: boolean): LocatedData => ({ data: null, isBroken, members, nestedBytes });
  // Many long bodies may come at once: each waits for a slice before it takes time.
  if (body.length > STRIDE_BYTES) yield;
  let at = skipBlanks(body, 0);
  if (body[at] !== BRACE_OPEN) return none(false);
  at += 1;
  for (;;) {
    at = skipBlanks(body, at);
    const byte = body[at];
    if (byte === BRACE_CLOSE) return { data, isBroken: false, members, nestedBytes };
    if (byte === COMMA) {
      at += 1;
      continue;
    }
    members += 1;
    if (members > membersMax) return none(false);
    if (byte !== QUOTE) return none(true);
    const keyStart = at;
    const keyEnd = skipString(body, at);
    if (keyEnd === -1) return none(true);
    at = skipBlanks(body, keyEnd);
    if (body[at] !== COLON) return none(true);
    const start = skipBlanks(body, at + 1);
    const end = yield* skippingValue(body, start);
    if (end === -1) return none(true);
    if (isData(body, keyStart, keyEnd)) {
      if (data !== null) nestedBytes += data.end - data.start;
      data = { start, end };
    } else if (body[start] === BRACE_OPEN || body[start] === BRACKET_OPEN) {
      nestedBytes += end - start;
    }
    at = end;
  }
}

/** The offset after a value; -1: the text ends before. */
function* skippingValue(body: Uint8Array, from: number): Steps<number> {
  const first = body[from];
  if (first === QUOTE) return skipString(body, from);
  if (first === BRACE_OPEN || first === BRACKET_OPEN) return yield* skippingNested(body, from);
  let at = from;
  for (;;) {
    const byte = body[at];
    if (byte === undefined) return -1;
    if (byte === COMMA || byte === BRACE_CLOSE || byte <= 0x20) return at;
    at += 1;
  }
}

function isData(body: Uint8Array, start: number, end: number): boolean {
  // "data" as it stands …
  if (end - start === 6) {
    return (
      body[start + 1] === 0x64 &&
      body[start + 2] === 0x61 &&
      body[start + 3] === 0x74 &&
      body[start + 4] === 0x61
    );
  }
  // … or with some of its letters as \uXXXX: 5 more bytes each.
  const escapes = (end - start - 6) / 5;
  if (![1, 2, 3, 4].includes(escapes)) return false;
  try {
    return JSON.parse(Buffer.from(body.subarray(start, end)).toString('latin1')) === 'data';
  } catch {
    // It is not a valid string; parsing the rest reports that.
    return false;
  }
}

// The functions below skip over JSON without parsing it. They assume that the text is JSON.

/** The offset after the string that opens at `from`; -1: it is not closed. */
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

/** The offset after the object or array that opens at `from`; -1: the text ends before. */
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
  /** Offset in the text; -1: the text ended before. */
  at: number;
  depth: number;
}

/** Advances; true when the value or the text has ended, false at `until`. */
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
