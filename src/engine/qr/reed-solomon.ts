/**
 * Reed-Solomon over GF(256) with x⁸+x⁴+x³+x²+1 (ISO/IEC 18004:2015 §7.5.2). The remainder is kept
 * in 32-bit words, first coefficient in the top byte, and one data byte costs one row of a table:
 *
 *     row[f] = f · (generator without its leading 1), packed 4 coefficients a word
 */

/** Largest number of error correction bytes in a block, and the words that they take. */
const DEGREE_MAX = 30;
const WORDS_MAX = 8;

/** Powers of the generating element, twice in a row, and their logarithms. */
const EXP = new Uint8Array(510);
const LOG = new Uint8Array(256);
{
  let value = 1;
  for (let i = 0; i < 255; i++) {
    EXP[i] = value;
    EXP[i + 255] = value;
    LOG[value] = i;
    value = (value << 1) ^ (value >= 128 ? 0x11d : 0);
  }
}

function multiply(a: number, b: number): number {
  return a === 0 || b === 0 ? 0 : EXP[LOG[a]! + LOG[b]!]!;
}

/** Coefficients of ∏ (x − αⁱ), i < degree, from x^(degree−1) down to x⁰; the leading 1 left out. */
function generator(degree: number): Uint8Array {
  const poly = new Uint8Array(degree);
  poly[degree - 1] = 1;
  for (let i = 0; i < degree; i++) {
    for (let j = 0; j < degree; j++) {
      poly[j] = multiply(poly[j]!, EXP[i]!) ^ (j + 1 < degree ? poly[j + 1]! : 0);
    }
  }
  return poly;
}

/** One table per degree, at most 30 × 8 KB, made when first needed. */
const tables: (Int32Array | undefined)[] = Array.from({ length: DEGREE_MAX + 1 });

/** The rows of all factors, one after the other. */
function tableFor(degree: number): Int32Array {
  const known = tables[degree];
  if (known !== undefined) return known;
  const words = (degree + 3) >> 2;
  const table = new Int32Array(256 * words);
  const poly = generator(degree);
  for (let factor = 1; factor < 256; factor++) {
    for (let j = 0; j < degree; j++) {
      table[factor * words + (j >> 2)]! |= multiply(poly[j]!, factor) << (24 - 8 * (j & 3));
    }
  }
  tables[degree] = table;
  return table;
}

const remainder = new Int32Array(WORDS_MAX + 1);
const correction = new Uint8Array(DEGREE_MAX);

/**
 * The `degree` error correction bytes of data[start, end). The array is scratch, valid until the
 * next call; bytes beyond `degree` are left over from earlier ones.
 */
export function errorCorrection(
  data: Uint8Array,
  start: number,
  end: number,
  degree: number,
): Uint8Array {
  const table = tableFor(degree);
  const words = (degree + 3) >> 2;
  for (let w = 0; w <= words; w++) remainder[w] = 0;
  for (let i = start; i < end; i++) {
    const row = ((remainder[0]! >>> 24) ^ data[i]!) * words;
    for (let w = 0; w < words; w++) {
      remainder[w] = ((remainder[w]! << 8) | (remainder[w + 1]! >>> 24)) ^ table[row + w]!;
    }
  }
  for (let j = 0; j < degree; j++) {
    correction[j] = remainder[j >> 2]! >>> (24 - 8 * (j & 3));
  }
  return correction;
}
