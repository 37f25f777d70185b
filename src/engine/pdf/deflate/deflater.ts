import { deflateSync } from 'node:zlib';
import {
  blockHeader,
  canonicalCodes,
  CODE_BITS_MAX,
  codeLengths,
  DISTANCE_COUNT,
  DISTANCE_RANGES,
  END_OF_BLOCK,
  FIRST_LENGTH,
  LENGTH_MAX,
  LENGTH_MIN,
  LENGTH_RANGES,
  LITERAL_COUNT,
  rangeOf,
} from './codes.ts';
import { type Kernel, loadKernel } from './kernel/kernel.ts';
import { KNOWN_CODES } from './known-codes.ts';

/** Lengths in bits of the codes of all literals and lengths, and of all distances. */
interface CodeSet {
  readonly literals: Uint8Array;
  readonly distances: Uint8Array;
}

function codeSet(digits: string): CodeSet {
  const lengths = Uint8Array.from(digits, (digit) => Number.parseInt(digit, 16));
  return {
    literals: lengths.subarray(0, LITERAL_COUNT),
    distances: lengths.subarray(LITERAL_COUNT),
  };
}

/** Approximate size of a block's own codes in its header. */
const HEADER_BITS = 640;
/**
 * A content gets its own codes only if they save an eighth, because making them takes longer than
 * deflating a page.
 */
const WORTH = 7 / 8;
/** After this many contents, a document gets its own codes, for the rest of its pages. */
const CONTENTS_FIRST = 4;
/** Limit of a block of plain bytes (RFC 1951, §3.2.4). */
const PLAIN_BYTES_MAX = 0xffff;

/**
 * Deflates contents of pages to zlib streams (RFC 1950), fast. The bytes depend only on the
 * document: not on the version of Node or zlib, and not on earlier documents.
 *
 * Making Huffman codes for a page would take longer than finding its matches. Pages are similar, so
 * a page gets the best of a few known sets of codes (known-codes.ts), and a long document makes one
 * set for all its pages.
 */
export class Deflater {
  readonly #kernel: Kernel = loadKernel();
  readonly #known: readonly number[];
  /** The set of codes that was made for a single content. */
  readonly #ownSet: number;
  /** The set of codes that was made for the document. */
  readonly #documentSet: number;
  /** How often each symbol occurs in the first contents of the document. */
  readonly #documentCounts = new Uint32Array(LITERAL_COUNT + DISTANCE_COUNT);
  #contentCount = 0;
  /** The known set that has been best so far. */
  #lastKnown = 0;
  /** The sets that contents may get. */
  #sets: readonly number[];

  constructor() {
    this.#writeSymbols();
    const known = KNOWN_CODES.map(codeSet);
    const { SETS, SET_BYTES } = this.#kernel.at;
    const places = Array.from({ length: known.length + 2 }, (_, index) => SETS + index * SET_BYTES);
    [this.#ownSet = 0, this.#documentSet = 0, ...this.#known] = places;
    if (places.at(-1)! + SET_BYTES > this.#kernel.bytes.length)
      throw new Error('the kernel has no room for so many sets of codes');
    this.#sets = this.#known;
    known.forEach((codes, index) => this.#writeSet(this.#known[index]!, codes));
  }

  /** Begins a document, whose contents follow. */
  begin(): void {
    this.#sets = this.#known;
    this.#documentCounts.fill(0);
    this.#contentCount = 0;
  }

  /** The zlib stream of `content`; the bytes are valid until the next call. */
  deflate(content: Uint8Array): Uint8Array {
    const { length } = content;
    const { INPUT, INPUT_MAX, OUTPUT } = this.#kernel.at;
    // Contents of this length are rare.
    if (length > INPUT_MAX) return deflateSync(content, { level: 1 });
    this.#kernel.bytes.set(content, INPUT);
    this.#kernel.parse(length);
    if (this.#contentCount <= CONTENTS_FIRST) this.#learn();
    const set = this.#bestSet(length);
    if (set === null) return this.#plain(content);
    return this.#kernel.bytes.subarray(OUTPUT, OUTPUT + this.#kernel.emit(length, set));
  }

  /** Frequency of each symbol in the content: literals and lengths, then distances. */
  frequencies(content: Uint8Array): Uint32Array {
    this.#kernel.bytes.set(content, this.#kernel.at.INPUT);
    this.#kernel.parse(content.length);
    return this.#counts().slice();
  }

  #counts(): Uint32Array {
    const first = this.#kernel.at.COUNTS >>> 2;
    return this.#kernel.words.subarray(first, first + LITERAL_COUNT + DISTANCE_COUNT);
  }

  /** Counts the symbols of the parsed input; makes codes once enough contents are counted. */
  #learn(): void {
    const all = this.#documentCounts;
    if (this.#contentCount === CONTENTS_FIRST) {
      // A later page may have any symbol.
      this.#makeSet(
        this.#documentSet,
        all.map((count) => count + 1),
      );
      this.#sets = [this.#lastKnown, this.#documentSet];
    } else {
      const counts = this.#counts();
      for (let symbol = 0; symbol < all.length; symbol++) all[symbol]! += counts[symbol]!;
    }
    this.#contentCount += 1;
  }

  #makeSet(set: number, counts: Uint32Array): void {
    this.#writeSet(set, {
      literals: codeLengths(counts.subarray(0, LITERAL_COUNT), CODE_BITS_MAX),
      distances: codeLengths(counts.subarray(LITERAL_COUNT), CODE_BITS_MAX),
    });
  }

  /** The set of codes for the parsed input. Null if plain bytes are shorter. */
  #bestSet(length: number): number | null {
    let best = 0;
    let bits = Infinity;
    for (const set of this.#sets) {
      const setBits = this.#kernel.bitsWith(set);
      if (setBits >= bits) continue;
      best = set;
      bits = setBits;
    }
    if (best !== this.#documentSet) this.#lastKnown = best;
    if (this.#kernel.bitsAtLeast() + HEADER_BITS < bits * WORTH) {
      this.#makeSet(this.#ownSet, this.#counts());
      const ownBits = this.#kernel.bitsWith(this.#ownSet);
      if (ownBits < bits) {
        best = this.#ownSet;
        bits = ownBits;
      }
    }
    return bits > 8 * length ? null : best;
  }

  #writeSymbols(): void {
    const { LENGTH_SYMBOLS, DISTANCE_SYMBOLS, DISTANCES, EXTRA_BITS, LOGARITHMS } = this.#kernel.at;
    for (let length = LENGTH_MIN; length <= LENGTH_MAX; length++) {
      this.#kernel.bytes[LENGTH_SYMBOLS + length] = rangeOf(LENGTH_RANGES, length);
    }
    for (let index = 0; index < 256; index++) {
      this.#kernel.bytes[DISTANCE_SYMBOLS + index] = rangeOf(DISTANCE_RANGES, index + 1);
      this.#kernel.bytes[DISTANCE_SYMBOLS + 256 + index] = rangeOf(
        DISTANCE_RANGES,
        (index << 7) + 1,
      );
      this.#kernel.words[(LOGARITHMS >>> 2) + index] = Math.floor(256 * Math.log2(1 + index / 256));
    }
    const extraBitsOf = [...LENGTH_RANGES, ...DISTANCE_RANGES].map(({ extraBits }) => extraBits);
    this.#kernel.bytes.set(extraBitsOf, EXTRA_BITS + FIRST_LENGTH);
    DISTANCE_RANGES.forEach(({ least, extraBits }, symbol) => {
      this.#kernel.words[(DISTANCES >>> 2) + symbol] = least | (extraBits << 24);
    });
  }

  #writeSet(set: number, { literals, distances }: CodeSet): void {
    const at = this.#kernel.at;
    const header = blockHeader(literals, distances);
    this.#kernel.words[(set + at.HEADER_BITS) >>> 2] = header.count;
    this.#kernel.bytes.set(header.bytes, set + at.HEADER);
    const literalCodes = canonicalCodes(literals);
    const words = (part: number, index: number): number => ((set + part) >>> 2) + index;
    for (let symbol = 0; symbol <= END_OF_BLOCK; symbol++) {
      this.#kernel.words[words(at.LITERAL_CODES, symbol)] =
        literalCodes[symbol]! | (literals[symbol]! << 24);
    }
    for (let length = LENGTH_MIN; length <= LENGTH_MAX; length++) {
      const index = this.#kernel.bytes[at.LENGTH_SYMBOLS + length]!;
      const { least, extraBits } = LENGTH_RANGES[index]!;
      const bits = literals[FIRST_LENGTH + index]!;
      const code = literalCodes[FIRST_LENGTH + index]! | ((length - least) << bits);
      this.#kernel.words[words(at.LENGTH_CODES, length)] = code | ((bits + extraBits) << 24);
    }
    canonicalCodes(distances).forEach((code, symbol) => {
      this.#kernel.words[words(at.DISTANCE_CODES, symbol)] = code | (distances[symbol]! << 24);
    });
    const symbolBits = [
      ...literals.subarray(0, FIRST_LENGTH),
      ...LENGTH_RANGES.map(({ extraBits }, index) => literals[FIRST_LENGTH + index]! + extraBits),
      ...DISTANCE_RANGES.map(({ extraBits }, index) => distances[index]! + extraBits),
    ];
    this.#kernel.bytes.set(symbolBits, set + at.SYMBOL_BITS);
  }

  /** A stream of blocks of plain bytes (RFC 1951, §3.2.4). */
  #plain(content: Uint8Array): Uint8Array {
    const blockCount = Math.max(1, Math.ceil(content.length / PLAIN_BYTES_MAX));
    const stream = Buffer.alloc(2 + 5 * blockCount + content.length + 4);
    stream.writeUInt16LE(0x0178, 0);
    let at = 2;
    for (let block = 0; block < blockCount; block++) {
      const part = content.subarray(block * PLAIN_BYTES_MAX, (block + 1) * PLAIN_BYTES_MAX);
      stream.writeUInt8(block === blockCount - 1 ? 1 : 0, at);
      stream.writeUInt16LE(part.length, at + 1);
      stream.writeUInt16LE(part.length ^ 0xffff, at + 3);
      stream.set(part, at + 5);
      at += 5 + part.length;
    }
    stream.writeUInt32BE(this.#kernel.checksum(content.length) >>> 0, at);
    return stream;
  }
}
