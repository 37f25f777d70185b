import assert from 'node:assert';

const ZERO = 48;
const MINUS = 45;
const SHORT_BYTES_MAX = 16;

/** Whole numbers below this are looked up: a division takes longer than a look-up for each digit. */
const WHOLE_COUNT = 1_000;
const WHOLES = Int32Array.from({ length: WHOLE_COUNT }, (_, whole) => packed(String(whole)));
/** Hundredths behind a whole number: 50 → `.5`. */
const FRACTIONS = Int32Array.from({ length: 100 }, (_, fraction) =>
  packed((fraction / 100).toFixed(2).replace(/^0/, '').replace(/0$/, '')),
);

/** Up to three ASCII characters, the first in the lowest byte, and their count in the highest. */
function packed(text: string): number {
  const [first = 0, second = 0, third = 0] = Buffer.from(text, 'latin1');
  return first | (second << 8) | (third << 16) | (text.length << 24);
}

/** Constant ASCII, up to sixteen bytes, as four words: `appendShort` writes it without a loop. */
export class ShortBytes {
  readonly length: number;
  readonly first: number;
  readonly second: number;
  readonly third: number;
  readonly fourth: number;

  constructor(text: string) {
    const bytes = Buffer.alloc(SHORT_BYTES_MAX);
    this.length = bytes.write(text, 'latin1');
    assert.equal(this.length, text.length, 'short bytes are few');
    this.first = bytes.readInt32LE(0);
    this.second = bytes.readInt32LE(4);
    this.third = bytes.readInt32LE(8);
    this.fourth = bytes.readInt32LE(12);
  }
}

/** Growing bytes with the few number and string forms that PDF syntax needs. Hot: no strings. */
export class ByteSink {
  bytes: Uint8Array;
  length = 0;
  #words: DataView;

  constructor(capacityBytes: number) {
    this.bytes = new Uint8Array(capacityBytes);
    this.#words = new DataView(this.bytes.buffer);
  }

  clear(): void {
    this.length = 0;
  }

  /** Makes room for `count` more bytes. Callers that write to `bytes` themselves call it first. */
  reserve(count: number): void {
    if (this.length + count <= this.bytes.length) return;
    const grown = new Uint8Array(Math.max(this.bytes.length * 2, this.length + count));
    grown.set(this.bytes.subarray(0, this.length));
    this.bytes = grown;
    this.#words = new DataView(grown.buffer);
  }

  byte(value: number): void {
    if (this.length === this.bytes.length) this.reserve(1);
    this.bytes[this.length++] = value;
  }

  /** Characters up to U+00FF, one byte each. */
  latin(text: string): void {
    this.reserve(text.length);
    const bytes = this.bytes;
    let at = this.length;
    for (let index = 0; index < text.length; index++) bytes[at++] = text.charCodeAt(index);
    this.length = at;
  }

  append(part: Uint8Array): void {
    const count = part.length;
    this.reserve(count);
    if (count > 48) {
      this.bytes.set(part, this.length);
      this.length += count;
      return;
    }
    const bytes = this.bytes;
    let at = this.length;
    for (let index = 0; index < count; index++) bytes[at++] = part[index]!;
    this.length = at;
  }

  appendShort(part: ShortBytes): void {
    this.reserve(SHORT_BYTES_MAX);
    const words = this.#words;
    const at = this.length;
    // Bytes written beyond the part's length are overwritten by the next part.
    words.setInt32(at, part.first, true);
    words.setInt32(at + 4, part.second, true);
    words.setInt32(at + 8, part.third, true);
    words.setInt32(at + 12, part.fourth, true);
    this.length = at + part.length;
  }

  /** A whole number, |value| < 2^31. */
  integer(value: number): void {
    this.reserve(12);
    const bytes = this.bytes;
    let rest = value;
    if (rest < 0) {
      bytes[this.length++] = MINUS;
      rest = -rest;
    }
    this.#digits(rest);
  }

  #digits(value: number): void {
    const bytes = this.bytes;
    let divisor = 1;
    while (divisor * 10 <= value) divisor *= 10;
    let rest = value;
    let at = this.length;
    while (divisor >= 1) {
      const digit = (rest / divisor) | 0;
      bytes[at++] = ZERO + digit;
      rest -= digit * divisor;
      divisor = (divisor / 10) | 0;
    }
    this.length = at;
  }

  /** A number of hundredths as the shortest decimal: 1250 → `12.5`. |value| < 2^31. */
  hundredths(value: number): void {
    this.reserve(14);
    const bytes = this.bytes;
    let rest = value;
    if (rest < 0) {
      bytes[this.length++] = MINUS;
      rest = -rest;
    }
    const whole = (rest / 100) | 0;
    const fraction = rest - whole * 100;
    if (whole >= WHOLE_COUNT) this.#digits(whole);
    else if (whole !== 0 || fraction === 0) this.#three(WHOLES[whole]!);
    if (fraction !== 0) this.#three(FRACTIONS[fraction]!);
  }

  /** Writes up to three characters; the caller has reserved room for four. */
  #three(three: number): void {
    // The count in the highest byte is overwritten by what follows.
    this.#words.setInt32(this.length, three, true);
    this.length += three >> 24;
  }

  /** A number rounded to 1/100. */
  number(value: number): void {
    this.hundredths(Math.round(value * 100));
  }

  /** A number rounded to 1/100,000, for matrices and small factors. */
  precise(value: number): void {
    const rounded = Math.round(value * 100_000) / 100_000;
    this.latin(Object.is(rounded, -0) ? '0' : plainDecimal(rounded));
  }

  /** A copy of what was written, in its own buffer. */
  take(): Uint8Array {
    return this.bytes.slice(0, this.length);
  }

  view(): Uint8Array {
    return this.bytes.subarray(0, this.length);
  }
}

/** PDF knows no exponents (ISO 32000-2 §7.3.3). */
function plainDecimal(value: number): string {
  const text = String(value);
  return text.includes('e') ? value.toFixed(5) : text;
}
