import { thaiToUtf8, ThaiSpelling } from './thai.ts';
import { UnmarkedUtf16, Utf16 } from './utf16.ts';
import { Lines, type Place, Utf8Check } from './utf8.ts';

/** Encodings that a caller may name. */
export const NAMED_ENCODINGS = ['utf-8', 'windows-874'] as const;
export type NamedEncoding = (typeof NAMED_ENCODINGS)[number];
/** Encodings in which a text is read; UTF-16 only with its byte order mark. */
export const TEXT_ENCODINGS = [...NAMED_ENCODINGS, 'utf-16le', 'utf-16be'] as const;
export type TextEncoding = (typeof TEXT_ENCODINGS)[number];

/**
 * Bytes after the first one above 0x7F that are looked at before the encoding is decided: a short
 * piece of Thai in windows-874 may be valid UTF-8 by chance. What is decided depends on the bytes
 * alone, never on the pieces in which they come.
 */
const DECIDING_BYTES = 65_536;
const MARK_BYTES = 3;
const NO_BYTES: Uint8Array = new Uint8Array(0);

/** Thrown for text that is not in its encoding; the message has the place and none of the text. */
export class EncodingFault extends Error {
  override readonly name = 'EncodingFault';
  readonly place: Place;

  constructor(encoding: string, place: Place) {
    super(`line ${place.line}, byte ${place.byte} is not ${encoding}`);
    this.place = place;
  }
}

/** Thrown for UTF-16 without its byte order mark. */
class UnmarkedFault extends EncodingFault {
  constructor(place: Place) {
    super('UTF-8', place);
    this.message += ', but seems to be UTF-16 without a byte order mark';
  }
}

/** Reads text of one encoding, piece by piece. */
interface Reader {
  readonly encoding: TextEncoding;
  add(bytes: Uint8Array): Uint8Array;
  end(): void;
}

/**
 * Turns a text that comes in pieces into UTF-8. Without a named encoding it recognises UTF-16 by its
 * byte order mark, and windows-874 where the text is not UTF-8 and is spelled as Thai is. A byte
 * order mark of UTF-8 stays; that of UTF-16 goes.
 */
export class TextToUtf8 {
  readonly #named: NamedEncoding | null;
  readonly #lines = new Lines();
  /** null: all bytes so far are ASCII, and those that follow are held until this is decided. */
  #reader: Reader | null = null;
  #held: Uint8Array = NO_BYTES;
  #isBegun = false;
  readonly #unmarked = new UnmarkedUtf16();

  constructor(named: NamedEncoding | null) {
    this.#named = named;
  }

  /** How the text is read. Before its end, UTF-8 also stands for a text that is not decided yet. */
  get encoding(): TextEncoding {
    return this.#reader?.encoding ?? 'utf-8';
  }

  /** Takes a piece; throws `EncodingFault`. The result may share the memory of the piece. */
  add(piece: Uint8Array): Uint8Array {
    return this.#take(piece, false);
  }

  /** Gives the rest; throws `EncodingFault`. */
  end(): Uint8Array {
    const rest = this.#take(NO_BYTES, true);
    this.#reader?.end();
    return rest;
  }

  #take(piece: Uint8Array, isEnd: boolean): Uint8Array {
    const isBegun = this.#isBegun;
    const bytes = this.#reader === null ? join(this.#held, piece) : piece;
    if (!isBegun && bytes.length < MARK_BYTES && !isEnd) {
      this.#held = new Uint8Array(bytes);
      return NO_BYTES;
    }
    this.#isBegun = true;
    if (!isBegun && this.#named === null && isUtf16Marked(bytes)) this.#unmarked.stop();
    // Bytes that are held were searched when they came.
    const nul = this.#unmarked.find(bytes, isBegun ? bytes.length - piece.length : 0);
    if (nul !== null) {
      const before = bytes.subarray(0, nul);
      // A fault before it comes first.
      if (isBegun) this.#reader?.add(before);
      else this.#begin(before);
      throw new UnmarkedFault(this.#lines.placeIn(before, this.#reader === null ? nul : 0));
    }
    if (this.#reader !== null) return this.#reader.add(bytes);
    const begun = isBegun ? null : this.#begin(bytes);
    if (begun !== null) return begun;
    const ascii = bytes.subarray(0, lengthOfAscii(bytes));
    const rest = bytes.subarray(ascii.length);
    this.#held = NO_BYTES;
    this.#lines.add(ascii);
    if (rest.length === 0) return ascii;
    if (rest.length < DECIDING_BYTES && !isEnd) {
      this.#held = new Uint8Array(rest);
      return ascii;
    }
    this.#reader = this.#decide(rest);
    return join(ascii, this.#reader.add(rest));
  }

  /** Reads the start of a text whose encoding is named or marked; null: neither. */
  #begin(bytes: Uint8Array): Uint8Array | null {
    const [first = 0, second = 0, third = 0] = bytes;
    const isMarked = first === 0xef && second === 0xbb && third === 0xbf;
    if (this.#named === 'windows-874') {
      if (isMarked) throw new EncodingFault('windows-874', { line: 1, byte: 1 });
      this.#reader = readThai(this.#lines, null);
    } else if (this.#named === 'utf-8' || isMarked) {
      this.#reader = readUtf8(this.#lines);
    } else if (isUtf16Marked(bytes)) {
      this.#reader = readUtf16(first === 0xfe);
      return this.#reader.add(bytes.subarray(2));
    }
    return this.#reader?.add(bytes) ?? null;
  }

  /** Decides by the first bytes above ASCII; a character that is cut at the end counts as whole. */
  #decide(rest: Uint8Array): Reader {
    const deciding = rest.subarray(0, DECIDING_BYTES);
    const check = new Utf8Check();
    const fault = check.add(deciding);
    if (fault === null && !(check.isCut && rest.length < DECIDING_BYTES)) {
      return readUtf8(this.#lines);
    }
    const place = this.#lines.placeIn(deciding, fault ?? deciding.length + check.cutAt);
    return readThai(this.#lines, new EncodingFault('UTF-8', place));
  }
}

/** Turns a whole text into UTF-8; throws `EncodingFault`. */
export function textToUtf8(
  bytes: Uint8Array,
  named: NamedEncoding | null,
): { readonly bytes: Uint8Array; readonly encoding: TextEncoding } {
  const text = new TextToUtf8(named);
  return { bytes: join(text.add(bytes), text.end()), encoding: text.encoding };
}

function isUtf16Marked([first, second]: Uint8Array): boolean {
  return (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff);
}

function readUtf8(lines: Lines): Reader {
  const check = new Utf8Check();
  const faultAt = (bytes: Uint8Array, at: number): EncodingFault =>
    new EncodingFault('UTF-8', lines.placeIn(bytes, at));
  return {
    encoding: 'utf-8',
    add(bytes) {
      const at = check.add(bytes);
      if (at !== null) throw faultAt(bytes, at);
      lines.add(bytes);
      return bytes;
    },
    end() {
      if (check.isCut) throw faultAt(NO_BYTES, check.cutAt);
    },
  };
}

/** `fault`: what is thrown if the text is not spelled as Thai is; null: the encoding is named. */
function readThai(lines: Lines, fault: EncodingFault | null): Reader {
  const spelling = new ThaiSpelling();
  return {
    encoding: 'windows-874',
    add(bytes) {
      if (fault !== null && !spelling.add(bytes)) throw fault;
      const utf8 = thaiToUtf8(bytes);
      if (typeof utf8 === 'number') {
        throw fault ?? new EncodingFault('windows-874', lines.placeIn(bytes, utf8));
      }
      lines.add(bytes);
      return utf8;
    },
    end() {
      if (fault !== null && !spelling.end()) throw fault;
    },
  };
}

function readUtf16(isBigEndian: boolean): Reader {
  const units = new Utf16(isBigEndian);
  const fault = (): EncodingFault => new EncodingFault('UTF-16', units.place);
  return {
    encoding: isBigEndian ? 'utf-16be' : 'utf-16le',
    add(bytes) {
      const utf8 = units.add(bytes);
      if (utf8 === null) throw fault();
      return utf8;
    },
    end() {
      if (units.isCut) throw fault();
    },
  };
}

function lengthOfAscii(bytes: Uint8Array): number {
  let length = 0;
  while (length < bytes.length && (bytes[length] ?? 0) < 0x80) length += 1;
  return length;
}

function join(first: Uint8Array, second: Uint8Array): Uint8Array {
  if (first.length === 0) return second;
  if (second.length === 0) return first;
  const whole = new Uint8Array(first.length + second.length);
  whole.set(first);
  whole.set(second, first.length);
  return whole;
}
