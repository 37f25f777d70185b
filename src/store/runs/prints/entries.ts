import type { Steps } from '../../../runtime/time-slice.ts';
import { decode } from '../codec.ts';
import type { PrintedDocument } from './types.ts';

/*
 * The documents of a print file are a list in JSON, up to a hundred thousand of them. JSON.parse of
 * the whole takes 0.1 s; here it gets some hundred entries at a time.
 */

/** Entries that are written or parsed at a time: about a millisecond. */
const ENTRIES_PER_PIECE = 500;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const OPEN = 0x7b;
const CLOSE = 0x7d;

/** Writes the list, piece by piece. */
export function* encodeEntries(documents: readonly PrintedDocument[]): Steps<Uint8Array> {
  const pieces: Buffer[] = [];
  for (let at = 0; at < documents.length; at += ENTRIES_PER_PIECE) {
    const list = JSON.stringify(documents.slice(at, at + ENTRIES_PER_PIECE));
    pieces.push(Buffer.from(`${at === 0 ? '' : ','}${list.slice(1, -1)}`));
    yield;
  }
  return Buffer.concat([Buffer.from('['), ...pieces, Buffer.from(']')]);
}

/** Yields the entries of the list, some hundred at a time. */
export function* decodeEntries(
  bytes: Uint8Array,
): Generator<readonly PrintedDocument[], void, undefined> {
  let [from, count, depth] = [1, 0, 0];
  let isText = false;
  for (let at = 1; at < bytes.length; at += 1) {
    const byte = bytes[at];
    if (isText) {
      if (byte === BACKSLASH) at += 1;
      else if (byte === QUOTE) isText = false;
    } else if (byte === QUOTE) isText = true;
    else if (byte === OPEN) depth += 1;
    else if (byte === CLOSE) {
      depth -= 1;
      if (depth > 0) continue;
      count += 1;
      if (count < ENTRIES_PER_PIECE) continue;
      yield parse(bytes.subarray(from, at + 1));
      // Behind the comma; behind the last entry there is the bracket.
      from = bytes[at + 1] === COMMA ? at + 2 : at + 1;
      count = 0;
    }
  }
  if (count > 0) yield parse(bytes.subarray(from, bytes.length - 1));
}

function parse(entries: Uint8Array): readonly PrintedDocument[] {
  const list = Buffer.concat([Buffer.from('['), entries, Buffer.from(']')]);
  // `encodeEntries` wrote them from this type.
  return decode(list) as readonly PrintedDocument[];
}
