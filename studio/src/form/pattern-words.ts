import type { formEn } from '../i18n/form-en.ts';

type TextKey = keyof typeof formEn;
/** Texts of forms in the reader's language. */
type Say = (key: TextKey, parameters?: Readonly<Record<string, string>>) => string;

/**
 * A regular expression in words, such as "13 digits"; '' when it says more than a row of classes
 * with counts. People are never shown the expression.
 */
export function patternWords(pattern: string, say: Say): string {
  const source = /^\^(.*)\$$/s.exec(pattern)?.[1];
  if (source === undefined) return '';
  const parts: string[] = [];
  let at = 0;
  while (at < source.length) {
    const [whole = '', set, escaped, letter, quantifier = ''] = PART.exec(source.slice(at)) ?? [];
    if (whole === '') return '';
    const what = set === undefined ? literal(say, escaped, letter) : classWords(say, set);
    const part = what === null ? null : counted(say, what, quantifier);
    if (part === null) return '';
    parts.push(part);
    at += whole.length;
  }
  const then = say('form.then');
  // Letters that stand side by side are quoted together.
  return parts.join(then).replaceAll(`”${then}“`, '');
}

/** A row of digits and their classes, each with what repeats it. */
const DIGITS = /^\^(?:(?:\\d|\[\d-\d\]|\[\\d\]|\d)(?:\{\d+(?:,\d*)?\}|[+*?])?)+\$$/;

export function takesDigitsOnly(pattern: string): boolean {
  return DIGITS.test(pattern);
}

/** A class, an escape or a plain character, each with what repeats it. */
const PART =
  /^(?:\[([^\]^\\]*(?:\\.[^\]^\\]*)*)\]|\\(.)|([^\\[\](){}|.*+?^$]))(\{\d+(?:,\d*)?\}|[+*?])?/s;

/** Classes of characters, as they are written within brackets. */
const CLASSES: readonly (readonly [source: string, words: TextKey])[] = [
  ['A-Za-z', 'form.letters'],
  ['a-zA-Z', 'form.letters'],
  ['A-Z', 'form.capitals'],
  ['a-z', 'form.small_letters'],
  ['0-9', 'form.digits'],
  ['\\d', 'form.digits'],
  ['ก-๙', 'form.thai_letters'],
  ['ก-ฮ', 'form.thai_letters'],
  [' ', 'form.blanks'],
];

/** `isMany`: the words name a class, which is counted. */
interface Named {
  readonly words: string;
  readonly isMany: boolean;
}

function literal(say: Say, escaped: string | undefined, letter = ''): Named | null {
  if (escaped === 'd') return { words: say('form.digits'), isMany: true };
  if (escaped !== undefined && /\w/.test(escaped)) return null;
  return { words: `“${escaped ?? letter}”`, isMany: false };
}

function classWords(say: Say, set: string): Named | null {
  const names: string[] = [];
  let rest = set;
  while (rest !== '') {
    const known = CLASSES.find(([source]) => rest.startsWith(source));
    const single = /^(?:\\(\W)|([^\\\w]))/u.exec(rest);
    if (known === undefined && single === null) return null;
    names.push(known === undefined ? `“${single?.[1] ?? single?.[2] ?? ''}”` : say(known[1]));
    rest = rest.slice((known?.[0] ?? single?.[0] ?? '').length);
  }
  const words = names.length < 2 ? names.join('') : listWords(say, names);
  return names.length === 0 ? null : { words, isMany: true };
}

function listWords(say: Say, names: readonly string[]): string {
  return names.slice(0, -1).join(', ') + say('form.and') + (names.at(-1) ?? '');
}

function counted(say: Say, { words, isMany }: Named, quantifier: string): string | null {
  const [, from = '', comma, to = ''] = /^\{(\d+)(,?)(\d*)\}$/.exec(quantifier) ?? [];
  if (quantifier === '') return isMany ? say('form.one_of', { what: words }) : words;
  if (quantifier === '+') return isMany ? words : null;
  if (!isMany || from === '') return null;
  if (comma === '') return say('form.counted', { count: from, what: words });
  if (to === '') return say('form.counted_least', { count: from, what: words });
  return say('form.counted_range', { from, to, what: words });
}
