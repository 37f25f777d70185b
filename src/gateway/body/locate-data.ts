import type { Steps } from '../../runtime/time-slice.ts';
import { skipBlanks, skipString, skippingNested } from './json-scan.ts';

/** Where a value stands in a body: [start, end). */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const BRACKET_OPEN = 0x5b;
const BRACE_OPEN = 0x7b;
const BRACE_CLOSE = 0x7d;

/** Where `data` stands, and what surrounds it: the latter bounds the cost of parsing. */
export interface LocatedData {
  /** The value of the top-level key `data`: the last one when it is repeated, as in JSON.parse. */
  readonly data: ByteRange | null;
  /** True: the text is certainly not JSON. False proves nothing. */
  readonly isBroken: boolean;
  /** Members at the top level. */
  readonly members: number;
  /** Bytes of all objects and arrays beside `data`, and of a `data` that a later one replaces. */
  readonly nestedBytes: number;
}

/**
 * Finds the value of the top-level key `data` in one pass over the bytes, without parsing. `data`
 * null where the text has no such shape; it stops past `membersMax`.
 *
 * It believes that the text is JSON. That is safe: when the text with `{}` in place of the range is
 * JSON, and the range is JSON, then the whole is JSON, and says the same.
 */
export function* locatingData(
  body: Uint8Array,
  membersMax = Number.POSITIVE_INFINITY,
): Steps<LocatedData> {
  let data: ByteRange | null = null;
  let members = 0;
  let nestedBytes = 0;
  const none = (isBroken: boolean): LocatedData => ({ data: null, isBroken, members, nestedBytes });
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

/** The place after a value; -1 when the text ends before. */
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
    // Not a string after all; the parser of the rest will say so.
    return false;
  }
}
