/** Bytes of a row: what repeats is a whole one. */
export const ROW_BYTES = 8;

const ADLER_MODULUS = 65_521;
/** Bits of the longest token, a literal of nine bits, for each byte; header, end and checksum. */
const HEAD_BYTES = 16;

/**
 * Rows in zlib's format (RFC 1950, RFC 1951), with the fixed codes: a row that equals the one before
 * is a match of its length, all others are literals. Setting up zlib costs more than a short table.
 */
export function deflateRows(rows: Uint8Array): Uint8Array {
  const out = new BitWriter(rows.length + (rows.length >> 3) + HEAD_BYTES);
  out.bits(0x0178, 16);
  // The last block, with the fixed codes.
  out.bits(0b011, 3);
  let [low, high] = [1, 0];
  for (let at = 0; at < rows.length; at += ROW_BYTES) {
    let isRepeated = at > 0;
    for (let index = at; index < at + ROW_BYTES; index++) {
      const byte = rows[index]!;
      low += byte;
      high += low;
      if (isRepeated && byte !== rows[index - ROW_BYTES]) isRepeated = false;
    }
    low %= ADLER_MODULUS;
    high %= ADLER_MODULUS;
    if (isRepeated) out.repeatRow();
    else for (let index = at; index < at + ROW_BYTES; index++) out.literal(rows[index]!);
  }
  // The end of the block is seven zeros.
  out.bits(0, 7);
  return out.finish(high, low);
}

class BitWriter {
  readonly #bytes: Uint8Array;
  #length = 0;
  #bits = 0;
  #bitCount = 0;

  constructor(capacityBytes: number) {
    this.#bytes = new Uint8Array(capacityBytes);
  }

  /** Up to 16 bits, the lowest first. */
  bits(value: number, count: number): void {
    this.#bits |= value << this.#bitCount;
    this.#bitCount += count;
    while (this.#bitCount >= 8) {
      this.#bytes[this.#length++] = this.#bits;
      this.#bits >>>= 8;
      this.#bitCount -= 8;
    }
  }

  literal(byte: number): void {
    this.bits(LITERALS[byte]!, byte < 144 ? 8 : 9);
  }

  /** Length 8 is code 262, which is 0000110; distance 8 is code 5, then the extra bit 1. */
  repeatRow(): void {
    this.bits(0b1_10100_0110000, 13);
  }

  finish(high: number, low: number): Uint8Array {
    this.bits(0, (8 - this.#bitCount) & 7);
    for (const byte of [high >> 8, high, low >> 8, low]) this.#bytes[this.#length++] = byte;
    return this.#bytes.subarray(0, this.#length);
  }
}

/** Fixed codes of literals (RFC 1951 §3.2.6), their bits turned round: codes come highest bit first. */
const LITERALS = Uint16Array.from({ length: 256 }, (_, byte) =>
  byte < 144 ? turned(0x30 + byte, 8) : turned(0x190 + byte - 144, 9),
);

function turned(code: number, count: number): number {
  let bits = 0;
  for (let bit = 0; bit < count; bit++) bits |= ((code >> bit) & 1) << (count - 1 - bit);
  return bits;
}
