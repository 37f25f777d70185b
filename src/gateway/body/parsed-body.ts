import { isUtf8 } from 'node:buffer';
import type { Failure, Outcome } from '../../errors.ts';
import { fail, succeed } from '../../errors.ts';
import { describingFault } from '../../runtime/json-syntax/fault.ts';
import { checkingJson } from '../../runtime/json-syntax/syntax.ts';
import type { Steps } from '../../runtime/time-slice.ts';
import { runAtOnce, runInSlices } from '../../runtime/time-slice.ts';
import { locatingData } from './locate-data.ts';

/** In bodies up to this size, the part outside `data` is not limited. */
export const SHORT_BYTES_MAX = 64 * 1024;
/** Limits for the part of a longer body outside `data`: parsing it delays every other request. */
const MEMBERS_MAX = 1_000;
const NESTED_BYTES_MAX = 32 * 1024;
const BRACE_OPEN = 0x7b;
/** Message about a longer body that holds too much outside `data`. */
export const CROWDED = 'The body holds too much beside data.';

/** A generate body. The gateway does not parse `data`, the bytes [dataStart, dataEnd) of it. */
export interface ParsedBody {
  /** The parsed body, with `{}` or null in place of `data`; null if the body was only checked. */
  readonly value: unknown;
  readonly dataStart: number;
  readonly dataEnd: number;
  /** False: nobody has checked `data` yet, so the body may still turn out malformed. */
  readonly whole: boolean;
}

/** Parses a JSON body that is not a generate request. */
export function parseJson(body: Uint8Array): Outcome<unknown> {
  if (!isUtf8(body)) return fail('bad_request', 'The body is not valid UTF-8.');
  const value = parseText(bufferOf(body).toString('utf8'));
  return value === undefined ? runAtOnce(describingMalformed(body)) : succeed(value);
}

/**
 * Parses a generate body except `data`, and locates `data`. Of a long body, the number of members and
 * the bytes of nested values that are parsed here are limited.
 */
export function* parsingBody(body: Uint8Array): Steps<Outcome<ParsedBody>> {
  const isLong = body.length > SHORT_BYTES_MAX;
  const skimmed = yield* locatingData(body, isLong ? MEMBERS_MAX : Number.POSITIVE_INFINITY);
  const { data, isBroken, members, nestedBytes } = skimmed;
  if (isLong && (members > MEMBERS_MAX || nestedBytes > NESTED_BYTES_MAX)) {
    return fail('bad_request', CROWDED);
  }
  if (!isUtf8(body)) return fail('bad_request', 'The body is not valid UTF-8.');
  if (isBroken) return yield* describingMalformed(body);
  // A long body without members was not measured: it is an empty object or another type of value.
  const isWithinLimits = !isLong || members > 0;
  if (data === null) return yield* parsingWithoutData(body, isWithinLimits);
  const { start, end } = data;
  // The checks that follow must still see whether `data` is an object.
  const standIn = body[start] === BRACE_OPEN ? '{}' : 'null';
  const text = bufferOf(body);
  const rest = parseText(text.toString('utf8', 0, start) + standIn + text.toString('utf8', end));
  if (rest === undefined) return yield* describingMalformed(body);
  return succeed({ value: rest, dataStart: start, dataEnd: end, whole: false });
}

/**
 * Parses a body without `data` if it is within the limits; otherwise only checks its syntax, and its
 * value is null.
 */
function* parsingWithoutData(
  body: Uint8Array,
  isWithinLimits: boolean,
): Steps<Outcome<ParsedBody>> {
  const isJson = isWithinLimits || (yield* checkingJson(body));
  const value = isWithinLimits ? parseText(bufferOf(body).toString('utf8')) : null;
  if (!isJson || value === undefined) return yield* describingMalformed(body);
  return succeed({ value, dataStart: 0, dataEnd: 0, whole: true });
}

/**
 * Checks the syntax of a body that was not parsed completely, because malformed JSON takes
 * precedence over every later refusal.
 */
export function* checkingWellFormed(
  body: Uint8Array,
  { whole, dataStart, dataEnd }: ParsedBody,
): Steps<Outcome<null>> {
  if (whole || (yield* checkingJson(body.subarray(dataStart, dataEnd)))) {
    return succeed(null);
  }
  return yield* describingMalformed(body);
}

/** The refusal of a body that is not JSON; it is valid UTF-8. */
export function* describingMalformed(body: Uint8Array): Steps<Failure> {
  return fail('bad_request', (yield* describingFault(body)) ?? 'The body is not valid JSON.');
}

/** `later`, unless the part of the body that has not been parsed yet is malformed. */
export async function malformedOr(
  body: Uint8Array,
  parsed: ParsedBody,
  later: Failure,
): Promise<Failure> {
  const wellFormed = await runInSlices(checkingWellFormed(body, parsed));
  return wellFormed.ok ? later : wellFormed;
}

function bufferOf(body: Uint8Array): Buffer {
  return Buffer.from(body.buffer, body.byteOffset, body.byteLength);
}

/** The value of a text; undefined if it is not JSON. */
function parseText(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
