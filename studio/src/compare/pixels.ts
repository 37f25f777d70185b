import { isSameDistance, movedAt, type Moves } from './rows.ts';

/** Side of the squares that mark changes, in pixels of the drawn page. */
const SQUARE_PX = 8;
/** Differences up to this value, out of 255, come from anti-aliasing of glyph edges. */
const TOLERANCE = 24;

export interface PageDifference {
  /** Pixels that differ. */
  readonly differing: number;
  /** Whether a place differs that has not just moved. */
  readonly hasChanged: boolean;
  /** Marks the differing squares and is transparent elsewhere; null when nothing differs. */
  readonly marks: HTMLCanvasElement | null;
}

/** How rows of the older page moved, and drawings of that page moved by each of the distances. */
export interface MovedPages {
  readonly moves: Moves;
  readonly drawings: readonly HTMLCanvasElement[];
  /** Pixels per point. */
  readonly scale: number;
}

/** States of a square of the page. */
const SAME = 0;
const CHANGED = 1;
const MOVED = 2;

/**
 * Compares two drawn pages. Content that only one of them has counts as changed. A square counts as
 * moved if it looks as the older page does there once that page is moved as the row of text is.
 */
export function comparePages(
  before: HTMLCanvasElement | null,
  after: HTMLCanvasElement | null,
  moved: MovedPages | null = null,
): PageDifference {
  const width = Math.max(before?.width ?? 0, after?.width ?? 0);
  const height = Math.max(before?.height ?? 0, after?.height ?? 0);
  const old = pixelsOf(before, width, height);
  const now = pixelsOf(after, width, height);
  const columns = Math.ceil(width / SQUARE_PX);
  const squares = new Uint8Array(columns * Math.ceil(height / SQUARE_PX));
  let differing = 0;
  for (let at = 0; at < width * height; at += 1) {
    if (!differs(old, now, at * 4)) continue;
    differing += 1;
    const row = Math.floor(at / width / SQUARE_PX);
    squares[row * columns + Math.floor((at % width) / SQUARE_PX)] = CHANGED;
  }
  if (differing === 0) return { differing, hasChanged: false, marks: null };
  if (moved !== null) findMoved({ squares, columns, width, height }, now, moved);
  const hasChanged = squares.includes(CHANGED);
  return { differing, hasChanged, marks: draw({ squares, columns, width, height }) };
}

/** The squares of a page, row by row, and the page's size in pixels. */
interface Squares {
  readonly squares: Uint8Array;
  readonly columns: number;
  readonly width: number;
  readonly height: number;
}

/** Turns changed squares that only moved into moved ones. */
function findMoved(page: Squares, now: Uint8ClampedArray, moved: MovedPages): void {
  const { squares, columns, width, height } = page;
  const { moves, drawings, scale } = moved;
  const shifted = drawings.map((drawing) => pixelsOf(drawing, width, height));
  const paper = new Uint8ClampedArray(now.length).fill(255);
  for (const [index, state] of squares.entries()) {
    if (state !== CHANGED) continue;
    const y = Math.floor(index / columns) * SQUARE_PX;
    const heights = [y, y + SQUARE_PX / 2, y + SQUARE_PX - 1].map((px) => px / scale);
    const isMoved = heights.some((at) => {
      const down = movedAt(moves.after, at);
      if (down === null) return false;
      const which = moves.distances.findIndex((one) => isSameDistance(one, down));
      const drawing = shifted[which];
      return drawing !== undefined && isSameSquare(page, index, drawing, now);
    });
    // The row that was here has moved away, and the place is empty now.
    const isLeft = (): boolean =>
      heights.every((at) => movedAt(moves.before, at) !== null) &&
      isSameSquare(page, index, paper, now);
    if (isMoved || isLeft()) squares[index] = MOVED;
  }
}

/** Whether two pages look the same in a square. */
function isSameSquare(
  { columns, width, height }: Squares,
  index: number,
  one: Uint8ClampedArray,
  other: Uint8ClampedArray,
): boolean {
  const [left, top] = [(index % columns) * SQUARE_PX, Math.floor(index / columns) * SQUARE_PX];
  const [right, bottom] = [Math.min(width, left + SQUARE_PX), Math.min(height, top + SQUARE_PX)];
  for (let y = top; y < bottom; y += 1) {
    for (let x = left; x < right; x += 1) {
      if (differs(one, other, (y * width + x) * 4)) return false;
    }
  }
  return true;
}

function differs(old: Uint8ClampedArray, now: Uint8ClampedArray, at: number): boolean {
  for (let channel = at; channel < at + 3; channel += 1) {
    if (Math.abs((old[channel] ?? 0) - (now[channel] ?? 0)) > TOLERANCE) return true;
  }
  return false;
}

/** The pixels of a page drawn on white paper of the given size. */
function pixelsOf(
  page: HTMLCanvasElement | null,
  width: number,
  height: number,
): Uint8ClampedArray {
  const canvas = new OffscreenCanvas(Math.max(1, width), Math.max(1, height));
  const context = canvas.getContext('2d', { willReadFrequently: true });
  if (context === null) throw new Error('the browser draws no pictures');
  context.fillStyle = page === null ? '#808080' : '#fff';
  context.fillRect(0, 0, width, height);
  if (page !== null) context.drawImage(page, 0, 0);
  return context.getImageData(0, 0, Math.max(1, width), Math.max(1, height)).data;
}

function draw({ squares, columns, width, height }: Squares): HTMLCanvasElement {
  const canvas = document.createElement('canvas');
  canvas.width = width;
  canvas.height = height;
  const context = canvas.getContext('2d');
  if (context === null) throw new Error('the browser draws no pictures');
  for (const [index, state] of squares.entries()) {
    if (state === SAME) continue;
    context.fillStyle = state === CHANGED ? 'rgb(214 40 40 / 30%)' : 'rgb(40 90 200 / 10%)';
    const x = (index % columns) * SQUARE_PX;
    const y = Math.floor(index / columns) * SQUARE_PX;
    context.fillRect(x, y, SQUARE_PX, SQUARE_PX);
  }
  return canvas;
}
