import { edgeOf, KIND_MASK, KIND_SHIFT, type Lexicon, TARGET_SHIFT } from './lexicon.ts';
import { maySyllableBegin } from './orthography.ts';
import { LONE_COST, visitSyllables } from './syllable.ts';
import type { Words } from './words.ts';

/**
 * Segments a run of Thai: the cheapest sequence of words of the lexicons and unknown stretches.
 * Costs are whole numbers, so that the same run gives the same words everywhere.
 */

/** Cost of a word by its kind; fewer and longer words are cheaper. */
const WORD_COST: readonly number[] = [0, 31, 20, 18, 16, 17, 18, 18, 23, 11, 20, 21];

/** Cost of a word of a kind. */
export function costOf(kind: number): number {
  return WORD_COST[kind] ?? 0;
}

/** Cost of a word added by authors: so low that no way to split it is cheaper. */
const ADDED_COST = 4;
/** Cost of an unknown stretch, to which the cost of each letter or syllable is added. */
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

/** Lowest cost up to a position: at the end of a word, and inside an unknown stretch. */
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
 * Segments a run of Thai of at most `RUN_LENGTH_MAX` characters into words of at most `lengthMax`.
 * The cost of unknown stretches is counted by letters, which is fast. A run that has any is
 * segmented again by syllables, so that no stretch begins or ends inside a syllable.
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

/**
 * Extends the unknown stretch that is open at `at`, or opens one there. `openCost` is the cost up to
 * `at` inside such a stretch, `wordCost` the cost up to `at` at the end of a word.
 */
type Extend = (run: string, at: number, openCost: number, wordCost: number) => void;

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

/** Tries every word that begins at `at`. With a `fixedCost` of 0 the kind sets the cost. */
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

/** Records a word from `at` to `end` if it is the cheapest there. */
function reach(at: number, end: number, cost: number, kind: number): void {
  if (cost >= (wordCosts[end] as number)) return;
  wordCosts[end] = cost;
  wordFrom[end] = at;
  wordKinds[end] = kind;
}

/** Ends the unknown stretch at `at`, unless it has only one letter. */
function closeUnknown(run: string, at: number, open: number): void {
  if (at - (openFrom[at] as number) < 2) return;
  if (at === run.length || maySyllableBegin(run, at)) reach(openFrom[at] as number, at, open, 0);
}

/** Opens unknown stretches with two letters, so that none has only one. */
function extendByLetters(_run: string, at: number, openCost: number, wordCost: number): void {
  openUnknown(at + 1, openCost + UNKNOWN_LETTER_COST, openFrom[at] as number);
  openUnknown(at + 2, wordCost + UNKNOWN_COST + 2 * UNKNOWN_LETTER_COST, at);
}

function extendBySyllables(run: string, from: number, openCost: number, wordCost: number): void {
  visitSyllables(run, from, (at, end, units) => {
    const cost = units >= LONE_COST ? LONE_LETTER_COST : UNKNOWN_SYLLABLE_COST;
    openUnknown(end, openCost + cost, openFrom[at] as number);
    openUnknown(end, wordCost + UNKNOWN_COST + cost, at);
  });
}

/** Records an unknown stretch from `from` to `at` if it is the cheapest there. */
function openUnknown(at: number, cost: number, from: number): void {
  if (cost >= (openCosts[at] as number)) return;
  openCosts[at] = cost;
  openFrom[at] = from;
}
