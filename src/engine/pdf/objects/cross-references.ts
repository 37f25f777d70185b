import { deflateSync, inflateSync } from 'node:zlib';

/** Bytes of an entry beside its offset: the type, and the index in an object stream. */
const FIXED_BYTES = 3;
/** Offsets up to this one have three bytes, others four. */
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
    const offsetBytes = this.#offsetMax > SHORT_OFFSET_MAX ? 4 : 3;
    const { entries, data } =
      this.#types.length > SHORT_MAX
        ? this.#deflatedTable(offsetBytes)
        : { entries: '', data: this.#plainTable(offsetBytes) };
    return { entries: `/W[1 ${offsetBytes} 2]${entries}`, data };
  }

  #plainTable(offsetBytes: number): Uint8Array {
    const count = this.#types.length;
    const data = Buffer.alloc(count * (offsetBytes + FIXED_BYTES));
    for (let row = 0, at = 0; row < count; row++) {
      at = data.writeUInt8(this.#types[row]!, at);
      at = data.writeUIntBE(this.#seconds[row]!, at, offsetBytes);
      at = data.writeUInt16BE(this.#thirds[row]!, at);
    }
    return data;
  }

  #deflatedTable(offsetBytes: number): { readonly entries: string; readonly data: Uint8Array } {
    const count = this.#types.length;
    const entryBytes = offsetBytes + FIXED_BYTES;
    const rows = new Uint8Array(count * (entryBytes + 1));
    let [type, second, third] = [0, 0, 0];
    for (let row = 0, at = 0; row < count; row++, at += entryBytes + 1) {
      const [upType, upSecond, upThird] = [type, second, third];
      type = this.#types[row]!;
      second = this.#seconds[row]!;
      third = this.#thirds[row]!;
      rows[at] = UP;
      rows[at + 1] = type - upType;
      const last = at + 1 + offsetBytes;
      // The row is zero already: equal fields need no write.
      if (second !== upSecond) {
        if (offsetBytes === 4) rows[last - 3] = (second >>> 24) - (upSecond >>> 24);
        rows[last - 2] = (second >>> 16) - (upSecond >>> 16);
        rows[last - 1] = (second >>> 8) - (upSecond >>> 8);
        rows[last] = second - upSecond;
      }
      rows[last + 1] = (third >>> 8) - (upThird >>> 8);
      rows[last + 2] = third - upThird;
    }
    return {
      entries: `/Filter/FlateDecode/DecodeParms<</Predictor 12/Columns ${entryBytes}>>`,
      data: deflateSync(rows, { level: 3, windowBits: 13, memLevel: 7 }),
    };
  }
}

/** Bound for the data of a deflated table: two million objects. */
const ROWS_BYTES_MAX = 16_000_000;

/**
 * Offsets by object number from a stream that `CrossReferences` wrote; 0: the object is in an object
 * stream, or free. `dictionary` is the stream's own.
 */
export function readOffsets(dictionary: string, data: Uint8Array): number[] {
  const offsetBytes = Number(/\/W\[1 (\d) 2\]/.exec(dictionary)?.[1]);
  const entryBytes = offsetBytes + FIXED_BYTES;
  const isPredicted = dictionary.includes('/Predictor 12');
  const entries = isPredicted ? withoutPredictor(data, entryBytes) : Buffer.from(data);
  const offsets: number[] = [];
  for (let at = 0; at + entryBytes <= entries.length; at += entryBytes) {
    offsets.push(entries[at] === 1 ? entries.readUIntBE(at + 1, offsetBytes) : 0);
  }
  return offsets;
}

/** Adds up the differences between rows, and drops the byte of each row's filter. */
function withoutPredictor(data: Uint8Array, entryBytes: number): Buffer {
  const rows = inflateSync(data, { maxOutputLength: ROWS_BYTES_MAX });
  const count = Math.floor(rows.length / (entryBytes + 1));
  const entries = Buffer.alloc(count * entryBytes);
  for (let row = 0, at = 0; row < count; row++) {
    for (let byte = 1; byte <= entryBytes; byte++, at++) {
      const above = row === 0 ? 0 : entries[at - entryBytes]!;
      // Stored modulo 256, as PNG's filter asks.
      entries[at] = above + rows[row * (entryBytes + 1) + byte]!;
    }
  }
  return entries;
}
