import { deflateSync } from 'node:zlib';
import { deflateRows } from './deflate-rows.ts';

/** Bytes of each field: type, offset or object stream, index in that stream. */
const WIDTHS = [1, 4, 2] as const;
const ENTRY_BYTES = 7;
/** Generation of numbers that are never used again (ISO 32000-1 §7.5.4). */
const FREE_GENERATION = 0xffff;
/** PNG's filter "up": each entry is written as its difference from the one above. */
const UP = 2;

/** Tables of so many entries are deflated without zlib. */
const SHORT_MAX = 500;

/** The entries of a cross-reference stream (ISO 32000-1 §7.5.8). */
export class CrossReferences {
  readonly #types: Uint8Array;
  readonly #seconds: Uint32Array;
  readonly #thirds: Uint16Array;

  constructor(count: number) {
    this.#types = new Uint8Array(count);
    this.#seconds = new Uint32Array(count);
    this.#thirds = new Uint16Array(count);
    // Object 0 heads the list of free objects.
    this.free(0);
  }

  /** A number that no object has or will have: it need not be in the list of free ones. */
  free(number: number): void {
    this.#thirds[number] = FREE_GENERATION;
  }

  plain(number: number, offset: number): void {
    this.#types[number] = 1;
    this.#seconds[number] = offset;
  }

  /** Objects in one object stream, in their order. */
  packed(stream: number, numbers: readonly number[]): void {
    for (let index = 0; index < numbers.length; index++) {
      const number = numbers[index]!;
      this.#types[number] = 2;
      this.#seconds[number] = stream;
      this.#thirds[number] = index;
    }
  }

  finish(): { readonly entries: string; readonly data: Uint8Array } {
    const count = this.#types.length;
    const rows = new Uint8Array(count * (ENTRY_BYTES + 1));
    let [type, second, third] = [0, 0, 0];
    for (let row = 0, at = 0; row < count; row++, at += ENTRY_BYTES + 1) {
      const [upType, upSecond, upThird] = [type, second, third];
      type = this.#types[row]!;
      second = this.#seconds[row]!;
      third = this.#thirds[row]!;
      if (type === 0 && third !== FREE_GENERATION)
        throw new Error('an object was reserved and not written');
      rows[at] = UP;
      rows[at + 1] = type - upType;
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
    if (count <= SHORT_MAX) return { entries, data: deflateRows(rows) };
    return { entries, data: deflateSync(rows, { level: 3, windowBits: 13, memLevel: 7 }) };
  }
}
