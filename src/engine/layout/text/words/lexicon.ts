/**
 * A list of words as a minimal automaton in one array: 40,000 words take some 400 KB, need no
 * parsing, and a look-up makes no garbage. An edge is one number:
 *
 *     bits 31…12 first edge of the state it leads to, 0: none   11 last of its state
 *     bits 10…7  kind of the word that ends with it, 0: none     6…0 letter, less U+0E00
 *
 * Edge 0 is unused; the first state begins at edge 1.
 */
export interface Lexicon {
  readonly edges: Uint32Array;
  /** The edge of each letter at the start of a word, 0: none. */
  readonly first: Uint32Array;
}

/** Kinds of words that the breaker tells apart. */
export const KIND = {
  /** Short and rare: it may as well be part of a word that is not listed. */
  rare: 1,
  word: 2,
  common: 3,
  /** A line ends after it only if much of the line would stay empty: การ, ค่า, นาย. */
  avoids: 4,
  /** No line ends after it: ผู้, ความ. */
  binds: 5,
  digit: 6,
  /** สิบ to ล้าน, which belong to the digit before. */
  multiplier: 7,
  /** Binds the word after it unless that is an everyday one: ค่า, ใบ, ข้อ. */
  head: 8,
  /** Everyday, and never a syllable of a name or loan word, so it ends an unknown word. */
  separator: 9,
  /** English in Thai letters, and trade names. */
  loan: 10,
  /**
   * A compound or phrase of known words: a line ends inside it only if most of it would stay empty.
   */
  phrase: 11,
} as const;

export const LETTER_MASK = 0x7f;
export const KIND_SHIFT = 7;
export const KIND_MASK = 15;
export const LAST = 0x800;
export const TARGET_SHIFT = 12;
const FIRST_LETTER = 0xe00;
const LETTERS = 128;

export function makeLexicon(edges: Uint32Array): Lexicon {
  const first = new Uint32Array(LETTERS);
  for (let edge = 1; edge < edges.length; edge++) {
    const value = edges[edge] ?? 0;
    first[value & LETTER_MASK] = edge;
    if ((value & LAST) !== 0) break;
  }
  return { edges, first };
}

/** Kind of a word in a lexicon; 0 when the lexicon does not have it. */
export function kindOf({ edges, first }: Lexicon, word: string): number {
  let edge = first[word.charCodeAt(0) - FIRST_LETTER] ?? 0;
  for (let at = 1; edge !== 0 && at < word.length; at++) {
    const state = (edges[edge] ?? 0) >>> TARGET_SHIFT;
    edge = state === 0 ? 0 : edgeOf(edges, state, word.charCodeAt(at) - FIRST_LETTER);
  }
  return edge === 0 ? 0 : ((edges[edge] ?? 0) >> KIND_SHIFT) & KIND_MASK;
}

/** The edge of a letter in a state; 0 when there is none. */
export function edgeOf(edges: Uint32Array, state: number, letter: number): number {
  for (let edge = state; ; edge++) {
    const value = edges[edge] as number;
    if ((value & LETTER_MASK) === letter) return edge;
    if ((value & LAST) !== 0) return 0;
  }
}

/** Whether a word is one that a lexicon can hold: Thai letters and marks, no digits or spaces. */
export function isThaiWord(word: string): boolean {
  return /^[\u0e01-\u0e3a\u0e40-\u0e4e]+$/u.test(word);
}

interface State {
  readonly next: Map<number, State>;
  kind: number;
  /** Set once the state is written. */
  at: number;
}

/** Packs words with their kinds; if a word comes twice, its last kind counts. */
export function packWords(words: Iterable<readonly [word: string, kind: number]>): Uint32Array {
  const root = makeState();
  for (const [word, kind] of words) {
    let state = root;
    for (let at = 0; at < word.length; at++) {
      const letter = word.charCodeAt(at) - FIRST_LETTER;
      let next = state.next.get(letter);
      if (next === undefined) {
        next = makeState();
        state.next.set(letter, next);
      }
      state = next;
    }
    state.kind = kind;
  }
  return writeStates(share(root, new Map(), { count: 0 }));
}

function makeState(): State {
  return { next: new Map(), kind: 0, at: 0 };
}

/**
 * Merges equivalent states; returns the one that stands for `state`. The recursion is as deep as the
 * longest word.
 */
function share(state: State, known: Map<string, State>, ids: { count: number }): State {
  let signature = '';
  const letters = [...state.next.keys()].toSorted((one, other) => one - other);
  for (const letter of letters) {
    const next = state.next.get(letter);
    if (next === undefined) continue;
    const shared = share(next, known, ids);
    state.next.set(letter, shared);
    signature += `${letter}:${shared.kind}:${shared.at};`;
  }
  const key = `${state.kind}|${signature}`;
  const same = known.get(key);
  if (same !== undefined) return same;
  // A temporary id for signatures, which `writeStates` overwrites.
  state.at = ++ids.count;
  known.set(key, state);
  return state;
}

function writeStates(root: State): Uint32Array {
  const order: State[] = [];
  const seen = new Set<State>();
  const queue = [root];
  let size = 1;
  for (let state = queue.pop(); state !== undefined; state = queue.pop()) {
    if (seen.has(state)) continue;
    seen.add(state);
    state.at = 0;
    if (state.next.size > 0) {
      state.at = size;
      size += state.next.size;
      order.push(state);
    }
    queue.push(...state.next.values());
  }
  const edges = new Uint32Array(size);
  for (const state of order) {
    let edge = state.at;
    const letters = [...state.next.keys()].toSorted((one, other) => one - other);
    for (const letter of letters) {
      const next = state.next.get(letter);
      if (next === undefined) continue;
      edges[edge++] = ((next.at << TARGET_SHIFT) | (next.kind << KIND_SHIFT) | letter) >>> 0;
    }
    edges[edge - 1] = ((edges[edge - 1] ?? 0) | LAST) >>> 0;
  }
  return edges;
}
