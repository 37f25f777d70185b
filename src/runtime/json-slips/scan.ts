import { match } from './slip.ts';

/** The token that is expected next. `first…`: the list or object may also end here. */
export type Expected = 'value' | 'firstValue' | 'key' | 'firstKey' | 'colon' | 'comma' | 'end';

/** Reads a text token by token, as long as it is JSON. */
export class Scan {
  readonly text: string;
  /** The current token begins here; the previous one ended at `end`. */
  at = 0;
  end = 0;
  /** The first character of the current token; '' at the end of the text. */
  sign = '';
  expected: Expected = 'value';
  /** The brackets that close all open lists and objects, the innermost last. */
  closers = '';
  commaAt = -1;
  /** Whether the previous token was a comma, or a colon. */
  isAfterComma = false;
  isAfterColon = false;
  /** Whether the previous token was a string, which began at `stringAt`. */
  isAfterString = false;
  stringAt = 0;
  /** Whether the current token has been taken. */
  isTaken = true;
  #isOver = false;

  constructor(text: string) {
    this.text = text;
  }

  /** Goes to the next token. Returns false at the end of the text. */
  next(): boolean {
    if (this.#isOver) return false;
    this.at = this.end + match(/[ \t\n\r]*/y, this.text, this.end).length;
    const code = this.text.codePointAt(this.at);
    this.sign = code === undefined ? '' : String.fromCodePoint(code);
    this.#isOver = this.sign === '';
    this.isTaken = false;
    return true;
  }

  /** Takes a token of this length. Returns null, for "no slip". */
  take(expected: Expected, length = 1): null {
    this.isAfterComma = this.sign === ',' && length === 1;
    this.isAfterColon = this.sign === ':' && length === 1;
    this.isAfterString = this.sign === '"';
    if (this.isAfterString) this.stringAt = this.at;
    this.end = this.at + length;
    this.expected = expected;
    this.isTaken = true;
    return null;
  }

  /** Takes a value of this length. */
  takeValue(length: number): null {
    return this.take(this.closers === '' ? 'end' : 'comma', length);
  }

  takeComma(): null {
    this.commaAt = this.at;
    return this.take(this.closers.endsWith('}') ? 'key' : 'value');
  }

  open(): null {
    const isObject = this.sign === '{';
    this.closers += isObject ? '}' : ']';
    return this.take(isObject ? 'firstKey' : 'firstValue');
  }

  close(): null {
    this.closers = this.closers.slice(0, -1);
    return this.takeValue(1);
  }

  /** Takes a key, which is a well-formed string. */
  takeKey(): null {
    const { length } = stringAt(this.text, this.at);
    return this.take('colon', length);
  }
}

/** The well-formed string that begins at `at`; '' if there is none. */
export function stringAt(text: string, at: number): string {
  // A single pattern with alternatives would exhaust its stack: a picture in base64 has megabytes.
  const part = /[^"\\\p{Cc}]+|[\u007F-\u009F]|\\(?:["\\/bfnrt]|u[\da-fA-F]{4})/uy;
  let end = at + 1;
  for (let next = match(part, text, end); next !== ''; next = match(part, text, end)) {
    end += next.length;
  }
  return text[end] === '"' ? text.slice(at, end + 1) : '';
}

/** Index at which the string that begins at `at` stops being well formed. */
export function stringFault(text: string, at: number): number {
  const part = /[^"\\\p{Cc}]+|[\u007F-\u009F]|\\(?:["\\/bfnrt]|u[\da-fA-F]{4})/uy;
  let end = at + 1;
  for (let next = match(part, text, end); next !== ''; next = match(part, text, end)) {
    end += next.length;
  }
  return end;
}
