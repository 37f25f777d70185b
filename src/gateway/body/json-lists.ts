import { isUtf8 } from 'node:buffer';
import type { Failure, Outcome } from '../../errors.ts';
import { fail, succeed } from '../../errors.ts';
import { skipBlanks } from '../../runtime/json-syntax/blanks.ts';
import { runInSlices, TimeSlice } from '../../runtime/time-slice.ts';
import { skipNested, skipString } from './locate-data.ts';
import { describingMalformed } from './parsed-body.ts';

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const BRACKET_OPEN = 0x5b;
const BRACKET_CLOSE = 0x5d;
const BRACE_OPEN = 0x7b;
const BRACE_CLOSE = 0x7d;

/**
 * Longest text given to JSON.parse at once: a key, an item of a list, or the value of another
 * member.
 */
const PIECE_BYTES_MAX = 16 * 1024;
/** Members of the body; a repeated key counts each time. */
const MEMBERS_MAX = 100;
/** The body is not JSON; `read` says where. */
const MALFORMED = fail('bad_request', '');

/** Takes the items of one list. */
export interface ItemTaker {
  /** Called when the list begins; again when its key is repeated, because the last one counts. */
  begin(): void;
  take(item: unknown, index: number): Failure | null;
}

/**
 * Reads a JSON object with long lists item by item, in time slices: JSON.parse of the whole would
 * delay other requests for 10 ms or more per megabyte. Resolves to the other members, and to
 * those named in `lists` whose value is not an array. Keys, items and other values go to
 * JSON.parse; the punctuation between them is checked here (RFC 8259 §2). Within the limits it
 * accepts exactly the objects that JSON.parse accepts.
 */
export function readLists(
  body: Uint8Array,
  lists: Readonly<Record<string, ItemTaker>>,
): Promise<Outcome<Readonly<Record<string, unknown>>>> {
  return new ListReader(body, lists).read();
}

class ListReader {
  readonly #text: Buffer;
  readonly #lists: Readonly<Record<string, ItemTaker>>;
  readonly #others: Record<string, unknown> = Object.create(null) as Record<string, unknown>;
  readonly #slice = new TimeSlice();
  #at = 0;
  /** The value of the last piece. */
  #value: unknown = null;

  constructor(body: Uint8Array, lists: Readonly<Record<string, ItemTaker>>) {
    this.#text = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
    this.#lists = lists;
  }

  async read(): Promise<Outcome<Readonly<Record<string, unknown>>>> {
    const outcome = await this.#read();
    return outcome === MALFORMED ? runInSlices(describingMalformed(this.#text)) : outcome;
  }

  async #read(): Promise<Outcome<Readonly<Record<string, unknown>>>> {
    if (!isUtf8(this.#text)) return fail('bad_request', 'The body is not valid UTF-8.');
    if (this.#peek() !== BRACE_OPEN) return fail('bad_request', 'The body must be a JSON object.');
    this.#at += 1;
    for (let members = 0; ; members += 1) {
      if (members === 0 && this.#peek() === BRACE_CLOSE) break;
      if (members === MEMBERS_MAX) return fail('bad_request', 'The body has too many keys.');
      const defect = await this.#member();
      if (defect !== null) return defect;
      const byte = this.#peek();
      if (byte === BRACE_CLOSE) break;
      if (byte !== COMMA) return MALFORMED;
      this.#at += 1;
    }
    this.#at += 1;
    return this.#peek() === undefined ? succeed(this.#others) : MALFORMED;
  }

  async #member(): Promise<Failure | null> {
    if (this.#peek() !== QUOTE) return MALFORMED;
    const keyDefect = this.#parsePiece('A key of the body');
    if (keyDefect !== null) return keyDefect;
    const key = String(this.#value);
    if (this.#peek() !== COLON) return MALFORMED;
    this.#at += 1;
    const list = Object.hasOwn(this.#lists, key) ? this.#lists[key] : undefined;
    if (list !== undefined && this.#peek() === BRACKET_OPEN) return this.#items(key, list);
    const valueDefect = this.#parsePiece('A value of the body');
    if (valueDefect === null) this.#others[key] = this.#value;
    return valueDefect;
  }

  async #items(key: string, list: ItemTaker): Promise<Failure | null> {
    list.begin();
    delete this.#others[key];
    this.#at += 1;
    for (let index = 0; ; index += 1) {
      if (index === 0 && this.#peek() === BRACKET_CLOSE) break;
      const defect = this.#parsePiece(`${key}[${index}]`) ?? list.take(this.#value, index);
      if (defect !== null) return defect;
      const byte = this.#peek();
      if (byte === BRACKET_CLOSE) break;
      if (byte !== COMMA) return MALFORMED;
      this.#at += 1;
      if (this.#slice.isOver) await this.#slice.next();
    }
    this.#at += 1;
    return null;
  }

  /** Skips white space and returns the next byte. */
  #peek(): number | undefined {
    this.#at = skipBlanks(this.#text, this.#at);
    return this.#text[this.#at];
  }

  /** Parses one value into `#value` and moves behind it. */
  #parsePiece(place: string): Failure | null {
    const first = this.#peek();
    const start = this.#at;
    const window = this.#text.subarray(start, start + PIECE_BYTES_MAX);
    const length = pieceEnd(window, first);
    if (length === -1) {
      // Malformed text that is longer than the window is called too long, too: a longer search for
      // its end would cost more than the better message is worth.
      const isCut = start + PIECE_BYTES_MAX < this.#text.length;
      const message = `${place} has more than ${PIECE_BYTES_MAX} bytes.`;
      return isCut ? fail('bad_request', message) : MALFORMED;
    }
    try {
      this.#value = JSON.parse(this.#text.toString('utf8', start, start + length)) as unknown;
    } catch (error) {
      if (error instanceof SyntaxError) return MALFORMED;
      throw error;
    }
    this.#at = start + length;
    return null;
  }
}

/** The offset after the value at the start of `window`; -1: the value extends beyond it. */
function pieceEnd(window: Uint8Array, first: number | undefined): number {
  if (first === QUOTE) return skipString(window, 0);
  if (first === BRACE_OPEN || first === BRACKET_OPEN) return skipNested(window, 0);
  for (let at = 0; at < window.length; at += 1) {
    const byte = window[at] ?? 0;
    if (byte === COMMA || byte === BRACE_CLOSE || byte === BRACKET_CLOSE || byte <= 0x20) return at;
  }
  return -1;
}
