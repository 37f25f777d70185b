import type { FieldFormat } from '../types.ts';
import { usualFigures, type UsualFigures } from './formats.ts';

/**
 * Formats numbers without intermediate strings: it reads the character codes of the digits in the
 * body, writes the codes of the printed number into an array, and makes one string of them.
 *
 *   1234567.5  →  1,234,567.50
 *
 * Joining strings (digits, groups of digits, separators) takes twice as long.
 */
export class FigureReader {
  /** The result of `read`: the number in its format, and as it was sent. */
  printed = '';
  sent = '';
  /** Number of printed decimals; null: as many as were sent. */
  readonly #places: number | null;
  /** Code of the thousands separator; 0: there is none. */
  readonly #group: number;
  readonly #point: number;
  readonly #sentCodes = new Uint16Array(TEXT_MAX);
  readonly #printedCodes = new Uint16Array(TEXT_MAX);

  private constructor({ decimals, group, point }: UsualFigures) {
    this.#places = decimals;
    this.#group = group === '' ? 0 : group.charCodeAt(0);
    this.#point = point.charCodeAt(0);
  }

  /**
   * Returns null for a format with words, Thai digits, a prefix or suffix, or groups other than of
   * three digits.
   */
  static of(format: FieldFormat | undefined, language: string): FigureReader | null {
    const usual = usualFigures(format, language);
    if (usual === null || (usual.decimals ?? 0) > PLACES_MAX) return null;
    const isSimple = usual.group.length <= 1 && usual.point.length === 1;
    return isSimple ? new FigureReader(usual) : null;
  }

  /**
   * Reads the number at an index and returns the index after it. Returns -1 if there is no number,
   * or one that this class does not format: too long, to be rounded, with an exponent, or with
   * leading zeros. `keepsSent`: whether the caller needs `sent`.
   */
  read(codes: Uint8Array | Uint16Array, start: number, keepsSent = true): number {
    const sent = this.#sentCodes;
    let at = start;
    let code = codes[at] ?? 0;
    let length = 0;
    if (code === MINUS) {
      sent[length++] = code;
      code = codes[++at] ?? 0;
    }
    const first = length;
    const wholeMax = first + WHOLE_MAX;
    while (code >= ZERO && code <= NINE && length < wholeMax) {
      sent[length++] = code;
      code = codes[++at] ?? 0;
    }
    const point = length;
    if (point === first || (point > first + 1 && sent[first] === ZERO)) return -1;
    if (code === POINT) {
      sent[length++] = code;
      code = codes[++at] ?? 0;
      const placesMax = length + PLACES_MAX;
      while (code >= ZERO && code <= NINE && length < placesMax) {
        sent[length++] = code;
        code = codes[++at] ?? 0;
      }
      if (length === point + 1) return -1;
    }
    if ((code >= ZERO && code <= NINE) || code === POINT || (code | TO_LOWER) === LOWER_E)
      return -1;
    const places = Math.max(0, length - point - 1);
    const printedPlaces = this.#places ?? places;
    if (places > printedPlaces) return -1;
    const isSame = first === 0 && point <= 3 && places === printedPlaces && this.#point === POINT;
    if (keepsSent || isSame) this.sent = textOf(sent, length);
    this.printed = isSame ? this.sent : this.#print(first, point, length, printedPlaces);
    return at;
  }

  /** `first` to `point` is the range of the integer digits in the codes that were sent. */
  #print(first: number, point: number, end: number, places: number): string {
    const sent = this.#sentCodes;
    const printed = this.#printedCodes;
    const group = this.#group;
    let length = 0;
    // Zero is printed without a sign.
    if (first > 0 && hasNonZero(sent, first, end)) printed[length++] = MINUS;
    let untilGroup = group === 0 ? TEXT_MAX : ((point - first - 1) % 3) + 1;
    for (let at = first; at < point; at++) {
      if (untilGroup === 0) {
        printed[length++] = group;
        untilGroup = 3;
      }
      printed[length++] = sent[at] ?? 0;
      untilGroup--;
    }
    if (places > 0) printed[length++] = this.#point;
    for (let at = point + 1; at <= point + places; at++) {
      printed[length++] = at < end ? (sent[at] ?? 0) : ZERO;
    }
    return textOf(printed, length);
  }
}

function hasNonZero(codes: Uint16Array, start: number, end: number): boolean {
  for (let at = start; at < end; at++) if ((codes[at] ?? 0) > ZERO) return true;
  return false;
}

const MINUS = 0x2d;
const POINT = 0x2e;
const ZERO = 0x30;
const NINE = 0x39;
const LOWER_E = 0x65;
/** Sets the bit that makes an ASCII letter lower case. */
const TO_LOWER = 0x20;
/** Limits of digits before and after the decimal point. */
const WHOLE_MAX = 9;
const PLACES_MAX = 3;
/** Length of -999,999,999.999. */
const TEXT_MAX = 16;

/**
 * Makes a string of the first `length` codes. V8 is fastest when each code is an argument of its
 * own: spreading the array, or appending characters one by one, takes several times as long.
 */
function textOf(c: Uint16Array, length: number): string {
  const of = String.fromCharCode;
  switch (length) {
    case 1:
      return of(unit(c, 0));
    case 2:
      return of(unit(c, 0), unit(c, 1));
    case 3:
      return of(unit(c, 0), unit(c, 1), unit(c, 2));
    case 4:
      return of(unit(c, 0), unit(c, 1), unit(c, 2), unit(c, 3));
    case 5:
      return of(unit(c, 0), unit(c, 1), unit(c, 2), unit(c, 3), unit(c, 4));
    case 6:
      return of(unit(c, 0), unit(c, 1), unit(c, 2), unit(c, 3), unit(c, 4), unit(c, 5));
    case 7:
      return of(unit(c, 0), unit(c, 1), unit(c, 2), unit(c, 3), unit(c, 4), unit(c, 5), unit(c, 6));
    case 8:
      return of(
        unit(c, 0),
        unit(c, 1),
        unit(c, 2),
        unit(c, 3),
        unit(c, 4),
        unit(c, 5),
        unit(c, 6),
        unit(c, 7),
      );
    case 9:
      return of(
        unit(c, 0),
        unit(c, 1),
        unit(c, 2),
        unit(c, 3),
        unit(c, 4),
        unit(c, 5),
        unit(c, 6),
        unit(c, 7),
        unit(c, 8),
      );
    default:
      return longTextOf(c, length);
  }
}

function longTextOf(c: Uint16Array, length: number): string {
  const of = String.fromCharCode;
  switch (length) {
    case 10:
      return of(
        unit(c, 0),
        unit(c, 1),
        unit(c, 2),
        unit(c, 3),
        unit(c, 4),
        unit(c, 5),
        unit(c, 6),
        unit(c, 7),
        unit(c, 8),
        unit(c, 9),
      );
    case 11:
      return of(
        unit(c, 0),
        unit(c, 1),
        unit(c, 2),
        unit(c, 3),
        unit(c, 4),
        unit(c, 5),
        unit(c, 6),
        unit(c, 7),
        unit(c, 8),
        unit(c, 9),
        unit(c, 10),
      );
    case 12:
      return of(
        unit(c, 0),
        unit(c, 1),
        unit(c, 2),
        unit(c, 3),
        unit(c, 4),
        unit(c, 5),
        unit(c, 6),
        unit(c, 7),
        unit(c, 8),
        unit(c, 9),
        unit(c, 10),
        unit(c, 11),
      );
    default:
      return of(...c.subarray(0, length));
  }
}

function unit(codes: Uint16Array, index: number): number {
  return codes[index] ?? 0;
}
