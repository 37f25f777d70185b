import { Fault, shortened, type Span } from '../fault.ts';
import { parseDecimal, type Decimal } from '../values/decimal.ts';
import { readString, STRING_START } from './strings.ts';

export type Token = Span &
  (
    | { readonly kind: 'symbol'; readonly text: string }
    | { readonly kind: 'name'; readonly text: string; readonly isQuoted: boolean }
    | { readonly kind: 'number'; readonly value: Decimal }
    | { readonly kind: 'text'; readonly value: string }
    | { readonly kind: 'end' }
  );

const BLANK = /(?:[ \t\n\f\r]+|\/\/[^\n]*)+/y;
const NAME = /[A-Za-z_][A-Za-z0-9_]*/y;
const QUOTED_NAME = /`([^`\n]+)`/y;
/** A number and whatever letters are written against it, which are refused as part of it. */
const NUMBER = /(?:0[xX][0-9A-Fa-f]+|(?:\d+(?:\.\d+)?|\.\d+)(?:[eE][+-]?\d+)?)(\w*)/y;
const SYMBOL = /\|\||&&|[=!<>]=|[-+*/%!<>?:.,()[\]{}]/y;

/** The tokens of CEL's lexical grammar, of which the last has the kind `end`. */
export function tokenize(source: string): readonly Token[] {
  const tokens: Token[] = [];
  let at = 0;
  for (;;) {
    at += matchAt(BLANK, source, at)?.[0].length ?? 0;
    if (at >= source.length) break;
    const token = readToken(source, at);
    tokens.push(token);
    at = token.end;
  }
  return [...tokens, { kind: 'end', start: source.length, end: source.length }];
}

function matchAt(pattern: RegExp, source: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(source);
}

function readToken(source: string, start: number): Token {
  const string = matchAt(STRING_START, source, start);
  if (string !== null) return readString(source, start, string[0]);
  const name = matchAt(NAME, source, start) ?? matchAt(QUOTED_NAME, source, start);
  if (name !== null) {
    const text = name[1] ?? name[0];
    return { kind: 'name', text, isQuoted: name.length > 1, start, end: start + name[0].length };
  }
  const number = matchAt(NUMBER, source, start);
  if (number !== null) return readNumber(number, start);
  const symbol = matchAt(SYMBOL, source, start);
  if (symbol === null) {
    const character = String.fromCodePoint(source.codePointAt(start) ?? 0);
    const end = start + character.length;
    const hint = HINTS[character] ?? '';
    throw new Fault('syntax', `${JSON.stringify(character)} is no part of CEL${hint}.`, {
      start,
      end,
    });
  }
  return { kind: 'symbol', text: symbol[0], start, end: start + symbol[0].length };
}

const HINTS: Readonly<Record<string, string>> = {
  '=': '; equality is "=="',
  '&': '; "and" is "&&"',
  '|': '; "or" is "||"',
  '×': '; "times" is "*"',
  '÷': '; "divided by" is "/"',
  '−': '; "minus" is "-"',
  '–': '; "minus" is "-"',
  '≤': '; "at most" is "<="',
  '≥': '; "at least" is ">="',
  '≠': '; "not equal" is "!="',
  '“': "; a text stands in straight marks: 'a'",
  '”': "; a text stands in straight marks: 'a'",
  '‘': "; a text stands in straight marks: 'a'",
  '’': "; a text stands in straight marks: 'a'",
  '`': ' without a second one in its line',
};

function readNumber([text, suffix = '']: RegExpExecArray, start: number): Token {
  const span = { start, end: start + text.length };
  if (suffix === 'u' || suffix === 'U') {
    const message = 'There are no unsigned integers: leave out the "u".';
    throw new Fault('not_supported', message, span);
  }
  if (suffix !== '')
    throw new Fault('syntax', `${JSON.stringify(shortened(text))} is no number.`, span);
  const plain = /^0x/i.test(text) ? BigInt(text).toString() : text.replace(/^\./, '0.');
  const value = parseDecimal(plain);
  if (value === null) throw new Fault('out_of_range', 'This number has too many digits.', span);
  return { kind: 'number', value, ...span };
}
