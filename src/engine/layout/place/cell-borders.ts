import type { GridCell } from '../box/table/table-box.ts';
import type { Rgb } from '../../model/style.ts';

/** Indices of the sides in the border of a cell. */
const LEFT = 0;
const TOP = 1;
const RIGHT = 2;
const BOTTOM = 3;
type Side = typeof LEFT | typeof TOP | typeof RIGHT | typeof BOTTOM;

/**
 * The borders that two neighbouring cells share. One is drawn if either cell has a border on that
 * side; null stands for a neighbour outside of the table.
 */
export class CellBorders {
  /** Whether cells without borders in the template have them on all sides. */
  readonly #default: boolean;

  constructor(defaultBorder: boolean) {
    this.#default = defaultBorder;
  }

  isBetweenRows(above: GridCell | null, below: GridCell | null): boolean {
    return this.#has(above, BOTTOM) || this.#has(below, TOP);
  }

  isBetweenColumns(left: GridCell | null, right: GridCell | null): boolean {
    return this.#has(right, LEFT) || this.#has(left, RIGHT);
  }

  /** The color that one of the cells gives to their shared border; null: the table decides. */
  colorBetweenRows(above: GridCell | null, below: GridCell | null): Rgb | null {
    return this.#color(above, BOTTOM) ?? this.#color(below, TOP);
  }

  colorBetweenColumns(left: GridCell | null, right: GridCell | null): Rgb | null {
    return this.#color(left, RIGHT) ?? this.#color(right, LEFT);
  }

  #has(cell: GridCell | null, side: Side): boolean {
    if (cell === null) return false;
    const { border } = cell.spec;
    return border === null ? this.#default : border[side];
  }

  #color(cell: GridCell | null, side: Side): Rgb | null {
    const colors = cell?.spec.borderColor ?? null;
    return colors !== null && this.#has(cell, side) ? colors[side] : null;
  }
}
