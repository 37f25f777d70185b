import { decode } from '../codec.ts';
import type { PrintedDocument } from './types.ts';

/*
 * Earlier versions stored the documents of a print file as one list in JSON, up to a hundred thousand
 * of them (now: print-index.ts). JSON.parse of the whole takes 0.1 s; here it gets some hundred
 * entries at a time.
 */

/**
 * Stands in the cell of the list when the documents are in the index. It is not JSON, so an instance
 * of the previous version reports an error instead of an empty list.
 */
export const NOT_HERE = '[{run_print_index}]';

/** Entries that are parsed at a time: about a millisecond. */
const ENTRIES_PER_PIECE = 500;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const OPEN = 0x7b;
const CLOSE = 0x7d;

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
  // Earlier versions wrote them from this type.
  return decode(list) as readonly PrintedDocument[];
}
