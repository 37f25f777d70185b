import { inflateSync } from 'node:zlib';

/**
 * A small reader of PDF syntax (ISO 32000-2 §7). It shares no code with the engine that it judges,
 * and reads only what the engine may write: no encryption, no predictors, no repair.
 */

export type PdfValue =
  number | boolean | null | Name | Text | Reference | Dictionary | readonly PdfValue[];

export class Name {
  readonly name: string;
  constructor(name: string) {
    this.name = name;
  }
}

/** The bytes of a string object, one character a byte. */
export class Text {
  readonly bytes: string;
  constructor(bytes: string) {
    this.bytes = bytes;
  }
}

export class Reference {
  readonly number: number;
  constructor(number: number) {
    this.number = number;
  }
}

export type Dictionary = Map<string, PdfValue>;

/** An operator of a content stream, or a keyword of the file. */
export class Word {
  readonly word: string;
  constructor(word: string) {
    this.word = word;
  }
}

const SPACE = new Set(['\0', '\t', '\n', '\f', '\r', ' ']);
const DELIMITER = new Set(['(', ')', '<', '>', '[', ']', '{', '}', '/', '%']);
const ESCAPES: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', b: '\b', f: '\f' };

/** Reads values one after another from bytes that are kept as one character a byte. */
export class Scanner {
  readonly source: string;
  at: number;

  constructor(source: string, at = 0) {
    this.source = source;
    this.at = at;
  }

  /** The next value or operator; undefined at the end. */
  next(): PdfValue | Word | undefined {
    this.#skipSpace();
    const sign = this.source[this.at];
    if (sign === undefined) return undefined;
    if (sign === '(') return this.#literal();
    if (sign === '/') return this.#name();
    if (sign === '[') return this.#array();
    if (sign === '<') return this.source[this.at + 1] === '<' ? this.#dictionary() : this.#hex();
    const word = this.#regular();
    if (/^[+-]?(?:\d+\.?\d*|\.\d+)$/.test(word)) return Number(word);
    if (word === 'true' || word === 'false') return word === 'true';
    return word === 'null' ? null : new Word(word);
  }

  /** Skips an inline image after BI (§8.9.7). */
  skipImage(): void {
    const keys = new Map<string, PdfValue | Word>();
    for (let key = this.next(); key instanceof Name; key = this.next()) {
      keys.set(key.name, this.next() ?? null);
    }
    this.at++;
    const [width, height, bits] = ['W', 'H', 'BPC'].map((key) => Number(keys.get(key)));
    if (keys.has('F')) this.at = this.source.indexOf('\nEI', this.at);
    else this.at += Math.ceil(((width ?? 0) * (bits ?? 1)) / 8) * (height ?? 0);
    const end = this.next();
    if (!(end instanceof Word) || end.word !== 'EI') throw new Error('an inline image has no EI');
  }

  #skipSpace(): void {
    for (;;) {
      const sign = this.source[this.at];
      if (sign === '%') {
        while (this.at < this.source.length && !/[\r\n]/.test(this.source[this.at] ?? '\n')) {
          this.at++;
        }
      } else if (sign !== undefined && SPACE.has(sign)) this.at++;
      else return;
    }
  }

  #regular(): string {
    const start = this.at;
    for (;;) {
      const sign = this.source[this.at];
      if (sign === undefined || SPACE.has(sign) || DELIMITER.has(sign)) break;
      this.at++;
    }
    if (this.at === start) throw new Error(`unexpected ${this.source[start]} at ${start}`);
    return this.source.slice(start, this.at);
  }

  #name(): Name {
    this.at++;
    const next = this.source[this.at];
    if (next === undefined || SPACE.has(next) || DELIMITER.has(next)) return new Name('');
    const name = this.#regular();
    return new Name(
      name.replaceAll(/#([0-9a-fA-F]{2})/g, (_, hex) => String.fromCharCode(Number(`0x${hex}`))),
    );
  }

  #literal(): Text {
    let bytes = '';
    let depth = 1;
    this.at++;
    for (;;) {
      const sign = this.source[this.at++];
      if (sign === undefined) throw new Error('a string has no end');
      if (sign === '\\') bytes += this.#escape();
      else {
        if (sign === '(') depth++;
        if (sign === ')' && --depth === 0) return new Text(bytes);
        bytes += sign;
      }
    }
  }

  #escape(): string {
    const octal = /^[0-7]{1,3}/.exec(this.source.slice(this.at, this.at + 3))?.[0];
    if (octal !== undefined) {
      this.at += octal.length;
      return String.fromCharCode(Number.parseInt(octal, 8) & 0xff);
    }
    const sign = this.source[this.at++] ?? '';
    if (sign === '\r' && this.source[this.at] === '\n') this.at++;
    if (sign === '\r' || sign === '\n') return '';
    return ESCAPES[sign] ?? sign;
  }

  #hex(): Text {
    const end = this.source.indexOf('>', this.at);
    const digits = this.source.slice(this.at + 1, end).replaceAll(/\s/g, '');
    this.at = end + 1;
    return new Text(
      Buffer.from(digits.length % 2 === 0 ? digits : `${digits}0`, 'hex').toString('latin1'),
    );
  }

  #array(): PdfValue[] {
    this.at++;
    return this.#valuesUntil(']');
  }

  #dictionary(): Dictionary {
    this.at += 2;
    const values = this.#valuesUntil('>>');
    const dictionary: Dictionary = new Map();
    for (let index = 0; index < values.length; index += 2) {
      const key = values[index];
      if (!(key instanceof Name)) throw new Error('a key of a dictionary is no name');
      dictionary.set(key.name, values[index + 1] ?? null);
    }
    return dictionary;
  }

  #valuesUntil(end: string): PdfValue[] {
    const values: PdfValue[] = [];
    for (;;) {
      this.#skipSpace();
      if (this.source.startsWith(end, this.at)) {
        this.at += end.length;
        return values;
      }
      const value = this.next();
      if (value === undefined) throw new Error(`${end} is missing`);
      if (!(value instanceof Word)) values.push(value);
      else if (value.word === 'R') values.push(referenceFrom(values));
      else throw new Error(`unexpected ${value.word}`);
    }
  }
}

/** Takes object and generation number from the end of a list. */
function referenceFrom(values: PdfValue[]): Reference {
  values.pop();
  const number = values.pop();
  if (typeof number !== 'number') throw new Error('a reference has no number');
  return new Reference(number);
}

interface Stored {
  readonly value: PdfValue;
  /** Where the bytes of a stream begin; -1 for other objects. */
  readonly streamAt: number;
}

/** The objects of one file, found by its cross-reference table or stream. */
export class PdfFile {
  readonly #source: string;
  readonly #offsets = new Map<number, number>();
  readonly #packed = new Map<number, readonly [holder: number, index: number]>();
  readonly #known = new Map<number, Stored>();
  readonly trailer: Dictionary;

  constructor(bytes: Uint8Array) {
    this.#source = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1');
    const start = /startxref\s+(\d+)\s+%%EOF\s*$/.exec(this.#source)?.[1];
    if (start === undefined) throw new Error('the file has no startxref at its end');
    this.trailer = this.#readTable(Number(start));
  }

  get(value: PdfValue | undefined): PdfValue {
    if (value === undefined) return null;
    return value instanceof Reference ? this.#stored(value.number).value : value;
  }

  dictionary(value: PdfValue | undefined): Dictionary {
    const found = this.get(value);
    if (!(found instanceof Map)) throw new Error('a dictionary is expected');
    return found;
  }

  array(value: PdfValue | undefined): readonly PdfValue[] {
    const found = this.get(value);
    if (!Array.isArray(found)) throw new Error('an array is expected');
    return found as readonly PdfValue[];
  }

  number(value: PdfValue | undefined): number {
    const found = this.get(value);
    if (typeof found !== 'number') throw new Error('a number is expected');
    return found;
  }

  /** The bytes of a stream, unpacked, one character a byte. */
  stream(value: PdfValue | undefined): string {
    if (!(value instanceof Reference)) throw new Error('a stream is expected');
    const { value: dictionary, streamAt } = this.#stored(value.number);
    return this.#unpack(this.dictionary(dictionary), streamAt);
  }

  #unpack(dictionary: Dictionary, streamAt: number): string {
    const raw = this.#source.slice(streamAt, streamAt + this.number(dictionary.get('Length')));
    const filter = this.get(dictionary.get('Filter'));
    if (filter === null) return raw;
    if (!(filter instanceof Name) || filter.name !== 'FlateDecode')
      throw new Error('unknown filter');
    return inflateSync(Buffer.from(raw, 'latin1')).toString('latin1');
  }

  #stored(number: number): Stored {
    const known = this.#known.get(number);
    if (known !== undefined) return known;
    const at = this.#offsets.get(number);
    const stored = at === undefined ? this.#readPacked(number) : this.#readAt(at);
    this.#known.set(number, stored);
    return stored;
  }

  #readAt(at: number): Stored {
    const scanner = new Scanner(this.#source, at);
    scanner.next();
    scanner.next();
    const keyword = scanner.next();
    if (!(keyword instanceof Word) || keyword.word !== 'obj') throw new Error(`no object at ${at}`);
    const value = readValue(scanner);
    const match = /^\s*stream(?:\r\n|\n)/.exec(this.#source.slice(scanner.at, scanner.at + 20));
    return { value, streamAt: match === null ? -1 : scanner.at + match[0].length };
  }

  #readPacked(number: number): Stored {
    const place = this.#packed.get(number);
    if (place === undefined) return { value: null, streamAt: -1 };
    const holder = new Reference(place[0]);
    const content = this.stream(holder);
    const first = this.number(this.dictionary(holder).get('First'));
    const head = content.slice(0, first).trim().split(/\s+/).map(Number);
    const scanner = new Scanner(content, first + (head[place[1] * 2 + 1] ?? 0));
    return { value: readValue(scanner), streamAt: -1 };
  }

  #readTable(at: number): Dictionary {
    if (!this.#source.startsWith('xref', at)) return this.#readTableStream(at);
    const end = this.#source.indexOf('trailer', at);
    let next = 0;
    for (const line of this.#source
      .slice(at + 4, end)
      .trim()
      .split(/\s*\n/)) {
      const [first = '', second = '', kind] = line.trim().split(/\s+/);
      if (kind === undefined) next = Number(first);
      else if (kind === 'n') this.#offsets.set(next++, Number(first));
      else next++;
      if (second === '') throw new Error('a line of the cross-reference table is short');
    }
    return this.dictionary(readValue(new Scanner(this.#source, end + 7)));
  }

  #readTableStream(at: number): Dictionary {
    const { value, streamAt } = this.#readAt(at);
    const dictionary = this.dictionary(value);
    const rows = this.#unpack(dictionary, streamAt);
    const widths = this.array(dictionary.get('W')).map((width) => this.number(width));
    const rowLength = widths.reduce((sum, width) => sum + width, 0);
    for (let number = 0; number * rowLength < rows.length; number++) {
      let from = number * rowLength;
      const [kind, second, third] = widths.map((width) => {
        let field = 0;
        for (const to = from + width; from < to; from++)
          field = field * 256 + rows.charCodeAt(from);
        return field;
      });
      if (kind === 1) this.#offsets.set(number, second ?? 0);
      if (kind === 2) this.#packed.set(number, [second ?? 0, third ?? 0]);
    }
    return dictionary;
  }
}

function readValue(scanner: Scanner): PdfValue {
  const value = scanner.next();
  if (value instanceof Word || value === undefined) throw new Error('a value is expected');
  if (typeof value !== 'number') return value;
  // An object may be a reference itself.
  const rest = /^\s+\d+\s+R\b/.exec(scanner.source.slice(scanner.at, scanner.at + 20));
  return rest === null ? value : new Reference(value);
}
