/** Operations of a content stream (ISO 32000-1, 7.8.2), read by a small scanner. */

/** An operand: a number, a name with its slash, the bytes of a string, a list, or a dictionary. */
export type Operand = number | string | Buffer | readonly Operand[] | { readonly entries: string };

export interface Operation {
  readonly name: string;
  readonly operands: readonly Operand[];
}

const SPACE = new Set([0, 9, 10, 12, 13, 32]);
const DELIMITERS = new Set(Array.from('()<>[]{}/%', (sign) => sign.charCodeAt(0)));

class Scanner {
  readonly #bytes: Buffer;
  at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  get isAtEnd(): boolean {
    while (this.at < this.#bytes.length && SPACE.has(this.#bytes[this.at] ?? 0)) this.at++;
    return this.at >= this.#bytes.length;
  }

  /** The next operand, or the name of an operator with `@` before it. */
  next(): Operand {
    const sign = String.fromCharCode(this.#bytes[this.at] ?? 0);
    const two = this.#bytes.toString('latin1', this.at, this.at + 2);
    if (two === '<<') return this.#dictionary();
    if (sign === '(') return this.#literal();
    if (sign === '<') return this.#hexadecimal();
    if (sign === '[') return this.#list();
    if (sign === '/') return `/${this.#word(++this.at)}`;
    const word = this.#word(this.at);
    if (word === '') throw new Error(`a sign out of place at ${this.at}`);
    return /^[+-]?(?:\d+\.?\d*|\.\d+)$/.test(word) ? Number(word) : `@${word}`;
  }

  /** Goes behind the data of an inline image (8.9.7). */
  skipImage(): void {
    const end = /\sEI\s/.exec(this.#bytes.toString('latin1', this.at + 1));
    if (end === null) throw new Error('an endless inline image');
    this.at += 1 + end.index + 3;
  }

  #word(from: number): string {
    let end = from;
    while (end < this.#bytes.length) {
      const byte = this.#bytes[end] ?? 0;
      if (SPACE.has(byte) || DELIMITERS.has(byte)) break;
      end++;
    }
    this.at = end;
    return this.#bytes.toString('latin1', from, end);
  }

  #literal(): Buffer {
    const bytes: number[] = [];
    let depth = 1;
    for (this.at++; ; this.at++) {
      const byte = this.#bytes[this.at];
      if (byte === undefined) throw new Error('an endless string');
      if (byte === 0x5c) bytes.push(this.#escape());
      else {
        if (byte === 0x28) depth++;
        if (byte === 0x29) depth--;
        if (depth === 0) break;
        bytes.push(byte);
      }
    }
    this.at++;
    return Buffer.from(bytes);
  }

  #escape(): number {
    const sign = String.fromCharCode(this.#bytes[++this.at] ?? 0);
    const named = { n: 10, r: 13, t: 9, b: 8, f: 12 }[sign];
    return named ?? sign.charCodeAt(0);
  }

  #hexadecimal(): Buffer {
    const end = this.#bytes.indexOf(0x3e, this.at);
    const digits = this.#bytes.toString('latin1', this.at + 1, end).replaceAll(/\s/g, '');
    this.at = end + 1;
    return Buffer.from(digits.length % 2 === 1 ? `${digits}0` : digits, 'hex');
  }

  #list(): readonly Operand[] {
    const list: Operand[] = [];
    this.at++;
    while (!this.isAtEnd && this.#bytes[this.at] !== 0x5d) list.push(this.next());
    this.at++;
    return list;
  }

  /** Dictionaries are kept as text: only their MCID and language are asked for. */
  #dictionary(): { readonly entries: string } {
    const from = this.at;
    this.at += 2;
    while (!this.isAtEnd && this.#bytes.toString('latin1', this.at, this.at + 2) !== '>>')
      this.next();
    this.at += 2;
    return { entries: this.#bytes.toString('latin1', from, this.at) };
  }
}

export function* operationsOf(bytes: Buffer): Generator<Operation> {
  const scanner = new Scanner(bytes);
  let operands: Operand[] = [];
  while (!scanner.isAtEnd) {
    const value = scanner.next();
    if (typeof value === 'string' && value.startsWith('@')) {
      yield { name: value.slice(1), operands };
      operands = [];
      if (value === '@ID') scanner.skipImage();
    } else {
      operands.push(value);
    }
  }
}
