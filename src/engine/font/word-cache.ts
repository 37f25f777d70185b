import type { Shape } from './font.ts';

/** Cached words: two generations of this many, so that words in use stay. */
const WORDS_MAX = 4_096;
const WORD_LENGTH_MAX = 64;
/** Slots for hashes of words that came once; a newcomer takes the slot over. */
const SEEN_SLOTS = 4_096;

/** The shapes of words, by text. Bounded. */
export class WordCache {
  #words = new Map<string, Shape>();
  #olderWords = new Map<string, Shape>();
  readonly #seen = new Int32Array(SEEN_SLOTS);

  get(text: string): Shape | undefined {
    return this.#words.get(text) ?? this.#older(text);
  }

  /** A word of the older generation, which is in use again. */
  #older(text: string): Shape | undefined {
    const shape = this.#olderWords.get(text);
    if (shape !== undefined) this.set(shape);
    return shape;
  }

  /** Keeps a shape, unless its text is long. */
  set(shape: Shape): void {
    if (shape.text.length > WORD_LENGTH_MAX) return;
    if (this.#words.size >= WORDS_MAX) {
      this.#olderWords = this.#words;
      this.#words = new Map();
    }
    this.#words.set(shape.text, shape);
  }

  /** Whether this was asked of the text a short while ago, as far as a hash can tell. */
  wasSeen(text: string): boolean {
    const { length } = text;
    if (length > WORD_LENGTH_MAX) return false;
    let hash = length;
    for (let index = 0; index < length; index++) {
      hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
    }
    const slot = (hash ^ (hash >>> 15)) & (SEEN_SLOTS - 1);
    if (this.#seen[slot] === hash) return true;
    this.#seen[slot] = hash;
    return false;
  }
}
