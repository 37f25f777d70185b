import { deflateSync, inflateSync } from 'node:zlib';

/** Bytes of each field: type, offset or object stream, index in that stream. */
const WIDTHS = [1, 4, 2] as const;
const ENTRY_BYTES = 7;
/** Fields of a short table. */
const SHORT_WIDTHS = [1, 3, 2] as const;
const SHORT_ENTRY_BYTES = 6;
const SHORT_OFFSET_MAX = 0xffffff;
/** Generation of numbers that are never used again (ISO 32000-1 §7.5.4). */
const FREE_GENERATION = 0xffff;
/** PNG's filter "up": each entry is written as its difference from the one above. */
const UP = 2;

/** Tables of up to this many entries are not deflated: setting zlib up would cost more than it saves. */
const SHORT_MAX = 300;

/** The entries of a cross-reference stream (ISO 32000-1 §7.5.8). */
export class CrossReferences {
  readonly #types: Uint8Array;
  /** Fields 2 and 3, by type. 0 (free): 0, generation; 1: offset, 0; 2: object stream, index in it. */
  readonly #seconds: Uint32Array;
  readonly #thirds: Uint16Array;
  #offsetMax = 0;

  constructor(count: number) {
    this.#types = new Uint8Array(count);
    this.#seconds = new Uint32Array(count);
    this.#thirds = new Uint16Array(count);
    // Object 0 heads the list of free objects, which is otherwise empty.
    this.free(0);
  }

  /**
   * Marks a number that no object uses or will use. Such a number does not have to be linked into the
   * list of free objects.
   */
  free(number: number): void {
    this.#thirds[number] = FREE_GENERATION;
  }

  plain(number: number, offset: number): void {
    this.#types[number] = 1;
    this.#seconds[number] = offset;
    if (offset > this.#offsetMax) this.#offsetMax = offset;
  }

  /** Objects in one object stream, in their order. */
  packed(stream: number, numbers: ArrayLike<number>): void {
    for (let index = 0; index < numbers.length; index++) {
      const number = numbers[index]!;
      this.#types[number] = 2;
      this.#seconds[number] = stream;
      this.#thirds[number] = index;
    }
  }

  /** The dictionary entries and the data of the stream. */
  finish(): { readonly entries: string; readonly data: Uint8Array } {
    for (let number = 0; number < this.#types.length; number++) {
      const isUnwritten = this.#types[number] === 0 && this.#thirds[number] !== FREE_GENERATION;
      if (isUnwritten) throw new Error('an object was reserved and not written');
    }
    const isShort = this.#types.length <= SHORT_MAX && this.#offsetMax <= SHORT_OFFSET_MAX;
    return isShort ? this.#shortTable() : this.#deflatedTable();
  }

  #shortTable(): { readonly entries: string; readonly data: Uint8Array } {
    const count = this.#types.length;
    const data = new Uint8Array(count * SHORT_ENTRY_BYTES);
    for (let row = 0, at = 0; row < count; row++, at += SHORT_ENTRY_BYTES) {
      const second = this.#seconds[row]!;
      const third = this.#thirds[row]!;
      data[at] = this.#types[row]!;
      data[at + 1] = second >>> 16;
      data[at + 2] = second >>> 8;
      data[at + 3] = second;
      data[at + 4] = third >>> 8;
      data[at + 5] = third;
    }
    return { entries: `/W[${SHORT_WIDTHS.join(' ')}]`, data };
  }

  #deflatedTable(): { readonly entries: string; readonly data: Uint8Array } {
    const count = this.#types.length;
    const rows = new Uint8Array(count * (ENTRY_BYTES + 1));
    let [type, second, third] = [0, 0, 0];
    for (let row = 0, at = 0; row < count; row++, at += ENTRY_BYTES + 1) {
      const [upType, upSecond, upThird] = [type, second, third];
      type = this.#types[row]!;
      second = this.#seconds[row]!;
      third = this.#thirds[row]!;
      rows[at] = UP;
      rows[at + 1] = type - upType;
      // The row is zero already: equal fields need no write.
      if (second !== upSecond) {
        rows[at + 2] = (second >>> 24) - (upSecond >>> 24);
        rows[at + 3] = (second >>> 16) - (upSecond >>> 16);
        rows[at + 4] = (second >>> 8) - (upSecond >>> 8);
        rows[at + 5] = second - upSecond;
      }
      rows[at + 6] = (third >>> 8) - (upThird >>> 8);
      rows[at + 7] = third - upThird;
    }
    const entries =
      `/W[${WIDTHS.join(' ')}]/Filter/FlateDecode` +
      `/DecodeParms<</Predictor 12/Columns ${ENTRY_BYTES}>>`;
    return { entries, data: deflateSync(rows, { level: 3, windowBits: 13, memLevel: 7 }) };
  }
}

/** Bound for the data of a deflated table: two million objects. */
const ROWS_BYTES_MAX = 16_000_000;

/**
 * Offsets by object number from a stream that `CrossReferences` wrote; 0: the object is in an object
 * stream, or free. `dictionary` is the stream's own.
 */
export function readOffsets(dictionary: string, data: Uint8Array): number[] {
  const isPredicted = dictionary.includes('/Predictor 12');
  const [, offsetBytes, indexBytes] = isPredicted ? WIDTHS : SHORT_WIDTHS;
  const entryBytes = 1 + offsetBytes + indexBytes;
  const entries = isPredicted ? withoutPredictor(data) : Buffer.from(data);
  const offsets: number[] = [];
  for (let at = 0; at + entryBytes <= entries.length; at += entryBytes) {
    offsets.push(entries[at] === 1 ? entries.readUIntBE(at + 1, offsetBytes) : 0);
  }
  return offsets;
}

/** Adds up the differences between rows, and drops the byte of each row's filter. */
function withoutPredictor(data: Uint8Array): Buffer {
  const rows = inflateSync(data, { maxOutputLength: ROWS_BYTES_MAX });
  const count = Math.floor(rows.length / (ENTRY_BYTES + 1));
  const entries = Buffer.alloc(count * ENTRY_BYTES);
  for (let row = 0, at = 0; row < count; row++) {
    for (let byte = 1; byte <= ENTRY_BYTES; byte++, at++) {
      const above = row === 0 ? 0 : entries[at - ENTRY_BYTES]!;
      // Stored modulo 256, as PNG's filter asks.
      entries[at] = above + rows[row * (ENTRY_BYTES + 1) + byte]!;
    }
  }
  return entries;
}
