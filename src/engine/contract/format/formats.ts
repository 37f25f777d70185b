import { entryAt } from '../../../errors.ts';
import { amountText } from './amount.ts';
import type { CalendarDay, CalendarNames } from './calendar.ts';
import { calendarNames, parseIsoDay, weekdayOf } from './calendar.ts';
import { isDecimal, isLongDecimal, roundMagnitude, splitDecimal } from './decimal.ts';
import { compileMask } from './mask.ts';
import type { FieldFormat } from '../types.ts';
import type { WordsOptions } from './amount-words.ts';
import { compileWords, hasName, wordsLanguage, wordsRepertoire } from './amount-words.ts';

/**
 * Display formats, compiled once per template into plain functions: no Intl, no Date and no
 * regular expression runs per value. A format must have passed `formatProblems` before.
 */

const THAI_ZERO = 0x0e50;
const BUDDHIST_OFFSET = 543;
const DEFAULT_DATE_PATTERN = 'd MMMM yyyy';

/** Separators and group sizes of a language, from Intl: 1,234,567 in English, 12,34,567 in Hindi. */
interface NumberSigns {
  readonly point: string;
  readonly group: string;
  readonly groupFirst: number;
  readonly groupRest: number;
}

/** A template has a handful of languages; Intl takes a tenth of a millisecond to tell the signs. */
const SIGNS_MAX = 64;
const knownSigns = new Map<string, NumberSigns>();

function numberSigns(language: string): NumberSigns {
  const known = knownSigns.get(language);
  if (known !== undefined) return known;
  if (knownSigns.size >= SIGNS_MAX) knownSigns.clear();
  const signs = readNumberSigns(language);
  knownSigns.set(language, signs);
  return signs;
}

function readNumberSigns(language: string): NumberSigns {
  const parts = new Intl.NumberFormat(languageOrEnglish(language), {
    numberingSystem: 'latn',
    useGrouping: 'always',
    minimumFractionDigits: 1,
  }).formatToParts(123_456_789.5);
  const sizes = parts.filter(({ type }) => type === 'integer').map(({ value }) => value.length);
  return {
    point: parts.find(({ type }) => type === 'decimal')?.value ?? '.',
    group: parts.find(({ type }) => type === 'group')?.value ?? ',',
    groupFirst: sizes.at(-1) ?? 3,
    groupRest: sizes.at(-2) ?? 3,
  };
}

/** English for ''; the check of the template has made sure that any other tag is one for Intl. */
function languageOrEnglish(language: string): string {
  return language === '' ? 'en' : language;
}

/** The language of the format, or the one it inherits when it names none. */
function languageOf(format: FieldFormat | undefined, language: string): string {
  return format?.language ?? language;
}

/** How a format spells numbers out in words; null when it prints figures. */
function wordsOf(format: FieldFormat | undefined, language: string): WordsOptions | null {
  if (format?.words !== true) {
    const isBaht = format?.style === 'bahttext';
    return isBaht ? { language: 'th', currency: 'THB', decimals: null } : null;
  }
  const spelled = wordsLanguage(languageOf(format, language));
  if (spelled === null) throw new RangeError('the language of words was not checked');
  return {
    language: spelled,
    currency: format.currency ?? null,
    decimals: format.decimals ?? null,
  };
}

/**
 * The language that a format writes in, if it writes words: amounts, or dates in a language that it
 * names. Null for figures, which are read in the language around them.
 */
export function writtenLanguage(format: FieldFormat | undefined, language: string): string | null {
  const words = wordsOf(format, language);
  if (words !== null) return words.language;
  const hasNames = /M{3}|E/.test(format?.pattern ?? '');
  return hasNames || format?.calendar !== undefined ? (format?.language ?? null) : null;
}

/** The function that applies `case` to formatted text; null when the format has no `case`. */
export function compileCase(
  format: FieldFormat | undefined,
  language: string,
): ((text: string) => string) | null {
  const locale = languageOrEnglish(languageOf(format, language));
  switch (format?.case) {
    case undefined:
      return null;
    case 'upper':
      return (text) => text.toLocaleUpperCase(locale);
    case 'lower':
      return (text) => text.toLocaleLowerCase(locale);
    case 'title':
      // Only first letters change, as with `text-transform: capitalize` in CSS.
      return (text) =>
        text.replace(/(?<![\p{L}\p{M}\p{N}'’])\p{L}/gu, (letter) =>
          letter.toLocaleUpperCase(locale),
        );
  }
}

/** Wraps `print` so that the `case` of the format applies to its result. */
function withCase(
  print: (value: string) => string,
  format: FieldFormat | undefined,
  language: string,
): (value: string) => string {
  const setCase = compileCase(format, language);
  return setCase === null ? print : (value) => setCase(print(value));
}

/** The formatters that print numbers in figures: what they print is an amount, not a text. */
const figureFormats = new WeakSet<(cell: string) => string>();

/** Whether a formatter of this module prints numbers in figures; it prints other text as it is. */
export function printsFigures(format: (cell: string) => string): boolean {
  return figureFormats.has(format);
}

/**
 * Prints an exact decimal in words or figures. Figures keep their digits or, with `decimals`, are
 * rounded half away from zero. The sign comes before the prefix (-฿1,250.50) and is left out when
 * the result shows only zeros.
 */
export function compileNumberFormat(
  format: FieldFormat | undefined,
  language: string,
): (decimal: string) => string {
  const words = wordsOf(format, language);
  if (words === null) return withCase(compileFigures(format, language), format, language);
  const { prefix = '', suffix = '' } = format ?? {};
  const spell = compileWords(words);
  return withCase((decimal) => prefix + spell(decimal) + suffix, format, language);
}

/** A number format that prints Latin digits only, in groups of three or without groups. */
export interface UsualFigures {
  /** Null: as many decimals as the number has. */
  readonly decimals: number | null;
  /** '': no groups. */
  readonly group: string;
  readonly point: string;
}

/** Null if the format is not of this kind. */
export function usualFigures(
  format: FieldFormat | undefined,
  language: string,
): UsualFigures | null {
  const { prefix = '', suffix = '', decimals = null, thousandsSeparator = false } = format ?? {};
  if (wordsOf(format, language) !== null || compileCase(format, language) !== null) return null;
  if (format?.digits === 'thai' || prefix !== '' || suffix !== '') return null;
  const { point, group, groupFirst, groupRest } = numberSigns(languageOf(format, language));
  if (!thousandsSeparator) return { decimals, group: '', point };
  return groupFirst === 3 && groupRest === 3 ? { decimals, group, point } : null;
}

function compileFigures(
  format: FieldFormat | undefined,
  language: string,
): (decimal: string) => string {
  const { prefix = '', suffix = '' } = format ?? {};
  const { decimals, thousandsSeparator: isGrouped = false } = format ?? {};
  const signs = numberSigns(languageOf(format, language));
  const isThai = format?.digits === 'thai';
  const isUsual = isGrouped && !isThai && prefix === '' && suffix === '' && signs.point === '.';
  const usualDecimals = isUsual && signs.groupFirst === 3 ? (decimals ?? 0) : 0;
  return (decimal) => {
    if (usualDecimals > 0) {
      const usual = amountBelowMillion(decimal, usualDecimals, signs.group);
      if (usual !== null) return usual;
    }
    const [integer, fraction] =
      decimals === undefined ? splitDecimal(decimal) : roundMagnitude(decimal, decimals);
    const whole = isGrouped ? groupDigits(integer, signs) : integer;
    const magnitude = fraction === '' ? whole : whole + signs.point + fraction;
    const isNegative = decimal.charCodeAt(0) === 45 && hasNonZero(integer, fraction);
    const body = prefix + (isThai ? toThaiDigits(magnitude) : magnitude) + suffix;
    return isNegative ? `-${body}` : body;
  };
}

/**
 * Fast path for most amounts: positive, below a million, and sent with as many decimals as are
 * printed. Only the group separator has to be inserted. Returns null for other numbers.
 */
function amountBelowMillion(decimal: string, decimals: number, group: string): string | null {
  const end = decimal.length - decimals - 1;
  if (end < 1 || end > 6 || decimal.charCodeAt(end) !== 46) return null;
  const first = decimal.charCodeAt(0);
  if (first === 45 || (first === 48 && end > 1)) return null;
  return end <= 3 ? decimal : decimal.slice(0, end - 3) + group + decimal.slice(end - 3);
}

function hasNonZero(integer: string, fraction: string): boolean {
  for (let at = 0; at < integer.length; at++) if (integer.charCodeAt(at) !== 48) return true;
  for (let at = 0; at < fraction.length; at++) if (fraction.charCodeAt(at) !== 48) return true;
  return false;
}

function groupDigits(integer: string, signs: NumberSigns): string {
  let end = integer.length - signs.groupFirst;
  if (end <= 0) return integer;
  let out = integer.slice(end);
  for (; end > signs.groupRest; end -= signs.groupRest) {
    out = integer.slice(end - signs.groupRest, end) + signs.group + out;
  }
  return integer.slice(0, end) + signs.group + out;
}

function toThaiDigits(text: string): string {
  let out = '';
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    out += code >= 48 && code <= 57 ? String.fromCharCode(code - 48 + THAI_ZERO) : text[at];
  }
  return out;
}

/**
 * Prints a checked YYYY-MM-DD. Without a pattern and a calendar the day stays as it was sent; a
 * calendar alone means `d MMMM yyyy`.
 */
export function compileDateFormat(
  format: FieldFormat | undefined,
  language: string,
): (iso: string) => string {
  const isThai = format?.digits === 'thai';
  const pattern =
    format?.pattern ?? (format?.calendar === undefined ? undefined : DEFAULT_DATE_PATTERN);
  if (pattern === undefined) return (iso) => (isThai ? toThaiDigits(iso) : iso);
  const parts = compileDatePattern(pattern, languageOf(format, language));
  const yearOffset = format?.calendar === 'buddhist' ? BUDDHIST_OFFSET : 0;
  const print = (iso: string): string => {
    const day = parseIsoDay(iso);
    if (day === null) return iso;
    let out = '';
    for (const part of parts) out += typeof part === 'string' ? part : part(day, yearOffset);
    return isThai ? toThaiDigits(out) : out;
  };
  return withCase(print, format, language);
}

type DatePart = string | ((day: CalendarDay, yearOffset: number) => string);

/** CLDR date field symbols (UTS #35 part 4) that a pattern may use. */
const DATE_PARTS: Readonly<Record<string, (names: CalendarNames) => DatePart>> = {
  d: () => (day) => String(day.day),
  dd: () => (day) => padded(day.day, 2),
  M: () => (day) => String(day.month),
  MM: () => (day) => padded(day.month, 2),
  MMM: (names) => (day) => entryAt(names.monthsShort, day.month - 1),
  MMMM: (names) => (day) => entryAt(names.months, day.month - 1),
  y: () => (day, offset) => String(day.year + offset),
  yy: () => (day, offset) => padded((day.year + offset) % 100, 2),
  yyyy: () => (day, offset) => padded(day.year + offset, 4),
  E: (names) => (day) => entryAt(names.weekdaysShort, weekdayOf(day)),
  EEEE: (names) => (day) => entryAt(names.weekdays, weekdayOf(day)),
};

function padded(value: number, length: number): string {
  return String(value).padStart(length, '0');
}

function compileDatePattern(pattern: string, language: string): readonly DatePart[] {
  const names = calendarNames(languageOrEnglish(language));
  return tokenizeDatePattern(pattern).map((token) => {
    if (token.kind === 'literal') return token.text;
    const make = Object.hasOwn(DATE_PARTS, token.text) ? DATE_PARTS[token.text] : undefined;
    if (make === undefined) throw new RangeError('date pattern was not checked');
    return make(names);
  });
}

interface DateToken {
  readonly kind: 'letters' | 'literal';
  readonly text: string;
}

/** A run of one letter is a symbol, `'…'` a literal, `''` a quote (UTS #35 part 4, 8.1). */
function tokenizeDatePattern(pattern: string): DateToken[] {
  const tokens: DateToken[] = [];
  const matcher = /''|'((?:[^']|'')+)'|(([A-Za-z])\3*)|([^A-Za-z']+)|'/gu;
  for (const [whole, quoted, letters, , plain] of pattern.matchAll(matcher)) {
    if (letters !== undefined) tokens.push({ kind: 'letters', text: letters });
    else if (quoted !== undefined)
      tokens.push({ kind: 'literal', text: quoted.replaceAll("''", "'") });
    else tokens.push({ kind: 'literal', text: plain ?? whole.slice(0, 1) });
  }
  return tokens;
}

/** The symbols of a date pattern that are not supported, for the template's findings. */
export function unknownDateSymbols(pattern: string): readonly string[] {
  return tokenizeDatePattern(pattern)
    .filter(({ kind, text }) => kind === 'letters' && !Object.hasOwn(DATE_PARTS, text))
    .map(({ text }) => text);
}

export type CellKind = 'number' | 'date' | 'text';

const NUMBER_KEYS = [
  ...(['decimals', 'thousandsSeparator', 'prefix', 'suffix', 'style'] as const),
  ...(['words', 'currency', 'digits', 'language'] as const),
];

/** Infers the kind of an inline format from its keys; `number` when they leave it open. */
export function cellKindOf(format: FieldFormat): CellKind {
  if (format.mask !== undefined) return 'text';
  if (format.pattern !== undefined || format.calendar !== undefined) return 'date';
  if (format.case === undefined) return 'number';
  return NUMBER_KEYS.some((key) => format[key] !== undefined) ? 'number' : 'text';
}

/**
 * Formats a table cell as `kind`; a number may have thousands separators, as in a sum. A cell that
 * cannot be read as that kind stays as it is, unless a mask hides characters: then all letters and
 * digits of the cell are hidden.
 */
export function compileCellFormatter(
  format: FieldFormat,
  language: string,
  kind: CellKind = cellKindOf(format),
): (cell: string) => string {
  switch (kind) {
    case 'number': {
      const print = compileNumberFormat(format, language);
      const isFigures = wordsOf(format, language) === null;
      const printCell = (cell: string): string => {
        if (isDecimal(cell)) return print(cell);
        const decimal = isLongDecimal(cell) ? cell : amountText(cell);
        if (decimal === null) return cell;
        return isFigures || hasName(decimal) ? print(decimal) : cell;
      };
      if (isFigures) figureFormats.add(printCell);
      return printCell;
    }
    case 'date': {
      const print = compileDateFormat(format, language);
      return (cell) => (parseIsoDay(cell) === null ? cell : print(cell));
    }
    case 'text':
      return withCase(compileTextMask(format.mask), format, language);
  }
}

function compileTextMask(mask: string | undefined): (text: string) => string {
  if (mask === undefined) return (text) => text;
  const { apply, hides } = compileMask(mask);
  return (text) =>
    apply(text) ?? (hides === null ? text : text.replace(/[\p{L}\p{M}\p{N}]/gu, hides));
}

/** Every piece of text a format of numbers or dates can print, so that a font subset can hold all of it. */
export function formatRepertoire(
  format: FieldFormat | undefined,
  type: 'number' | 'date',
  language: string,
): string[] {
  const pieces = plainRepertoire(format, type, language);
  const setCase = compileCase(format, language);
  return setCase === null ? pieces : [...pieces, ...pieces.map(setCase)];
}

function plainRepertoire(
  format: FieldFormat | undefined,
  type: 'number' | 'date',
  language: string,
): string[] {
  const digits = format?.digits === 'thai' ? '๐๑๒๓๔๕๖๗๘๙' : '0123456789';
  switch (type) {
    case 'number': {
      const affixes = [format?.prefix ?? '', format?.suffix ?? ''];
      const words = wordsOf(format, language);
      if (words !== null) return [...affixes, ...wordsRepertoire(words.language, words.currency)];
      const { point, group } = numberSigns(languageOf(format, language));
      return [...affixes, digits, '-', point, group];
    }
    case 'date': {
      const names = calendarNames(languageOrEnglish(languageOf(format, language)));
      const literals = tokenizeDatePattern(format?.pattern ?? '- ')
        .filter(({ kind }) => kind === 'literal')
        .map(({ text }) => text);
      return [
        digits,
        ...literals,
        '-',
        ' ',
        ...names.months,
        ...names.monthsShort,
        ...names.weekdays,
        ...names.weekdaysShort,
      ];
    }
  }
}
