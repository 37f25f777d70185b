import { FREE, isUnsure, NEVER, reluctanceBetween, RELUCTANT } from './joint.ts';
import { KIND, kindOf, type Lexicon } from './lexicon.ts';
import { nameEnd, placeEnd, readsAsFirm, readsAsSurname } from './names.ts';
import { maySyllableBegin, isClusterBoundary } from './orthography.ts';
import { costOf, readWords, RUN_LENGTH_MAX, type Word } from './segment.ts';
import { syllableStarts } from './syllable.ts';
import type { Words } from './words.ts';

/**
 * Line breaks inside Thai, Lao, Khmer and Myanmar. Thai is read with the lexicon; the words of the
 * other three are found by the segmenter of the runtime.
 */

export { RUN_LENGTH_MAX } from './segment.ts';

/** Number of low bits of a packed break that hold its reluctance; the others hold its offset. */
export const RELUCTANCE_BITS = 2;

const segmenter = new Intl.Segmenter('th', { granularity: 'word' });

/**
 * Packed breaks inside `text[start, end)`, a run of one dictionary script of at most
 * `RUN_LENGTH_MAX` characters, by their offset from `start`. The pair table decides at the ends of
 * the run.
 */
export function wordBreaks(text: string, start: number, end: number, words: Words): Uint16Array {
  const run = text.slice(start, end);
  const role = roleOf(text, start);
  const key = ROLE_PREFIX[role] + run;
  const known = words.cache.get(key);
  if (known !== undefined) return known;
  const breaks = isThai(run) ? breakThai(run, role, words) : breakByRuntime(run);
  words.cache.set(key, breaks);
  return breaks;
}

/** How the text before a run says to read it. */
type RunRole = 'surname' | 'firm' | 'prose';

/** Prefix of a run's key in the cache, where the same run is broken differently in each role. */
const ROLE_PREFIX: Readonly<Record<RunRole, string>> = { surname: '-', firm: '+', prose: '' };

function roleOf(text: string, start: number): RunRole {
  if (readsAsSurname(text, start)) return 'surname';
  return readsAsFirm(text, start) ? 'firm' : 'prose';
}

function isThai(run: string): boolean {
  for (let index = 0; index < run.length; index++) if (run.charCodeAt(index) > 0xe5b) return false;
  return true;
}

/** Breaks of Lao, Khmer and Myanmar, all without reluctance. */
function breakByRuntime(run: string): Uint16Array {
  const offsets: number[] = [];
  for (const { index } of segmenter.segment(run)) {
    if (index > 0 && isClusterBoundary(run, index)) offsets.push(index << RELUCTANCE_BITS);
  }
  return Uint16Array.from(offsets);
}

/** Minimum length of the parts into which a firm's name may be split. */
const FIRM_PART_LENGTH_MIN = 6;

function breakThai(run: string, role: RunRole, words: Words): Uint16Array {
  const isFirm = role === 'firm';
  const read = readWords(run, words, run.length);
  const breaks: number[] = [];
  let start = 0;
  /** The last place where a line may end easily. */
  let lineStart = 0;
  /** Whether this word and the one before are a pair of short words. */
  let isPaired = false;
  /** End of the name of a person or place, which is not split. */
  let wholeUntil = role === 'surname' ? nameEnd(run, read, 0) : 0;
  for (let index = 0; index < read.length; index++) {
    const word = read[index] as Word;
    const next = read[index + 1];
    const text = run.slice(start, word.end);
    if (word.kind === KIND.phrase && word.end > wholeUntil && !isFirm) {
      addInside(text, start, words, breaks);
    }
    start = word.end;
    if (next === undefined) break;
    if (word.end < wholeUntil) continue;
    const shorterPart = Math.min(word.end - lineStart, run.length - word.end);
    if (isFirm && shorterPart < FIRM_PART_LENGTH_MIN) continue;
    let reluctance = reluctanceBetween(word, next, text, run.slice(word.end, next.end));
    // Compounds of three words are rare, so a sequence of short words stays breakable.
    if (reluctance === RELUCTANT && isPaired) reluctance = FREE;
    isPaired = reluctance === RELUCTANT;
    if (reluctance !== NEVER) {
      breaks.push((word.end << RELUCTANCE_BITS) | reluctance);
      if (reluctance !== RELUCTANT) lineStart = word.end;
    }
    wholeUntil = placeEnd(run, read, index, text);
  }
  return Uint16Array.from(breaks);
}

/** A shorter phrase inside a phrase is not split. */
const INNER_PHRASE_LENGTH_MIN = 10;

/**
 * Adds the reluctant breaks of a phrase: where its two words meet, else where `readWords` splits.
 */
function addInside(phrase: string, start: number, words: Words, breaks: number[]): void {
  const middle = middleOf(phrase, words.lexicon);
  const ends =
    middle > 0
      ? [middle, phrase.length]
      : readWords(phrase, words, phrase.length - 1).map(({ end }) => end);
  let from = 0;
  for (const end of ends) {
    const part = phrase.slice(from, end);
    if (part.length >= INNER_PHRASE_LENGTH_MIN && kindOf(words.lexicon, part) === KIND.phrase) {
      addInside(part, start + from, words, breaks);
    }
    if (end < phrase.length) breaks.push(((start + end) << RELUCTANCE_BITS) | RELUCTANT);
    from = end;
  }
}

/** Where a phrase splits into two likely words, preferably near its middle, or 0. */
function middleOf(phrase: string, lexicon: Lexicon): number {
  const { length } = phrase;
  let found = 0;
  let least = Infinity;
  for (let at = 2; at + 2 <= length; at++) {
    if (!maySyllableBegin(phrase, at)) continue;
    const kinds = [kindOf(lexicon, phrase.slice(0, at)), kindOf(lexicon, phrase.slice(at))];
    if (kinds.some((kind) => kind < KIND.word)) continue;
    const cost = kinds.reduce((sum, kind) => sum + costOf(kind), 2 * Math.abs(length - 2 * at));
    if (cost < least) {
      found = at;
      least = cost;
    }
  }
  return found;
}

const RUNS = /[\u0e01-\u0e2e\u0e30-\u0e3a\u0e40-\u0e4e\u0e80-\u0ecf\u1000-\u109f\u1780-\u17ff]+/gu;

/**
 * Where a word of a script without spaces may be split when it is wider than its line: between the
 * words that it is made of, and between syllables. Ascending, without the ends of the text.
 */
export function partsOf(text: string, words: Words): { words: number[]; syllables: number[] } {
  const parts: { words: number[]; syllables: number[] } = { words: [], syllables: [] };
  for (const { index: start, 0: run } of text.matchAll(RUNS)) {
    if (run.length > RUN_LENGTH_MAX) continue;
    if (!isThai(run)) {
      for (const packed of breakByRuntime(run)) {
        parts.words.push(start + (packed >> RELUCTANCE_BITS));
      }
      continue;
    }
    for (const at of wordsInside(run, words)) parts.words.push(start + at);
    for (const at of syllableStarts(run)) parts.syllables.push(start + at);
  }
  return parts;
}

/** A boundary beside a shorter part may as well be one between syllables. */
const INNER_LENGTH_MIN = 4;

/**
 * Ends of the words that a longer one is made of. If one of its parts is not a known word, only the
 * ends beside a loan word are certain.
 */
function wordsInside(run: string, words: Words): number[] {
  const read = readWords(run, words, run.length - 1);
  const all: number[] = [];
  const certain: number[] = [];
  let start = 0;
  let isSure = true;
  for (const [index, word] of read.entries()) {
    const next = read[index + 1];
    if (isUnsure(word, word.end - start)) isSure = false;
    if (next === undefined) break;
    all.push(word.end);
    const length = Math.min(word.end - start, next.end - word.end);
    const isBesideLoan = word.kind === KIND.loan || next.kind === KIND.loan;
    if (isBesideLoan && length >= INNER_LENGTH_MIN) certain.push(word.end);
    start = word.end;
  }
  return isSure ? all : certain;
}
