import { readFileSync } from 'node:fs';
import { isThaiWord, KIND, type Lexicon, makeLexicon, packWords } from './lexicon.ts';

/** The lexicon, the words that a template adds to it, and the breaks found with both. */
export interface Words {
  readonly lexicon: Lexicon;
  readonly added: readonly Lexicon[];
  readonly cache: BreakCache;
}

const RUNS_MAX = 8_192;

/** Breaks of runs by their text, in two generations, so that memory is bounded. */
export class BreakCache {
  #young = new Map<string, Uint16Array>();
  #old = new Map<string, Uint16Array>();

  get(run: string): Uint16Array | undefined {
    const breaks = this.#young.get(run);
    if (breaks !== undefined) return breaks;
    const older = this.#old.get(run);
    if (older !== undefined) this.set(run, older);
    return older;
  }

  set(run: string, breaks: Uint16Array): void {
    if (this.#young.size >= RUNS_MAX) {
      this.#old = this.#young;
      this.#young = new Map();
    }
    this.#young.set(run, breaks);
  }
}

const PACKED = new URL('words.bin', import.meta.url);
/** The lexicon alone, which is the same for everybody. */
let common: Words | null = null;
const byList = new WeakMap<readonly string[], Words>();

/**
 * The words for the text of a template; `list`: those of its institution and its own, the same array
 * each time, because breaks are kept by it.
 */
export function wordsWith(list: readonly string[] | null): Words {
  common ??= { lexicon: readPacked(), added: [], cache: new BreakCache() };
  if (list === null || list.length === 0) return common;
  let words = byList.get(list);
  if (words === undefined) {
    words = { lexicon: common.lexicon, added: lexiconsOf(list), cache: new BreakCache() };
    byList.set(list, words);
  }
  return words;
}

function lexiconsOf(words: readonly string[]): Lexicon[] {
  const thai = words.filter((word) => isThaiWord(word));
  return thai.length === 0 ? [] : [makeLexicon(packWords(thai.map((word) => [word, KIND.word])))];
}

/** Reads words.bin, which is little-endian. */
function readPacked(): Lexicon {
  const bytes = readFileSync(PACKED);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const edges = new Uint32Array(bytes.byteLength / Uint32Array.BYTES_PER_ELEMENT);
  for (let index = 0; index < edges.length; index++) edges[index] = view.getUint32(index * 4, true);
  return makeLexicon(edges);
}
