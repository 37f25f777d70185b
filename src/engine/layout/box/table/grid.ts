import type { TableCell } from '../../../model/nodes.ts';
import type { Box } from '../blocks.ts';
import { type Border, type CellSpec, type GridCell } from './table-box.ts';

/** A row span that still covers rows below its start. */
interface OpenSpan {
  readonly cell: TableCell;
  /** Rows of the span already seen. */
  rowsSeen: number;
}

/**
 * Lays cells out in a grid, row by row from the top, and knows which slots are covered by the spans
 * of cells above and to the left.
 */
export class CellGrid {
  readonly #columnCount: number;
  /** By column: the span that reaches into the next row; the same object in all its columns. */
  readonly #open: (OpenSpan | null)[];

  constructor(columnCount: number) {
    this.#columnCount = columnCount;
    this.#open = Array<OpenSpan | null>(columnCount).fill(null);
  }

  /** Whether no span reaches into the next row. */
  get isFree(): boolean {
    return this.#open.every((span) => span === null);
  }

  /**
   * Lays out the next row. `cells` are by column, null where none begins; `boxOf` makes their boxes.
   */
  addRow(
    cells: readonly (TableCell | null)[],
    boxOf: (cell: TableCell, column: number) => Box,
  ): GridCell[] {
    const row: GridCell[] = [];
    while (row.length < this.#columnCount) {
      const column = row.length;
      const span = this.#open[column] ?? null;
      if (span !== null) {
        this.#cover(row, span);
        continue;
      }
      const cell = cells[column] ?? null;
      if (cell === null) {
        row.push(EMPTY_SLOT);
        continue;
      }
      this.#start(row, cell, boxOf(cell, column));
    }
    return row;
  }

  /** Adds the slots of a cell that begins in this row. */
  #start(row: GridCell[], cell: TableCell, box: Box): void {
    const column = row.length;
    const colSpan = Math.min(cell.colSpan, this.#columnCount - column);
    row.push({ spec: specOf(cell, colSpan), box });
    // As in pdfmake, these slots have the cell's border but not its border color.
    for (let offset = 1; offset < colSpan; offset++) {
      row.push({ spec: { ...BARE, border: borderAt(cell, offset, 0, colSpan) }, box: null });
    }
    if (cell.rowSpan > 1) {
      // All columns of the span share this object, which counts its rows.
      const span: OpenSpan = { cell, rowsSeen: 1 };
      for (let offset = 0; offset < colSpan; offset++) this.#open[column + offset] = span;
    }
  }

  /** Adds the slots of this row that a span from above covers. */
  #cover(slots: GridCell[], span: OpenSpan): void {
    const { cell, rowsSeen: row } = span;
    const first = slots.length;
    let colSpan = 0;
    while (this.#open[first + colSpan] === span) colSpan++;
    const isLastRow = row + 1 === cell.rowSpan;
    for (let offset = 0; offset < colSpan; offset++) {
      const spec: CellSpec = {
        ...BARE,
        colSpan: offset === 0 ? colSpan : 1,
        border: borderAt(cell, offset, row, colSpan),
        borderColor: cell.borderColor,
        fill: cell.fill,
        fillOpacity: cell.fillOpacity,
        isBelowSpanStart: true,
        endsSpan: isLastRow && offset === colSpan - 1,
      };
      slots.push({ spec, box: null });
    }
    span.rowsSeen++;
    if (isLastRow) this.#open.fill(null, first, first + colSpan);
  }
}

/** By cell: the spec of the slot in which it begins. Documents share them. */
const specs = new WeakMap<TableCell, CellSpec>();

function specOf(cell: TableCell, colSpan: number): CellSpec {
  // A cell begins in the same column each time, so its colSpan is the same, too.
  const known = specs.get(cell);
  if (known !== undefined) return known;
  const { rowSpan, borderColor, fill, fillOpacity, overlay, overlayOpacity } = cell;
  const spec: CellSpec = {
    colSpan,
    rowSpan,
    border: colSpan === 1 && rowSpan === 1 ? cell.border : borderAt(cell, 0, 0, colSpan),
    borderColor,
    fill,
    fillOpacity,
    overlay,
    overlayOpacity,
    verticalAlignment: cell.verticalAlignment,
    isBelowSpanStart: false,
    endsSpan: false,
  };
  specs.set(cell, spec);
  return spec;
}

/** The spec of a slot in which no cell begins. */
const BARE: CellSpec = {
  colSpan: 1,
  rowSpan: 1,
  border: null,
  borderColor: null,
  fill: null,
  fillOpacity: null,
  overlay: null,
  overlayOpacity: 1,
  verticalAlignment: 'top',
  isBelowSpanStart: false,
  endsSpan: false,
};

const EMPTY_SLOT: GridCell = { spec: BARE, box: null };

/** The sides of a cell's border at the slot (column, row) of its span: only the outer ones. */
function borderAt(cell: TableCell, column: number, row: number, colSpan: number): Border | null {
  const { border } = cell;
  if (border === null) return null;
  const [left, top, right, bottom] = border;
  return [
    column === 0 && left,
    row === 0 && top,
    column === colSpan - 1 && right,
    row === cell.rowSpan - 1 && bottom,
  ];
}
