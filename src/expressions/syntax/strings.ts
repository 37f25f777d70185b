import { Fault } from '../fault.ts';

/** The prefix and the opening quotes of a literal. */
export const STRING_START = /(?:[rR][bB]?|[bB][rR]?)?(?:"""|'''|"|')/y;

interface TextToken {
  readonly kind: 'text';
  readonly value: string;
  readonly start: number;
  readonly end: number;
}

const SIMPLE: Readonly<Record<string, string>> = {
  a: '\u0007',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
  '\\': '\\',
  '?': '?',
  '"': '"',
  "'": "'",
  '`': '`',
};

const ESCAPE =
  /\\(?:([abfnrtv\\?"'`])|[xX]([0-9A-Fa-f]{2})|u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8})|([0-3][0-7]{2}))/y;

/** Reads the literal that begins with `opening` at `start`. */
export function readString(source: string, start: number, opening: string): TextToken {
  const prefix = /^\w*/.exec(opening)?.[0].toLowerCase() ?? '';
  const quotes = opening.slice(prefix.length);
  if (prefix.includes('b')) {
    const span = { start, end: start + opening.length };
    throw new Fault('not_supported', 'There are no byte strings: leave out the "b".', span);
  }
  const isRaw = prefix.includes('r');
  let at = start + opening.length;
  let value = '';
  while (!source.startsWith(quotes, at)) {
    const character = source[at];
    if (character === undefined || (quotes.length === 1 && /[\n\r]/.test(character))) {
      throw new Fault('syntax', `This text does not end: ${quotes} is missing.`, {
        start,
        end: at,
      });
    }
    const piece = character === '\\' && !isRaw ? readEscape(source, at) : ([character, 1] as const);
    value += piece[0];
    at += piece[1];
  }
  return { kind: 'text', value, start, end: at + quotes.length };
}

/** What an escape stands for, and its length. */
function readEscape(source: string, at: number): readonly [string, number] {
  ESCAPE.lastIndex = at;
  const match = ESCAPE.exec(source);
  const span = { start: at, end: at + 2 };
  if (match === null) {
    const message = 'This escape does not exist; a backslash itself is written "\\\\".';
    throw new Fault('syntax', message, span);
  }
  const [all, simple, hex, short, long, octal] = match;
  if (simple !== undefined) return [SIMPLE[simple] ?? simple, all.length];
  const code = octal === undefined ? parseInt(hex ?? short ?? long ?? '', 16) : parseInt(octal, 8);
  if (code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff)) {
    throw new Fault('syntax', 'This escape is no character of Unicode.', span);
  }
  return [String.fromCodePoint(code), all.length];
}
