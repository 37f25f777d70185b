import { type Amount, splitsAmount } from '../amounts/amounts.ts';
import type { Atom, Tears } from './atom.ts';
import { breakClass, CLASS, hasDictionaryScript } from './classes.ts';
import { partsOf } from './words/dictionary.ts';
import { isDependent, maySyllableBegin, isClusterBoundary } from './words/orthography.ts';
import { LINE_SLACK_PT } from './slack.ts';
import { strandsMark } from './spaces.ts';
import type { Words } from './words/words.ts';

/**
 * Where a word that is wider than its line is split: between clusters, but a number preferably after
 * a comma, hyphen or slash. In a script without spaces it is split between the words that it is made
 * of; if none of these splits fits, between syllables; if none of those fits, between clusters.
 * There, a number inside the word is split only if nothing else fits.
 */

/** Finds where a word may be split, never inside `amounts`; called once for the whole word. */
export function findTears(
  text: string,
  words: Words,
  amounts: readonly Amount[] | null = null,
): Tears {
  const tears = tearsOf(text, words);
  if (amounts === null) return tears;
  const outside = (at: number): boolean => !splitsAmount(amounts, at);
  return { ...tears, choices: tears.choices.map((choice) => choice.filter(outside)) };
}

function tearsOf(text: string, words: Words): Tears {
  const isDictionary = hasDictionaryScript(text);
  const clusters = clusterEnds(text);
  if (!isDictionary) {
    const separators = NUMBER.test(text) ? clusters.filter((at) => isAfterSeparator(text, at)) : [];
    const besideNoMark = clusters.filter(
      (at) => !splitsOffBracket(text, at) && !splitsOffPoint(text, at),
    );
    return { choices: [separators, besideNoMark, clusters], isDictionary, from: 0 };
  }
  const parts = partsOf(text, words);
  const intact = clusters.filter((at) => isClusterBoundary(text, at) && !splitsOffMark(text, at));
  const atSyllables = intact.filter((at) => !isInNumber(text, at) && maySyllableBegin(text, at));
  const betweenWords = withBorders(text, parts.words);
  // The best choice comes first.
  const choices = [
    betweenWords,
    parts.syllables,
    atSyllables,
    intact.length > 0 ? intact : clusters,
  ];
  // A mark at the end of a line is better than text over its neighbour; beside an amount it is not,
  // because the amount is printed smaller then.
  if (!/\p{Nd}/u.test(text)) choices.push(clusters.filter((at) => isClusterBoundary(text, at)));
  return { choices, isDictionary, from: 0 };
}

/**
 * An amount with commas, or numbers joined by hyphens or slashes: 1,250.50, 0-2345-6789,
 * 08.30-16.30.
 */
const NUMBER = /^(?:\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:[.:]\d+)?(?:[/-]\d+(?:[.:]\d+)?)+) *$/u;

/** Whether a separator of a number stands before `at`. */
function isAfterSeparator(text: string, at: number): boolean {
  return ',-/'.includes(text.charAt(at - 1));
}

// For scripts with spaces; those without use the classes of UAX #14 (`splitsOffMark`).
const OPENING = '([{“‘«';
const CLOSING_MARKS = ')]}”’»%!?';

/** Whether a line would end in an opening mark or begin with a closing one. */
function splitsOffBracket(text: string, at: number): boolean {
  return OPENING.includes(text.charAt(at - 1)) || CLOSING_MARKS.includes(text.charAt(at));
}

/** Whether a line would begin with a point, comma or colon that a digit follows. */
function splitsOffPoint(text: string, at: number): boolean {
  return /^[.,:]\d/u.test(text.slice(at, at + 2));
}

/** Whether `at` lies inside a number, between digits or beside one of its separators. */
function isInNumber(text: string, at: number): boolean {
  return (
    /[\d\u0e50-\u0e59][.,:/-]?$/u.test(text.slice(Math.max(0, at - 2), at)) &&
    numberContinuesAt(text, at)
  );
}

function numberContinuesAt(text: string, at: number): boolean {
  return /^[.,:/-]?[\d\u0e50-\u0e59]/u.test(text.slice(at, at + 2));
}

/** Where Thai letters meet digits or Latin letters, after an abbreviation, and after spaces. */
const BORDER = new RegExp(
  [
    // A Thai letter, then a digit or a Latin letter.
    String.raw`(?<=[\u0e01-\u0e4e])(?=[\dA-Za-z\u0e50-\u0e59])`,
    // A digit or a Latin letter, then a Thai consonant or leading vowel.
    String.raw`(?<=[\dA-Za-z\u0e50-\u0e59])(?=[\u0e01-\u0e2e\u0e40-\u0e44])`,
    // After the point of an abbreviation.
    String.raw`(?<=[\u0e01-\u0e4e]{2}\.)(?=[\u0e01-\u0e4e]{3})`,
    // After spaces.
    String.raw`(?<= )(?=[^ ])`,
  ].join('|'),
  'gu',
);

/** Adds to the boundaries between words the borders at which a split leaves no mark alone. */
function withBorders(text: string, words: readonly number[]): readonly number[] {
  const borders = Array.from(text.matchAll(BORDER), ({ index }) => index);
  const allowed = borders.filter((at) => !strandsMark(text, at) && !splitsOffMark(text, at));
  if (allowed.length === 0) return words;
  return [...new Set([...words, ...allowed])].toSorted((one, other) => one - other);
}

const CLOSING: ReadonlySet<number> = new Set([
  CLASS.CL,
  CLASS.CP,
  CLASS.EX,
  CLASS.IS,
  CLASS.NS,
  CLASS.QU,
]);

/**
 * Whether a line would end in an opening mark, with or without spaces after it, or begin with a
 * closing mark, a dependent vowel, a tone mark, ๆ or ฯ.
 */
function splitsOffMark(text: string, index: number): boolean {
  const before = text.slice(0, index).trimEnd();
  if (breakClass(before.charCodeAt(before.length - 1)) === CLASS.OP) return true;
  return isDependent(text.charCodeAt(index)) || CLOSING.has(breakClass(text.charCodeAt(index)));
}

const clusterer = new Intl.Segmenter('th', { granularity: 'grapheme' });

const PRINTABLE_ASCII = /^[ -~]*$/;

function clusterEnds(text: string): number[] {
  const ends: number[] = [];
  if (PRINTABLE_ASCII.test(text)) {
    for (let end = 1; end < text.length; end++) ends.push(end);
  } else {
    for (const { index } of clusterer.segment(text)) if (index > 0) ends.push(index);
  }
  return ends;
}

/** UTF-16 units of a cluster that are measured; the rest of a longer one is not. */
const CLUSTER_LENGTH_MAX = 32;

/** Width of the first cluster of an atom, or of the amount that it begins with. */
export function firstPiecePt({ run, shape, amounts }: Atom): number {
  const amount = amounts?.[0];
  if (amount?.from === 0) return run.widthOf(shape.text.slice(0, amount.to));
  const [first] = clusterer.segment(shape.text.slice(0, CLUSTER_LENGTH_MAX));
  return run.widthOf(first?.segment ?? '');
}

/** Index of the first entry above `from` in an ascending list. */
export function firstAfter(list: readonly number[], from: number): number {
  let low = 0;
  let high = list.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((list[middle] ?? 0) > from) high = middle;
    else low = middle + 1;
  }
  return low;
}

/**
 * Length of the longest start of the atom's text that fits `roomPt` and ends at one of `ends`, or
 * of the whole text; 0 when nothing fits. `ends` are indices into a word in which the atom begins
 * at `from`. The search starts where letters of equal width would end, to measure few and short
 * texts.
 */
export function widestFit(
  atom: Atom,
  ends: readonly number[],
  from: number,
  roomPt: number,
): number {
  const { run, widthPt } = atom;
  const { text } = atom.shape;
  if (widthPt <= roomPt + LINE_SLACK_PT) return text.length;
  const fits = (index: number): boolean =>
    run.widthOf(text.slice(0, (ends[index] ?? 0) - from)) <= roomPt + LINE_SLACK_PT;
  const first = firstAfter(ends, from);
  // Invariant: the text up to `ends[low]` fits, the text up to `ends[high]` does not. `low` is
  // `first - 1` until something fits; `high` is `ends.length` until something does not.
  let low = first - 1;
  let high = ends.length;
  const share = Math.max(0, roomPt / widthPt) * text.length;
  let probe = Math.max(first, firstAfter(ends, from + share) - 1);
  // Steps from the probe, each twice as long, until one end fits and a later one does not; then
  // bisects.
  for (let step = 1; low + 1 < high; step *= 2) {
    if (fits(probe)) {
      low = probe;
      probe = Math.min(probe + step, high - 1);
    } else {
      high = probe;
      probe = Math.max(probe - step, low + 1);
    }
    if (low >= first && high < ends.length) break;
  }
  while (low + 1 < high) {
    const middle = (low + high) >> 1;
    if (fits(middle)) low = middle;
    else high = middle;
  }
  return low < first ? 0 : (ends[low] ?? 0) - from;
}
