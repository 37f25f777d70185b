import { edgeOf, KIND_MASK, KIND_SHIFT, type Lexicon, TARGET_SHIFT } from './lexicon.ts';
import { maySyllableBegin } from './orthography.ts';
import { LONE_COST, visitSyllables } from './syllable.ts';
import type { Words } from './words.ts';

/**
 * Words of a run of Thai: the cheapest way to read it as words of the lexicons and stretches that
 * no lexicon has. Costs are whole numbers, so that the same run gives the same words everywhere.
 */

/** Cost of a word by its kind; fewer and longer words are cheaper. */
const WORD_COST: readonly number[] = [0, 31, 20, 18, 16, 17, 18, 18, 23, 11, 20, 21];
/** Cost of a word of a kind. */
export function costOf(kind: number): number {
  return WORD_COST[kind] ?? 0;
}

/** A word that authors added wins over any way to part it. */
const ADDED_COST = 4;
/** An unknown stretch costs this much, and this much a letter, or a syllable. */
const UNKNOWN_COST = 20;
const UNKNOWN_LETTER_COST = 9;
const UNKNOWN_SYLLABLE_COST = 33;
const LONE_LETTER_COST = 60;

export const RUN_LENGTH_MAX = 2_000;
const FIRST_LETTER = 0xe00;
const PAST_LETTERS = 0x5c;
const NA = 0xe13;
const MAIYAMOK = 0xe46;
const PAIYANNOI = 0xe2f;

/** Least costs up to a position: after a whole word, and inside an unknown stretch. */
const wordCosts = new Float64Array(RUN_LENGTH_MAX + 2);
const openCosts = new Float64Array(RUN_LENGTH_MAX + 2);
/** Where the last word or unknown stretch up to a position begins. */
const wordFrom = new Int32Array(RUN_LENGTH_MAX + 1);
const openFrom = new Int32Array(RUN_LENGTH_MAX + 2);
/** Kind of the word that ends at a position, 0: unknown. */
const wordKinds = new Uint8Array(RUN_LENGTH_MAX + 1);

/** One word of a run: it ends before `end`; `kind` 0 is unknown. */
export interface Word {
  readonly end: number;
  readonly kind: number;
}

/**
 * Reads a run of Thai of at most `RUN_LENGTH_MAX` characters as words of at most `lengthMax`. Unknown
 * stretches are measured by their letters, which is quick; a run that has one is read again by its
 * syllables, so that no stretch begins or ends inside one.
 */
export function readWords(
  run: string,
  words: Pick<Words, 'lexicon' | 'added'>,
  lengthMax: number,
): Word[] {
  if (run.length === 1) return [{ end: 1, kind: 0 }];
  const read = readBy(extendByLetters, run, words, lengthMax);
  if (read.every(({ kind }) => kind !== 0)) return read;
  return readBy(extendBySyllables, run, words, lengthMax);
}

/** Lengthens the unknown stretch that is open at a position, or opens one there. */
type Extend = (run: string, at: number, open: number, word: number) => void;

function readBy(
  extendUnknown: Extend,
  run: string,
  { lexicon, added }: Pick<Words, 'lexicon' | 'added'>,
  lengthMax: number,
): Word[] {
  const { length } = run;
  wordCosts.fill(Infinity, 0, length + 2);
  openCosts.fill(Infinity, 0, length + 2);
  wordCosts[0] = 0;
  for (let at = 0; at < length; at++) {
    const open = openCosts[at] as number;
    if (open !== Infinity) closeUnknown(run, at, open);
    const cost = wordCosts[at] as number;
    if (cost !== Infinity) {
      if (run.charCodeAt(at) === NA && maySyllableBegin(run, at + 1)) {
        reach(at, at + 1, cost + UNKNOWN_COST, 0);
      }
      followWords(run, at, lexicon, cost, 0, lengthMax);
      for (const more of added) followWords(run, at, more, cost, ADDED_COST, lengthMax);
    }
    if (open !== Infinity || cost !== Infinity) extendUnknown(run, at, open, cost);
  }
  closeUnknown(run, length, openCosts[length] as number);
  const words: Word[] = [];
  for (let end = length; end > 0; end = wordFrom[end] as number) {
    words.push({ end, kind: wordKinds[end] as number });
  }
  return words.toReversed();
}

/** Tries every word that begins at `at`. A `fixedCost` of 0 leaves the cost to the kind. */
function followWords(
  run: string,
  at: number,
  { edges, first }: Lexicon,
  before: number,
  fixedCost: number,
  lengthMax: number,
): void {
  const length = Math.min(run.length, at + lengthMax);
  let letter = run.charCodeAt(at) - FIRST_LETTER;
  if (letter < 0 || letter > PAST_LETTERS) return;
  let edge = first[letter] as number;
  let end = at;
  while (edge !== 0) {
    const value = edges[edge] as number;
    end++;
    const kind = (value >> KIND_SHIFT) & KIND_MASK;
    if (kind !== 0) {
      const past = pastMarks(run, end);
      if (past === run.length || maySyllableBegin(run, past)) {
        reach(at, past, before + (fixedCost || (WORD_COST[kind] as number)), kind);
      }
    }
    edge = value >>> TARGET_SHIFT;
    if (end === length || edge === 0) return;
    letter = run.charCodeAt(end) - FIRST_LETTER;
    edge = edgeOf(edges, edge, letter);
  }
}

/** End of a word with the ๆ and ฯ after it. */
function pastMarks(run: string, end: number): number {
  let past = end;
  for (let code = run.charCodeAt(past); code === MAIYAMOK || code === PAIYANNOI;) {
    code = run.charCodeAt(++past);
  }
  return past;
}

function reach(at: number, end: number, cost: number, kind: number): void {
  if (cost >= (wordCosts[end] as number)) return;
  wordCosts[end] = cost;
  wordFrom[end] = at;
  wordKinds[end] = kind;
}

/** An unknown stretch may end at `at`, unless it is one letter. */
function closeUnknown(run: string, at: number, open: number): void {
  if (at - (openFrom[at] as number) < 2) return;
  if (at === run.length || maySyllableBegin(run, at)) reach(openFrom[at] as number, at, open, 0);
}

/** An unknown stretch begins with two letters, so that none is one. */
function extendByLetters(_run: string, at: number, open: number, word: number): void {
  openUnknown(at + 1, open + UNKNOWN_LETTER_COST, openFrom[at] as number);
  openUnknown(at + 2, word + UNKNOWN_COST + 2 * UNKNOWN_LETTER_COST, at);
}

function extendBySyllables(run: string, from: number, open: number, word: number): void {
  visitSyllables(run, from, (at, end, units) => {
    const cost = units >= LONE_COST ? LONE_LETTER_COST : UNKNOWN_SYLLABLE_COST;
    openUnknown(end, open + cost, openFrom[at] as number);
    openUnknown(end, word + UNKNOWN_COST + cost, at);
  });
}

function openUnknown(at: number, cost: number, from: number): void {
  if (cost >= (openCosts[at] as number)) return;
  openCosts[at] = cost;
  openFrom[at] = from;
}
