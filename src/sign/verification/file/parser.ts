import { type PdfDictionary, type PdfStream, type PdfValue, UnreadableFile } from './values.ts';

/** Nesting of arrays and dictionaries; a deeper file is not read. */
const DEPTH_MAX = 100;

const LATIN = 'latin1';
const isSpace = (byte: number | undefined): boolean =>
  byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09 || byte === 0x0c || byte === 0;
const DELIMITERS = new Set(Buffer.from('()<>[]{}/%'));

/** Reads the objects of a file one after another, strictly: what is wrong throws `UnreadableFile`. */
export class Parser {
  at: number;
  readonly #bytes: Buffer;
  readonly #isPlain: boolean;

  /**
   * `isPlain`: numbers must be integers without a plus or leading zeros; comments and escapes in names
   * are faults.
   */
  constructor(bytes: Buffer, at: number, isPlain = false) {
    this.#bytes = bytes;
    this.at = at;
    this.#isPlain = isPlain;
  }

  /** Takes the next token if it is this keyword. */
  takes(keyword: string): boolean {
    this.skipSpace();
    const end = this.at + keyword.length;
    if (this.#bytes.toString(LATIN, this.at, end) !== keyword) return false;
    const next = this.#bytes[end];
    if (next !== undefined && !isSpace(next) && !DELIMITERS.has(next)) return false;
    this.at = end;
    return true;
  }

  demand(keyword: string): void {
    if (!this.takes(keyword)) throw this.#fault(`${keyword} is missing`);
  }

  /** A number that is no reference, without sign or leading zeros. */
  integer(): number {
    this.skipSpace();
    const word = this.#regular();
    if (/^(0|[1-9]\d{0,14})$/.test(word)) return Number(word);
    throw this.#fault('a number is missing');
  }

  skipSpace(): void {
    for (;;) {
      while (isSpace(this.#bytes[this.at])) this.at++;
      if (this.#bytes[this.at] !== 0x25) return;
      if (this.#isPlain) throw this.#fault('a comment stands in the cross-references');
      while (this.at < this.#bytes.length && !this.#isLineEnd(this.at)) this.at++;
    }
  }

  value(depth = 0): PdfValue {
    if (depth > DEPTH_MAX) throw this.#fault('objects are nested too deeply');
    this.skipSpace();
    const from = this.at;
    switch (String.fromCharCode(this.#bytes[from] ?? 0)) {
      case '/':
        return { kind: 'name', name: this.#name() };
      case '(':
        return { kind: 'string', bytes: this.#literal(), from };
      case '<':
        if (this.#bytes[from + 1] === 0x3c) return this.#dictionary(depth);
        return { kind: 'string', bytes: this.#hexadecimal(), from };
      case '[':
        return this.#list(depth);
      default:
        return this.#word();
    }
  }

  /** The value of an object, which may be a stream; `lengthOf` resolves an indirect length. */
  object(lengthOf: (number: number) => number): PdfValue {
    const value = this.value();
    if (!(value instanceof Map) || !this.takes('stream')) {
      this.demand('endobj');
      return value;
    }
    // CR LF or LF alone follows the keyword (§7.3.8.1).
    if (this.#bytes[this.at] === 0x0d) this.at++;
    if (this.#bytes[this.at] !== 0x0a) throw this.#fault('a stream does not begin');
    const stream = this.#stream(value, this.at + 1, lengthOf);
    this.demand('endstream');
    this.demand('endobj');
    return stream;
  }

  #stream(dictionary: PdfDictionary, from: number, lengthOf: (to: number) => number): PdfStream {
    const stated = dictionary.get('Length') ?? null;
    const isReference = stated !== null && typeof stated === 'object' && 'kind' in stated;
    const length =
      isReference && stated.kind === 'reference' ? lengthOf(stated.number) : Number(stated);
    if (!Number.isSafeInteger(length) || length < 0 || from + length > this.#bytes.length) {
      throw this.#fault('a stream has no length');
    }
    this.at = from + length;
    return { kind: 'stream', dictionary, data: this.#bytes.subarray(from, this.at) };
  }

  #isLineEnd(at: number): boolean {
    return this.#bytes[at] === 0x0a || this.#bytes[at] === 0x0d;
  }

  /** The characters up to a delimiter. */
  #regular(): string {
    const from = this.at;
    while (this.at < this.#bytes.length) {
      const byte = this.#bytes[this.at] ?? 0;
      if (isSpace(byte) || DELIMITERS.has(byte)) break;
      this.at++;
    }
    return this.#bytes.toString(LATIN, from, this.at);
  }

  #name(): string {
    this.at++;
    const text = this.#regular();
    if (this.#isPlain && text.includes('#')) throw this.#fault('a name is escaped');
    return text.replaceAll(/#([0-9A-Fa-f]{2})/g, (_, code: string) =>
      String.fromCharCode(Number.parseInt(code, 16)),
    );
  }

  #word(): PdfValue {
    const from = this.at;
    const word = this.#regular();
    if (word === 'true' || word === 'false') return word === 'true';
    if (word === 'null') return null;
    if (!/^[+-]?(\d+\.?\d*|\.\d+)$/.test(word)) {
      this.at = from;
      throw this.#fault('there is no object');
    }
    if (this.#isPlain && !/^(0|-?[1-9]\d*)$/.test(word)) throw this.#fault('a number is odd');
    if (!/^\d+$/.test(word)) return Number(word);
    // A reference is two numbers and R.
    const rest = this.#bytes.toString(LATIN, this.at, this.at + 24);
    const reference = /^[\0\t\n\f\r ]+(\d{1,5})[\0\t\n\f\r ]+R(?![^\0\t\n\f\r ()<>[\]{}/%])/.exec(
      rest,
    );
    if (reference === null) return Number(word);
    this.at += reference[0].length;
    return { kind: 'reference', number: Number(word), generation: Number(reference[1]) };
  }

  #list(depth: number): readonly PdfValue[] {
    this.at++;
    const items: PdfValue[] = [];
    for (;;) {
      this.skipSpace();
      if (this.#bytes[this.at] === 0x5d) break;
      items.push(this.value(depth + 1));
    }
    this.at++;
    return items;
  }

  #dictionary(depth: number): PdfDictionary {
    this.at += 2;
    const entries = new Map<string, PdfValue>();
    for (;;) {
      this.skipSpace();
      if (this.#bytes[this.at] === 0x3e && this.#bytes[this.at + 1] === 0x3e) break;
      if (this.#bytes[this.at] !== 0x2f) throw this.#fault('a key is missing');
      const key = this.#name();
      // Readers disagree on which of two equal keys counts, so a signature cannot cover the meaning.
      if (entries.has(key)) throw this.#fault('a key is there twice');
      entries.set(key, this.value(depth + 1));
    }
    this.at += 2;
    return entries;
  }

  #hexadecimal(): Buffer {
    const end = this.#bytes.indexOf(0x3e, this.at);
    if (end < 0) throw this.#fault('a string does not end');
    const digits = this.#bytes.toString(LATIN, this.at + 1, end).replaceAll(/[\0\s]/g, '');
    if (/[^0-9A-Fa-f]/.test(digits)) throw this.#fault('a string has other characters than digits');
    this.at = end + 1;
    return Buffer.from(digits.length % 2 === 0 ? digits : `${digits}0`, 'hex');
  }

  #literal(): Buffer {
    const from = this.at + 1;
    let depth = 1;
    for (let at = from; at < this.#bytes.length; at++) {
      const byte = this.#bytes[at];
      if (byte === 0x5c) at++;
      else if (byte === 0x28) depth++;
      else if (byte === 0x29 && --depth === 0) {
        this.at = at + 1;
        return unescaped(this.#bytes.toString(LATIN, from, at));
      }
    }
    throw this.#fault('a string does not end');
  }

  #fault(what: string): UnreadableFile {
    return new UnreadableFile(`offset ${this.at}: ${what}`);
  }
}

const ESCAPES: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', b: '\b', f: '\f' };

/** The characters of a literal string (§7.3.4.2). */
function unescaped(text: string): Buffer {
  const plain = text.replaceAll(/\\([0-7]{1,3}|\r\n|[^])|\r\n?/g, (_, code: string | undefined) => {
    if (code === undefined) return '\n';
    if (/^[0-7]/.test(code)) return String.fromCharCode(Number.parseInt(code, 8) & 0xff);
    if (/^[\r\n]/.test(code)) return '';
    return ESCAPES[code] ?? code;
  });
  return Buffer.from(plain, LATIN);
}
