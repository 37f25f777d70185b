import { readFileSync } from 'node:fs';
import type { Breaks } from '../break.ts';
import { isThaiWord, KIND, type Lexicon, makeLexicon, packWords } from './lexicon.ts';

/** The lexicon, the words that authors and the institution added to it, and what was read with both. */
export interface Words {
  readonly lexicon: Lexicon;
  readonly added: readonly Lexicon[];
  /** Runs of one script (dictionary.ts). */
  readonly runs: BreakCache<Uint16Array>;
  /** Whole texts: what a template says around its bindings comes back in each document. */
  readonly texts: BreakCache<Breaks>;
}

/** Characters of the texts that each generation holds. */
const CHARACTERS_MAX = 100_000;

/** Breaks by their text, in two generations, so that the cost is bounded. */
export class BreakCache<T> {
  #young = new Map<string, T>();
  #old = new Map<string, T>();
  #characters = 0;

  get(text: string): T | undefined {
    const breaks = this.#young.get(text);
    if (breaks !== undefined) return breaks;
    const older = this.#old.get(text);
    if (older !== undefined) this.set(text, older);
    return older;
  }

  set(text: string, breaks: T): void {
    if (this.#characters >= CHARACTERS_MAX) {
      this.#old = this.#young;
      this.#young = new Map();
      this.#characters = 0;
    }
    this.#characters += text.length;
    this.#young.set(text, breaks);
  }
}

const PACKED = new URL('words.bin', import.meta.url);
let common: Words | null = null;
let institution: readonly string[] = [];
const byList = new WeakMap<readonly string[], Words>();

/** Adds words for all templates of this thread; before the first is laid out. */
export function addInstitutionWords(words: readonly string[]): void {
  institution = words;
  common = null;
}

/** What breaks the text of a template; `list` is its own words, the same array each time. */
export function wordsWith(list: readonly string[] | null): Words {
  common ??= wordsOf(readPacked(), institution);
  if (list === null || list.length === 0) return common;
  let words = byList.get(list);
  if (words === undefined) {
    words = wordsOf(common.lexicon, [...institution, ...list]);
    byList.set(list, words);
  }
  return words;
}

function wordsOf(lexicon: Lexicon, more: readonly string[]): Words {
  return {
    lexicon,
    added: lexiconsOf(more),
    runs: new BreakCache<Uint16Array>(),
    texts: new BreakCache<Breaks>(),
  };
}

function lexiconsOf(words: readonly string[]): Lexicon[] {
  const thai = words.filter((word) => isThaiWord(word));
  return thai.length === 0 ? [] : [makeLexicon(packWords(thai.map((word) => [word, KIND.word])))];
}

/** The file is little-endian. */
function readPacked(): Lexicon {
  const bytes = readFileSync(PACKED);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const edges = new Uint32Array(bytes.byteLength / Uint32Array.BYTES_PER_ELEMENT);
  for (let index = 0; index < edges.length; index++) edges[index] = view.getUint32(index * 4, true);
  return makeLexicon(edges);
}
