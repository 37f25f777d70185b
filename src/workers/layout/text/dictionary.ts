import { KIND } from './lexicon.ts';
import { nameEnd, placeEnd, readsAsSurname } from './names.ts';
import { partsNoCluster, syllableStarts } from './orthography.ts';
import { readWords, RUN_LENGTH_MAX, type Word } from './segment.ts';
import type { Words } from './words.ts';

/**
 * Line breaks inside Thai, Lao, Khmer and Myanmar. Thai is read with the lexicon; the words of the
 * other three are found by the segmenter of the runtime.
 */

const segmenter = new Intl.Segmenter('th', { granularity: 'word' });

/**
 * Breaks inside `text[start, end)`, a run of one dictionary script of at most `RUN_LENGTH_MAX`
 * characters: offsets from `start`, doubled, plus 1 for a soft one. None falls at the ends: those are
 * the pair table's.
 */
export function wordBreaks(text: string, start: number, end: number, words: Words): Uint16Array {
  const run = text.slice(start, end);
  const isSurname = readsAsSurname(text, start);
  const key = isSurname ? `-${run}` : run;
  const known = words.cache.get(key);
  if (known !== undefined) return known;
  const breaks = isThai(run) ? breakThai(run, isSurname, words) : segment(run);
  words.cache.set(key, breaks);
  return breaks;
}

export { RUN_LENGTH_MAX } from './segment.ts';

function isThai(run: string): boolean {
  for (let index = 0; index < run.length; index++) if (run.charCodeAt(index) > 0xe5b) return false;
  return true;
}

function segment(run: string): Uint16Array {
  const offsets: number[] = [];
  for (const { index } of segmenter.segment(run)) {
    if (index > 0 && partsNoCluster(run, index)) offsets.push(index << 1);
  }
  return Uint16Array.from(offsets);
}

const FREE = 0;
const SOFT = 1;
const NEVER = 2;

function breakThai(run: string, isSurname: boolean, words: Words): Uint16Array {
  const read = readWords(run, words, run.length);
  const breaks: number[] = [];
  let start = 0;
  let wholeUntil = isSurname ? nameEnd(run, read, 0) : 0;
  for (let index = 0; index + 1 < read.length; index++) {
    const word = read[index] as Word;
    const next = read[index + 1] as Word;
    const text = run.slice(start, word.end);
    start = word.end;
    if (word.end < wholeUntil) continue;
    const mayEnd = joint(word, next, text, run.slice(word.end, next.end));
    if (mayEnd !== NEVER) breaks.push((word.end << 1) | mayEnd);
    wholeUntil = placeEnd(run, read, index, text);
  }
  return Uint16Array.from(breaks);
}

/** A rare word longer than this is no part of an unknown one. */
const PART_LENGTH_MAX = 4;
/** A loan word up to this length may be part of a longer one. */
const LOAN_LENGTH_MAX = 6;
const THANTHAKHAT = '\u0e4c';
/** Ends an amount in words and belongs to บาท. */
const EXACTLY = 'ถ้วน';

/** Whether a line may end between two words of a run. */
function joint(word: Word, next: Word, text: string, nextText: string): 0 | 1 | 2 {
  if (word.kind === KIND.binds) return NEVER;
  if (word.kind === KIND.avoids) return SOFT;
  if (word.kind === KIND.head) return isEveryday(next) ? SOFT : NEVER;
  if (word.kind === KIND.digit && next.kind === KIND.multiplier) return SOFT;
  if (nextText === EXACTLY) return SOFT;
  // A loan word goes on before and after a part with a silent letter: ซอฟต์|แวร์, มาร์|เก็ต.
  if (next.kind === 0 && text.endsWith(THANTHAKHAT)) return NEVER;
  if (word.kind === 0 && isLoanPart(nextText)) return NEVER;
  return isUnsure(word, text.length) && isUnsure(next, nextText.length) ? NEVER : FREE;
}

function isLoanPart(text: string): boolean {
  return text.length <= LOAN_LENGTH_MAX && text.includes(THANTHAKHAT);
}

function isEveryday({ kind }: Word): boolean {
  return kind >= KIND.common;
}

/** Unknown, or short and rare: neighbours of this sort belong together. */
function isUnsure({ kind }: Word, length: number): boolean {
  return kind === 0 || (kind === KIND.rare && length <= PART_LENGTH_MAX);
}

const RUNS = /[\u0e01-\u0e2e\u0e30-\u0e3a\u0e40-\u0e4e\u0e80-\u0ecf\u1000-\u109f\u1780-\u17ff]+/gu;

/**
 * Where a word that is wider than its line is cut in scripts without spaces: between the words that
 * it is made of, or else between its syllables. Ascending, without the ends of the text.
 */
export function partsOf(text: string, words: Words): { words: number[]; syllables: number[] } {
  const parts: { words: number[]; syllables: number[] } = { words: [], syllables: [] };
  for (const { index: start, 0: run } of text.matchAll(RUNS)) {
    if (run.length > RUN_LENGTH_MAX) continue;
    if (!isThai(run)) {
      for (const code of segment(run)) parts.words.push(start + (code >> 1));
      continue;
    }
    for (const at of wordsInside(run, words)) parts.words.push(start + at);
    for (const at of syllableStarts(run)) parts.syllables.push(start + at);
  }
  return parts;
}

/** Ends of the words that a longer one is made of; none where a part of it would be no word. */
function wordsInside(run: string, words: Words): number[] {
  const read = readWords(run, words, run.length - 1);
  let start = 0;
  const ends: number[] = [];
  for (const word of read) {
    if (isUnsure(word, word.end - start)) return [];
    start = word.end;
    ends.push(start);
  }
  return ends.slice(0, -1);
}
