import { compareLines } from './lines.ts';
import { composed, type TextPiece } from './page-text.ts';

/** All text on one baseline of a page, across its columns. Lengths are in points. */
export interface TextRow {
  /** The texts with their places across the page: rows with the same key look the same. */
  readonly key: string;
  /** Distance of the baseline from the top of the page. */
  readonly baseline: number;
  /** Size of the largest text. */
  readonly size: number;
}

/** A horizontal band of a page, with a row of text in it. */
export interface Band {
  /** Where it ends, in points from the top of the page; it begins where the one before it ends. */
  readonly end: number;
  /** How far its row has moved down; null: the other page lacks the row. */
  readonly down: number | null;
}

/** Where the rows of two pages are, and how far they moved. */
export interface Moves {
  /** Bands of the older page. */
  readonly before: readonly Band[];
  /** Bands of the newer page. */
  readonly after: readonly Band[];
  /** The distances that rows moved down, the most frequent first; without 0. */
  readonly distances: readonly number[];
  /** Number of rows that moved. */
  readonly count: number;
}

/** Baselines that differ by less than this share of the size are one row. */
const ROW_EM = 0.4;
/** How far letters reach above and below the baseline. */
const ASCENT_EM = 1;
const DESCENT_EM = 0.35;
/** Movement up to this, in points, is none. */
const STILL_PT = 0.05;
/** Distances that are told apart; each costs a drawing of the page. */
const DISTANCES_MAX = 3;
/** Rows of pages with more are not compared. */
const ROWS_MAX = 400;

/** The rows of a page from its top. `place` turns coordinates of the file into those of the page. */
export function pageRows(
  pieces: readonly TextPiece[],
  place: (x: number, y: number) => readonly unknown[],
): readonly TextRow[] {
  const placed = pieces
    .filter(({ str, height }) => str.trim() !== '' && height > 0)
    .map(({ str, transform, height }) => {
      const [x, y] = place(Number(transform[4]), Number(transform[5])).map(Number);
      return { str: composed(str).trim(), x: x ?? 0, y: y ?? 0, size: height };
    })
    .toSorted((one, other) => one.y - other.y);
  const rows: (typeof placed)[number][][] = [];
  for (const piece of placed) {
    const row = rows.at(-1);
    const first = row?.[0];
    const isNear =
      first !== undefined && piece.y - first.y <= ROW_EM * Math.min(piece.size, first.size);
    if (isNear) row?.push(piece);
    else rows.push([piece]);
  }
  return rows.map((row) => {
    const sorted = row.toSorted((one, other) => one.x - other.x);
    const key = sorted.map(({ str, x, size }) => [Math.round(x), size.toFixed(1), str].join(' '));
    const size = Math.max(...row.map((piece) => piece.size));
    return { key: key.join('\t').replaceAll('\n', ' '), baseline: row[0]?.y ?? 0, size };
  });
}

/**
 * Which rows of two pages are the same and only stand higher or lower. Rows that changed their order
 * are not: an amount beside another name is a change.
 */
export function findMoves(before: readonly TextRow[], after: readonly TextRow[]): Moves {
  const none = { before: [], after: [], distances: [], count: 0 };
  if (before.length > ROWS_MAX || after.length > ROWS_MAX) return none;
  const [downBefore, downAfter] = [new Map<number, number>(), new Map<number, number>()];
  for (const [i, j] of samePairs(before, after)) {
    const by = (after[j]?.baseline ?? 0) - (before[i]?.baseline ?? 0);
    const down = Math.abs(by) <= STILL_PT ? 0 : by;
    downBefore.set(i, down);
    downAfter.set(j, down);
  }
  const moved = [...downAfter.values()].filter((down) => down !== 0);
  return {
    before: bandsOf(before, downBefore),
    after: bandsOf(after, downAfter),
    distances: mostFrequent(moved).slice(0, DISTANCES_MAX),
    count: moved.length,
  };
}

/** Indexes of the rows that both pages have, in their order. */
function samePairs(
  before: readonly TextRow[],
  after: readonly TextRow[],
): readonly (readonly [number, number])[] {
  const textOf = (rows: readonly TextRow[]): string => rows.map(({ key }) => key).join('\n');
  const pairs: (readonly [number, number])[] = [];
  const changes = compareLines(textOf(before), textOf(after)).values();
  let next = changes.next();
  let [i, j] = [0, 0];
  while (i < before.length && j < after.length) {
    const change = next.done === true ? undefined : next.value;
    // As compareLines does: rows that are equal are common to both pages.
    if (before[i]?.key === after[j]?.key) {
      pairs.push([i, j]);
      i += 1;
      j += 1;
    } else if (change === undefined) return pairs;
    else {
      if (change.kind === 'removed') i += 1;
      else j += 1;
      next = changes.next();
    }
  }
  return pairs;
}

/** Each band ends halfway between its row and the next one; the last reaches beyond the page. */
function bandsOf(rows: readonly TextRow[], downs: ReadonlyMap<number, number>): readonly Band[] {
  return rows.map(({ baseline, size }, index) => {
    const next = rows[index + 1];
    const down = downs.get(index) ?? null;
    if (next === undefined) return { end: Number.POSITIVE_INFINITY, down };
    const bottom = baseline + DESCENT_EM * size;
    const top = next.baseline - ASCENT_EM * next.size;
    return { end: (bottom + top) / 2, down };
  });
}

/** The distances, those that are as good as equal once, the most frequent first. */
function mostFrequent(distances: readonly number[]): readonly number[] {
  const groups: { readonly distance: number; count: number }[] = [];
  for (const distance of distances) {
    const group = groups.find((one) => isSameDistance(one.distance, distance));
    if (group === undefined) groups.push({ distance, count: 1 });
    else group.count += 1;
  }
  return groups.toSorted((one, other) => other.count - one.count).map(({ distance }) => distance);
}

export function isSameDistance(one: number, other: number): boolean {
  return Math.abs(one - other) <= STILL_PT;
}

/** How far the row at a height of a page moved; null: it did not, or the other page lacks it. */
export function movedAt(bands: readonly Band[], y: number): number | null {
  const down = bands.find(({ end }) => y < end)?.down ?? null;
  return down === 0 ? null : down;
}
