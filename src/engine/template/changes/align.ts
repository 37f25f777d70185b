/** Index of an item in the older and in the newer list; null: that list lacks it. */
export interface Pairing {
  readonly before: number | null;
  readonly after: number | null;
}

/** Bounds of the pairs of items that are compared: for two lists, and for all lists of a comparison. */
interface Bounds {
  readonly ofLists: number;
  readonly ofAll: number;
}

/** Beyond these, equal items are found by those that occur once in both lists. */
const EQUAL_MAX: Bounds = { ofLists: 250_000, ofAll: 4_000_000 };
/** Beyond these, items between equal ones are paired by their order. A pair takes some µs. */
const SIMILAR_MAX: Bounds = { ofLists: 2_500, ofAll: 100_000 };
/** Weight of a pair of items without any similarity. Other pairs weigh their similarity, 0 to 1. */
const UNLIKE_WEIGHT = 0.1;

/** One of two lists: items with equal numbers are equal, and the text of an item shows what it is like. */
export interface Alignable {
  readonly items: readonly number[];
  readonly textOf: (index: number) => string;
}

/** The pairs that a comparison may still compare: a draft can hold thousands of long lists. */
export class AlignmentBudget {
  #equalLeft = EQUAL_MAX.ofAll;
  #similarLeft = SIMILAR_MAX.ofAll;

  /** Whether this many pairs may be compared for equality. */
  takeEqual(pairs: number): boolean {
    if (pairs > Math.min(this.#equalLeft, EQUAL_MAX.ofLists)) return false;
    this.#equalLeft -= pairs;
    return true;
  }

  /** Whether this many pairs may be compared for similarity. */
  takeSimilar(pairs: number): boolean {
    if (pairs > Math.min(this.#similarLeft, SIMILAR_MAX.ofLists)) return false;
    this.#similarLeft -= pairs;
    return true;
  }
}

/** Indexes of one list: from `start` up to, not including, `end`. */
interface Range {
  readonly start: number;
  readonly end: number;
}

/**
 * Pairs the items of two lists, in their order. Equal items are paired first, by a longest common
 * subsequence; what lies between two of those pairs is paired by similarity, so that an inserted
 * item is one insertion and the items after it keep their partners.
 */
export function alignLists(
  before: Alignable,
  after: Alignable,
  budget: AlignmentBudget,
): readonly Pairing[] {
  const pairs: Pairing[] = [];
  const [head, tail] = commonEnds(before.items, after.items);
  for (let index = 0; index < head; index += 1) pairs.push({ before: index, after: index });
  const old = { start: head, end: before.items.length - tail };
  const now = { start: head, end: after.items.length - tail };
  let [oldAt, newAt] = [old.start, now.start];
  const pairUpTo = (oldEnd: number, newEnd: number): void => {
    const oldGap = { start: oldAt, end: oldEnd };
    const newGap = { start: newAt, end: newEnd };
    for (const pair of similarPairs(before, after, oldGap, newGap, budget)) pairs.push(pair);
    [oldAt, newAt] = [oldEnd + 1, newEnd + 1];
  };
  for (const [oldIndex, newIndex] of equalPairs(before.items, after.items, old, now, budget)) {
    pairUpTo(oldIndex, newIndex);
    pairs.push({ before: oldIndex, after: newIndex });
  }
  pairUpTo(old.end, now.end);
  for (let index = 0; index < tail; index += 1) {
    pairs.push({ before: old.end + index, after: now.end + index });
  }
  return pairs;
}

/** How many items two lists share at their start and, after those, at their end. */
function commonEnds(before: readonly number[], after: readonly number[]): [number, number] {
  const shorter = Math.min(before.length, after.length);
  let head = 0;
  while (head < shorter && before[head] === after[head]) head += 1;
  let tail = 0;
  while (tail < shorter - head && before.at(-1 - tail) === after.at(-1 - tail)) tail += 1;
  return [head, tail];
}

/** Indexes of equal items, ascending in both lists. */
function equalPairs(
  before: readonly number[],
  after: readonly number[],
  old: Range,
  now: Range,
  budget: AlignmentBudget,
): readonly (readonly [number, number])[] {
  const [height, width] = [old.end - old.start, now.end - now.start];
  if (height === 0 || width === 0) return [];
  if (!budget.takeEqual(height * width)) return uniquePairs(before, after, old, now);
  const weigh = (i: number, j: number): number =>
    before[old.start + i] === after[now.start + j] ? 1 : 0;
  return heaviestPairs(height, width, weigh).map(
    ([i, j]) => [old.start + i, now.start + j] as const,
  );
}

/** Pairs the items that occur once in both lists, where they keep their order. */
function uniquePairs(
  before: readonly number[],
  after: readonly number[],
  old: Range,
  now: Range,
): readonly (readonly [number, number])[] {
  const oldIndexes = singleIndexes(before, old);
  const newIndexes = singleIndexes(after, now);
  const both: (readonly [number, number])[] = [];
  for (const [item, oldIndex] of oldIndexes) {
    const newIndex = newIndexes.get(item) ?? -1;
    if (oldIndex >= 0 && newIndex >= 0) both.push([oldIndex, newIndex]);
  }
  return longestAscending(both);
}

/** Where each item stands; -1 for one that stands in several places. */
function singleIndexes(list: readonly number[], { start, end }: Range): Map<number, number> {
  const indexes = new Map<number, number>();
  for (let index = start; index < end; index += 1) {
    const item = list[index] ?? 0;
    indexes.set(item, indexes.has(item) ? -1 : index);
  }
  return indexes;
}

/** The longest run of pairs, sorted by the first index, whose second index ascends (patience). */
function longestAscending(
  pairs: readonly (readonly [number, number])[],
): readonly (readonly [number, number])[] {
  // tails[length - 1]: index in `pairs` of the smallest last pair of a run of that length.
  const tails: number[] = [];
  const previous = new Int32Array(pairs.length).fill(-1);
  for (const [at, [, newIndex]] of pairs.entries()) {
    let [low, high] = [0, tails.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((pairs[tails[middle] ?? 0]?.[1] ?? 0) < newIndex) low = middle + 1;
      else high = middle;
    }
    previous[at] = low === 0 ? -1 : (tails[low - 1] ?? -1);
    tails[low] = at;
  }
  const run: (readonly [number, number])[] = [];
  for (let at = tails.at(-1) ?? -1; at >= 0; at = previous[at] ?? -1) {
    const pair = pairs[at];
    if (pair !== undefined) run.push(pair);
  }
  return run.toReversed();
}

/** Pairs what lies between two pairs of equal items; items without a partner stay alone. */
function similarPairs(
  before: Alignable,
  after: Alignable,
  old: Range,
  now: Range,
  budget: AlignmentBudget,
): readonly Pairing[] {
  const [height, width] = [old.end - old.start, now.end - now.start];
  if (height === 0 && width === 0) return [];
  const partners = new Map<number, number>();
  if (!budget.takeSimilar(height * width)) {
    const shorter = Math.min(height, width);
    for (let index = 0; index < shorter; index += 1) partners.set(index, index);
  } else if (height > 0 && width > 0) {
    const oldPieces = allPieces(before, old);
    const newPieces = allPieces(after, now);
    const weigh = (i: number, j: number): number =>
      UNLIKE_WEIGHT + similarity(oldPieces[i] ?? NO_PIECES, newPieces[j] ?? NO_PIECES);
    for (const [i, j] of heaviestPairs(height, width, weigh)) partners.set(i, j);
  }
  const pairs: Pairing[] = [];
  let next = now.start;
  for (let index = 0; index < height; index += 1) {
    const partner = partners.get(index);
    const end = partner === undefined ? next : now.start + partner;
    for (; next < end; next += 1) pairs.push({ before: null, after: next });
    pairs.push({ before: old.start + index, after: partner === undefined ? null : end });
    if (partner !== undefined) next = end + 1;
  }
  for (; next < now.end; next += 1) pairs.push({ before: null, after: next });
  return pairs;
}

const NO_PIECES = new Uint32Array();

function allPieces({ textOf }: Alignable, { start, end }: Range): readonly Uint32Array[] {
  return Array.from({ length: end - start }, (_, index) => piecesOf(textOf(start + index)));
}

/**
 * The distinct pairs of neighbouring characters, each as one number, in ascending order. They exist in
 * scripts without spaces between words, too.
 */
function piecesOf(text: string): Uint32Array {
  const pieces = new Set<number>();
  for (let at = 1; at < text.length; at += 1) {
    pieces.add(text.charCodeAt(at - 1) * 0x10000 + text.charCodeAt(at));
  }
  return Uint32Array.from(pieces).toSorted();
}

/** Dice's coefficient: 0 for nothing in common, 1 for the same pieces. */
function similarity(one: Uint32Array, other: Uint32Array): number {
  const total = one.length + other.length;
  if (total === 0) return 0;
  let common = 0;
  for (let i = 0, j = 0; i < one.length && j < other.length;) {
    const difference = (one[i] ?? 0) - (other[j] ?? 0);
    if (difference === 0) common += 1;
    if (difference <= 0) i += 1;
    if (difference >= 0) j += 1;
  }
  return (2 * common) / total;
}

/**
 * The pairs of indexes, ascending on both sides, whose weights have the greatest sum; pairs of weight
 * 0 are left out. Takes time and memory in proportion to height times width.
 */
function heaviestPairs(
  height: number,
  width: number,
  weigh: (i: number, j: number) => number,
): readonly (readonly [number, number])[] {
  const columns = width + 1;
  // best[i * columns + j]: the greatest sum that the items from i and from j on can have.
  const best = new Float64Array((height + 1) * columns);
  const weights = new Float64Array(height * width);
  const at = (i: number, j: number): number => best[i * columns + j] ?? 0;
  for (let i = height - 1; i >= 0; i -= 1) {
    for (let j = width - 1; j >= 0; j -= 1) {
      const weight = weigh(i, j);
      weights[i * width + j] = weight;
      const paired = weight === 0 ? 0 : weight + at(i + 1, j + 1);
      best[i * columns + j] = Math.max(paired, at(i + 1, j), at(i, j + 1));
    }
  }
  const pairs: (readonly [number, number])[] = [];
  let [i, j] = [0, 0];
  while (i < height && j < width) {
    const weight = weights[i * width + j] ?? 0;
    if (weight > 0 && at(i, j) === weight + at(i + 1, j + 1)) {
      pairs.push([i, j]);
      i += 1;
      j += 1;
    } else if (at(i, j) === at(i + 1, j)) i += 1;
    else j += 1;
  }
  return pairs;
}
