/** Side of the squares that mark changes, in pixels of the drawn page. */
const SQUARE_PX = 8;
/** Differences up to this value, out of 255, come from anti-aliasing of glyph edges. */
const TOLERANCE = 24;

export interface PageDifference {
  /** Pixels that differ. */
  readonly changed: number;
  /** Marks the changed squares and is transparent elsewhere; null when nothing differs. */
  readonly marks: HTMLCanvasElement | null;
}

/** Compares two drawn pages. Content that only one of them has counts as changed. */
export function comparePages(
  before: HTMLCanvasElement | null,
  after: HTMLCanvasElement | null,
): PageDifference {
  const width = Math.max(before?.width ?? 0, after?.width ?? 0);
  const height = Math.max(before?.height ?? 0, after?.height ?? 0);
  const old = pixelsOf(before, width, height);
  const now = pixelsOf(after, width, height);
  const columns = Math.ceil(width / SQUARE_PX);
  const squares = new Uint8Array(columns * Math.ceil(height / SQUARE_PX));
  let changed = 0;
  for (let at = 0; at < width * height; at += 1) {
    if (!differs(old, now, at * 4)) continue;
    changed += 1;
    const row = Math.floor(at / width / SQUARE_PX);
    squares[row * columns + Math.floor((at % width) / SQUARE_PX)] = 1;
  }
  return { changed, marks: changed === 0 ? null : draw(squares, columns, width, height) };
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

function draw(
  squares: Uint8Array,
  columns: number,
  width: number,
  height: number,
): HTMLCanvasElement {
  const canvas = document.createElement('canvas');
  canvas.width = width;
  canvas.height = height;
  const context = canvas.getContext('2d');
  if (context === null) throw new Error('the browser draws no pictures');
  context.fillStyle = 'rgb(214 40 40 / 30%)';
  for (const [index, isChanged] of squares.entries()) {
    if (isChanged === 0) continue;
    const x = (index % columns) * SQUARE_PX;
    const y = Math.floor(index / columns) * SQUARE_PX;
    context.fillRect(x, y, SQUARE_PX, SQUARE_PX);
  }
  return canvas;
}
