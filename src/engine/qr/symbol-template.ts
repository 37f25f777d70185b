import {
  alignmentCentres,
  LEVEL_BITS,
  rawBitCount,
  sizeOf,
  type EccLevel,
  VERSION_MAX,
} from './tables.ts';

const MASK_COUNT = 8;

/**
 * The part that all symbols of one version share, as 32-bit words. A symbol is held twice, by rows
 * and by columns ("lines"), so that neighbours along a line of the one are neighbouring words of
 * the other:
 *
 *   word[w · size + line], bit b  =  module 32·w + b of that line
 *
 * Unused bits of the last word column are 0.
 */
export interface SymbolTemplate {
  readonly size: number;
  /** Word columns: ⌈size / 32⌉. */
  readonly words: number;
  /** Valid bits of the last word column. */
  readonly lastMask: number;
  /** Where the k-th bit of the codeword stream lies: (word index << 5) | bit, by rows. */
  readonly order: Uint16Array;
  /**
   * Function patterns, format information and the mask over the data region, XORed: a symbol is
   * these words XOR its data bits. The words of the eight masks stand side by side.
   */
  readonly rowBases: Int32Array;
  readonly columnBases: Int32Array;
}

/** Module grids while a template is made: 1 dark, 0 light. */
interface ModuleGrid {
  readonly size: number;
  readonly dark: Uint8Array;
  readonly reserved: Uint8Array;
}

function put(grid: ModuleGrid, row: number, column: number, dark: boolean): void {
  const at = row * grid.size + column;
  grid.dark[at] = dark ? 1 : 0;
  grid.reserved[at] = 1;
}

/** Finder pattern with its separator (§6.3.3, 6.3.4), clipped at the symbol's edge. */
function putFinder(grid: ModuleGrid, top: number, left: number): void {
  for (let i = -1; i <= 7; i++) {
    for (let j = -1; j <= 7; j++) {
      const row = top + i;
      const column = left + j;
      if (row < 0 || column < 0 || row >= grid.size || column >= grid.size) continue;
      const ring = Math.max(Math.abs(i - 3), Math.abs(j - 3));
      put(grid, row, column, ring !== 2 && ring !== 4);
    }
  }
}

function putFunctionPatterns(grid: ModuleGrid, version: number): void {
  const { size } = grid;
  for (let i = 0; i < size; i++) {
    put(grid, 6, i, i % 2 === 0);
    put(grid, i, 6, i % 2 === 0);
  }
  putFinder(grid, 0, 0);
  putFinder(grid, 0, size - 7);
  putFinder(grid, size - 7, 0);
  const centres = alignmentCentres(version);
  for (const row of centres) {
    for (const column of centres) {
      const inFinder =
        (row === 6 && (column === 6 || column === size - 7)) || (row === size - 7 && column === 6);
      if (inFinder) continue;
      for (let i = -2; i <= 2; i++) {
        for (let j = -2; j <= 2; j++) {
          put(grid, row + i, column + j, Math.max(Math.abs(i), Math.abs(j)) !== 1);
        }
      }
    }
  }
  if (version >= 7) putVersion(grid, version);
}

/** Version information, Golay (18, 6) (§7.10). */
function putVersion(grid: ModuleGrid, version: number): void {
  const code = (version << 12) | bchRemainder(version << 12, 0x1f25, 12);
  for (let k = 0; k < 18; k++) {
    const far = grid.size - 11 + (k % 3);
    const near = Math.floor(k / 3);
    put(grid, far, near, ((code >> k) & 1) === 1);
    put(grid, near, far, ((code >> k) & 1) === 1);
  }
}

/**
 * Rows of the format bits, from bit 0, in the column beside the left finder patterns, and their
 * columns in the row below the upper ones (§7.9.1). Both skip the timing patterns at 6.
 */
function formatPlaces(size: number): { readonly rows: number[]; readonly columns: number[] } {
  const rows = [0, 1, 2, 3, 4, 5, 7, 8];
  for (let row = size - 7; row < size; row++) rows.push(row);
  const columns: number[] = [];
  for (let column = size - 1; column >= size - 8; column--) columns.push(column);
  columns.push(7, 5, 4, 3, 2, 1, 0);
  return { rows, columns };
}

/** Format information, BCH (15, 5) with its mask (§7.9), in both copies; and the dark module. */
function putFormat(grid: ModuleGrid, levelBits: number, mask: number): void {
  const { size } = grid;
  const data = (levelBits << 3) | mask;
  const code = ((data << 10) | bchRemainder(data << 10, 0x537, 10)) ^ 0x5412;
  const { rows, columns } = formatPlaces(size);
  for (const [bit, row] of rows.entries()) put(grid, row, 8, ((code >> bit) & 1) === 1);
  for (const [bit, column] of columns.entries()) put(grid, 8, column, ((code >> bit) & 1) === 1);
  put(grid, size - 8, 8, true);
}

/** The remainder of a division of polynomials over GF(2). */
function bchRemainder(value: number, polynomial: number, degree: number): number {
  let rest = value;
  for (let bit = 31 - Math.clz32(rest); rest >> degree !== 0; bit = 31 - Math.clz32(rest)) {
    rest ^= polynomial << (bit - degree);
  }
  return rest;
}

/** The mask conditions of Table 10. */
function isMasked(mask: number, i: number, j: number): boolean {
  const product = i * j;
  switch (mask) {
    case 0:
      return (i + j) % 2 === 0;
    case 1:
      return i % 2 === 0;
    case 2:
      return j % 3 === 0;
    case 3:
      return (i + j) % 3 === 0;
    case 4:
      return ((i >> 1) + Math.floor(j / 3)) % 2 === 0;
    case 5:
      return (product % 2) + (product % 3) === 0;
    case 6:
      return ((product % 2) + (product % 3)) % 2 === 0;
    default:
      return (((i + j) % 2) + (product % 3)) % 2 === 0;
  }
}

/** Placement of the stream: two-module columns from the right, up and down in turn (§7.7.3). */
function moduleOrder(grid: ModuleGrid, bitCount: number): Uint16Array {
  const { size } = grid;
  const order = new Uint16Array(bitCount);
  let k = 0;
  let upward = true;
  for (let right = size - 1; right >= 1; right -= 2) {
    const isTimingColumn = right === 6;
    if (isTimingColumn) right = 5;
    for (let step = 0; step < size; step++) {
      const row = upward ? size - 1 - step : step;
      for (let column = right; column > right - 2; column--) {
        if (grid.reserved[row * size + column] === 1) continue;
        order[k++] = (((column >> 5) * size + row) << 5) | (column & 31);
      }
    }
    upward = !upward;
  }
  return order;
}

/** Writes function patterns and masked data region to the words of a mask, by columns or by rows. */
function putWords(grid: ModuleGrid, mask: number, bases: Int32Array, byColumns: boolean): void {
  const { size } = grid;
  for (let row = 0; row < size; row++) {
    for (let column = 0; column < size; column++) {
      const at = row * size + column;
      const dark = grid.reserved[at] === 1 ? grid.dark[at] === 1 : isMasked(mask, row, column);
      if (!dark) continue;
      const line = byColumns ? column : row;
      const place = byColumns ? row : column;
      bases[((place >> 5) * size + line) * MASK_COUNT + mask]! |= 1 << (place & 31);
    }
  }
}

function makeTemplate(version: number, level: EccLevel): SymbolTemplate {
  const size = sizeOf(version);
  const words = (size + 31) >> 5;
  const grid: ModuleGrid = {
    size,
    dark: new Uint8Array(size * size),
    reserved: new Uint8Array(size * size),
  };
  putFunctionPatterns(grid, version);
  const rowBases = new Int32Array(words * size * MASK_COUNT);
  const columnBases = new Int32Array(words * size * MASK_COUNT);
  for (let mask = 0; mask < MASK_COUNT; mask++) {
    putFormat(grid, LEVEL_BITS[level], mask);
    putWords(grid, mask, rowBases, false);
    putWords(grid, mask, columnBases, true);
  }
  const lastBits = size - 32 * (words - 1);
  return {
    size,
    words,
    lastMask: lastBits === 32 ? -1 : (1 << lastBits) - 1,
    order: moduleOrder(grid, rawBitCount(version)),
    rowBases,
    columnBases,
  };
}

/** At most 160 entries (about 8 MB when every version and level was used), usually one or two. */
const templates: (SymbolTemplate | undefined)[] = Array.from({ length: (VERSION_MAX + 1) * 4 });

/** The shared parts of a version at a level; made once (about 1 ms), then kept. */
export function templateOf(version: number, level: EccLevel): SymbolTemplate {
  const at = version * 4 + LEVEL_BITS[level];
  const known = templates[at];
  if (known !== undefined) return known;
  const made = makeTemplate(version, level);
  templates[at] = made;
  return made;
}
