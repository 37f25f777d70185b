/**
 * PDF objects read from bytes (ISO 32000-1 §7.3), independently of the writer in src. It reads what
 * it finds and notes how it is written: rules of the archive standards speak of spelling, too.
 */

import { UnreadableFile } from './work.ts';

/** Arrays and dictionaries within each other. */
const NESTING_MAX = 256;

export class Name {
  readonly value: string;
  constructor(value: string) {
    this.value = value;
  }
}

export class Reference {
  readonly number: number;
  constructor(number: number) {
    this.number = number;
  }
}

/** A string; `value` has one character per byte. */
export class PdfString {
  readonly value: string;
  readonly isHex: boolean;
  constructor(value: string, isHex: boolean) {
    this.value = value;
    this.isHex = isHex;
  }

  /** The text it stands for (§7.9.2.2). */
  get text(): string {
    if (!this.value.startsWith('\u00fe\u00ff')) return this.value;
    let text = '';
    for (let at = 2; at + 1 < this.value.length; at += 2) {
      text += String.fromCharCode(this.value.charCodeAt(at) * 256 + this.value.charCodeAt(at + 1));
    }
    return text;
  }
}

/** An operator or another word that is not an object. */
export class Keyword {
  readonly word: string;
  constructor(word: string) {
    this.word = word;
  }
}

export type Dictionary = Map<string, Cos>;
export interface Stream {
  readonly dictionary: Dictionary;
  readonly raw: Uint8Array;
}
export type Cos =
  null | boolean | number | Name | Reference | PdfString | Keyword | Dictionary | Stream | Cos[];

/** How something is written, by the names of the rules' model. */
export interface Spelling {
  readonly type: 'CosInteger' | 'CosReal' | 'CosString' | 'CosName';
  readonly properties: Readonly<Record<string, unknown>>;
}

const SPACE = new Set([0, 9, 10, 12, 13, 32]);
const DELIMITERS = new Set(Buffer.from('()<>[]{}/%'));

/** Reads objects one after another. */
export class Lexer {
  readonly bytes: Uint8Array;
  at: number;
  readonly #note: (spelling: Spelling) => void;
  /** `5 0 R` is a reference; not in content streams. */
  readonly #references: boolean;
  #depth = 0;

  constructor(
    bytes: Uint8Array,
    at: number,
    references: boolean,
    note: (spelling: Spelling) => void,
  ) {
    this.bytes = bytes;
    this.at = at;
    this.#references = references;
    this.#note = note;
  }

  /** The next object or word; undefined at the end. */
  next(): Cos | undefined {
    if (this.#depth > NESTING_MAX)
      throw new UnreadableFile(`objects are nested too deeply at ${this.at}`);
    this.skipSpace();
    const byte = this.bytes[this.at];
    if (byte === undefined) return undefined;
    const character = String.fromCharCode(byte);
    if (character === '/') return this.#name();
    if (character === '(') return this.#literal();
    if (character === '[') return this.#nested(() => this.#array());
    if (character === '<') {
      const isDictionaryNext = this.bytes[this.at + 1] === 60;
      return isDictionaryNext ? this.#nested(() => this.#dictionary()) : this.#hexadecimal();
    }
    if (/[-+.\d]/.test(character)) return this.#number();
    return this.#keyword();
  }

  #nested<T>(read: () => T): T {
    this.#depth++;
    const value = read();
    this.#depth--;
    return value;
  }

  skipSpace(): void {
    for (;;) {
      const byte = this.bytes[this.at];
      if (byte === undefined) return;
      if (byte === 37) {
        while (![10, 13, undefined].includes(this.bytes[this.at])) this.at++;
      } else if (SPACE.has(byte)) this.at++;
      else return;
    }
  }

  #word(): string {
    const from = this.at;
    for (;;) {
      const byte = this.bytes[this.at];
      if (byte === undefined || SPACE.has(byte) || DELIMITERS.has(byte)) break;
      this.at++;
    }
    return latin(this.bytes.subarray(from, this.at));
  }

  #keyword(): Cos {
    const word = this.#word();
    // A misplaced delimiter is read as a word, so that reading continues.
    if (word === '') return new Keyword(String.fromCharCode(this.bytes[this.at++] ?? 0));
    if (word === 'true' || word === 'false') return word === 'true';
    return word === 'null' ? null : new Keyword(word);
  }

  #number(): Cos {
    const word = this.#word();
    const value = Number(word);
    if (/^[-+]?\d+$/.test(word)) {
      this.#note({ type: 'CosInteger', properties: { intValue: value } });
      if (this.#references && /^\d+$/.test(word)) {
        const rest = latin(this.bytes.subarray(this.at, this.at + 16));
        const tail = /^ \d+ R(?![\w.])/.exec(rest);
        if (tail !== null) {
          this.at += tail[0].length;
          return new Reference(value);
        }
      }
    } else this.#note({ type: 'CosReal', properties: { realValue: value } });
    return value;
  }

  #name(): Name {
    this.at++;
    const word = this.#word();
    this.#note({ type: 'CosName', properties: { internalRepresentation: word } });
    const value = word.replaceAll(/#([\dA-Fa-f]{2})/g, (_, hex: string) =>
      String.fromCharCode(Number.parseInt(hex, 16)),
    );
    return new Name(value);
  }

  #literal(): PdfString {
    this.at++;
    let value = '';
    let depth = 1;
    for (; this.at < this.bytes.length; this.at++) {
      let character = String.fromCharCode(this.bytes[this.at] ?? 0);
      if (character === '\\') character = this.#escape();
      else if (character === '(') depth++;
      else if (character === ')' && --depth === 0) break;
      value += character;
    }
    this.at++;
    this.#string(value, { isHex: false, hexCount: 0, containsOnlyHex: true });
    return new PdfString(value, false);
  }

  #escape(): string {
    const rest = latin(this.bytes.subarray(this.at + 1, this.at + 4));
    const octal = /^[0-7]{1,3}/.exec(rest)?.[0];
    if (octal !== undefined) {
      this.at += octal.length;
      return String.fromCharCode(Number.parseInt(octal, 8) & 0xff);
    }
    this.at++;
    const plain: Record<string, string> = { n: '\n', r: '\r', t: '\t', b: '\b', f: '\f', '\n': '' };
    return plain[rest[0] ?? ''] ?? rest[0] ?? '';
  }

  #hexadecimal(): PdfString {
    const end = this.bytes.indexOf(62, this.at);
    // Reading on at the start of the bytes would never end.
    if (end < 0) throw new Error(`the hexadecimal string at ${this.at} has no end`);
    const digits = latin(this.bytes.subarray(this.at + 1, end)).replaceAll(/\s/g, '');
    this.at = end + 1;
    const value = Buffer.from(digits.length % 2 === 0 ? digits : `${digits}0`, 'hex');
    const containsOnlyHex = /^[\dA-Fa-f]*$/.test(digits);
    this.#string(latin(value), { isHex: true, hexCount: digits.length, containsOnlyHex });
    return new PdfString(latin(value), true);
  }

  #string(value: string, how: Readonly<Record<string, unknown>>): void {
    this.#note({ type: 'CosString', properties: { value, ...how } });
  }

  #array(): Cos[] {
    this.at++;
    const items: Cos[] = [];
    for (;;) {
      const item = this.next();
      if (item === undefined || (item instanceof Keyword && item.word === ']')) return items;
      items.push(item);
    }
  }

  #dictionary(): Dictionary {
    this.at += 2;
    const entries: Dictionary = new Map();
    for (;;) {
      const key = this.next();
      if (!(key instanceof Name)) {
        // `>>` is read as two words of one character.
        if (key instanceof Keyword && key.word === '>') this.at++;
        return entries;
      }
      const value = this.next();
      if (value === undefined) return entries;
      entries.set(key.value, value);
    }
  }
}

export function latin(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
}

export function isStream(value: Cos | undefined): value is Stream {
  return typeof value === 'object' && value !== null && 'raw' in value;
}

export function isDictionary(value: Cos | undefined): value is Dictionary {
  return value instanceof Map;
}
