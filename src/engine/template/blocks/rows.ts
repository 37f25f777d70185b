import { checkObject } from '../vocabulary/check.ts';
import { isObject } from '../../../runtime/json-object.ts';
import { parseColor } from '../../model/color.ts';
import type { Context, CompileScope } from '../context.ts';
import { shown } from '../vocabulary/findings.ts';
import { groupEnd, groupScope } from '../computed/views.ts';
import { enterRepetition, type Repetition } from './repetition.ts';
import { GROUP_ROW_KEYS, ROW_KEYS } from '../vocabulary/keys.ts';
import type { BlockSource } from '../vocabulary/keys.ts';
import type { TableCell, TableRow } from '../../model/nodes.ts';
import type { Rgb } from '../../model/style.ts';

/** The cells of a row as written: an array, or an object with `cells`; null when it is neither. */
export function rowCells(row: unknown): readonly unknown[] | null {
  if (Array.isArray(row)) return row;
  if (isObject(row) && Array.isArray(row['cells'])) return row['cells'];
  return null;
}

/** Which cells of the rows below a rowSpan covers. */
export class RowGrid {
  readonly columnCount: number;
  readonly #rowCount: number;
  #row = 0;
  /** For each column, how many rows are still covered, the current one included. */
  readonly #covered: number[];

  constructor(columnCount: number, rowCount: number) {
    this.columnCount = columnCount;
    this.#rowCount = rowCount;
    this.#covered = Array.from({ length: columnCount }, () => 0);
  }

  /** Rows from the current one to the end of the body. */
  get rowsLeft(): number {
    return this.#rowCount - this.#row;
  }

  enterRow(index: number): void {
    if (index > 0) {
      this.#covered.forEach((rows, column) => (this.#covered[column] = Math.max(0, rows - 1)));
    }
    this.#row = index;
  }

  /** Whether a cell above covers this one. */
  isCovered(column: number): boolean {
    return (this.#covered[column] ?? 0) > 0;
  }

  get coversRow(): boolean {
    return this.#covered.some((rows) => rows > 0);
  }

  /** A cell reaches down over `rowSpan` rows, the current one included. */
  cover(column: number, colSpan: number, rowSpan: number): void {
    for (let index = column; index < column + colSpan; index += 1) this.#covered[index] = rowSpan;
  }
}

/** A row of a table: cells, or `{"each" | "if" | "unless", "cells"}`. */
export function compileRow(
  source: unknown,
  path: string,
  grid: RowGrid,
  context: Context,
  outer: CompileScope,
): TableRow {
  const own = isObject(source) ? checkObject(source, path, ROW_KEYS, context.findings) : {};
  const flow = enterRepetition(own, path, context, outer);
  return rowOf(source, path, flow, grid, context);
}

/** The same with the rows that stand before and behind the entries of each group. */
export function compileRows(
  source: unknown,
  path: string,
  grid: RowGrid,
  context: Context,
  outer: CompileScope,
): readonly TableRow[] {
  const own = isObject(source) ? checkObject(source, path, ROW_KEYS, context.findings) : {};
  const flow = enterRepetition(own, path, context, outer);
  const { each } = flow;
  const endOf = (key: 'groupHeader' | 'groupFooter'): readonly TableRow[] => {
    if (own[key] === undefined || own.groupBy === undefined || each === null) return [];
    const at = `${path}.${key}`;
    const cells = groupCells(own[key], at, context);
    if (cells === null) return [];
    const end = groupEnd(each, key === 'groupHeader' ? 'first' : 'last');
    const conditions = [...flow.conditions, end];
    const scope = groupScope(flow.scope, end);
    const row = rowOf(cells, at, { conditions, each, scope }, grid, context);
    return [{ ...row, isGroupEnd: true }];
  };
  return [
    ...endOf('groupHeader'),
    rowOf(source, path, flow, grid, context),
    ...endOf('groupFooter'),
  ];
}

/**
 * Checks that the header or footer of a group is a row. Returns null, with a finding, if it is not.
 */
function groupCells(source: unknown, path: string, { findings }: Context): unknown {
  if (Array.isArray(source)) return source;
  if (isObject(source) && rowCells(source) !== null) {
    checkObject(source, path, GROUP_ROW_KEYS, findings);
    return source;
  }
  const message = `must be a row (an array of cells), which is printed once for each group; not ${shown(source)}.`;
  findings.error(path, message);
  return null;
}

function rowOf(
  source: unknown,
  path: string,
  { conditions, each, scope }: Repetition,
  grid: RowGrid,
  context: Context,
): TableRow {
  const { findings } = context;
  const sources = rowCells(source);
  const at = isObject(source) ? `${path}.cells` : path;
  if (sources === null) {
    findings.error(path, `A row is an array of cells or {"each", "cells"}, not ${shown(source)}.`);
    return { path, conditions, each, cells: [] };
  }
  const isFluid = each !== null || conditions.length > 0;
  if (isFluid && grid.coversRow) {
    findings.error(path, 'A rowSpan from above cannot reach into a row with "each" or "if".');
  }
  const cells = compileCells(sources, { path: at, grid, isFluid, context, scope });
  return { path, conditions, each, cells };
}

/** The row that is compiled: its cells share all of this. */
interface RowInProgress {
  /** The path of the array of cells. */
  readonly path: string;
  readonly grid: RowGrid;
  /** The row is repeated or conditional, so no span may leave it. */
  readonly isFluid: boolean;
  readonly context: Context;
  readonly scope: CompileScope;
}

/** A cell that a span covers. */
interface CoveredCell {
  readonly column: number;
  readonly by: 'colSpan' | 'rowSpan';
}

function compileCells(sources: readonly unknown[], row: RowInProgress): (TableCell | null)[] {
  const { path, grid, context, scope } = row;
  const { columnCount } = grid;
  const cells: (TableCell | null)[] = Array.from({ length: columnCount }, () => null);
  const covered: CoveredCell[] = [];
  let column = 0;
  while (column < columnCount) {
    if (grid.isCovered(column)) {
      covered.push({ column, by: 'rowSpan' });
      column += 1;
      continue;
    }
    if (column >= sources.length) break;
    const cell = compileCell(sources[column], `${path}[${column}]`, context, scope);
    const { colSpan, rowSpan } = boundSpans(cell, column, row);
    cells[column] = { ...cell, colSpan, rowSpan };
    for (let index = column + 1; index < column + colSpan; index += 1) {
      covered.push({ column: index, by: 'colSpan' });
    }
    column += colSpan;
  }
  // Not before the last cell: until then, the grid tells what the rows above cover.
  for (const [start, cell] of cells.entries()) {
    if (cell !== null && cell.rowSpan > 1) grid.cover(start, cell.colSpan, cell.rowSpan);
  }
  const isShort = column < columnCount;
  if (isShort || sources.length > columnCount) {
    const message =
      `This row has ${sources.length} cells, the table has ${columnCount} columns; ` +
      'write {} for an empty cell and for each cell that a span covers.';
    context.findings.error(path, message);
  } else {
    // Not in a row of the wrong length: there, a covered cell may just be in the wrong place.
    for (const { column: index, by } of covered) {
      reportCovered(sources[index], `${path}[${index}]`, by, context);
    }
  }
  return cells;
}

function reportCovered(source: unknown, path: string, span: string, { findings }: Context): void {
  const isEmpty =
    source === undefined ||
    source === null ||
    source === '' ||
    (isObject(source) && (Object.keys(source).length === 0 || source['text'] === ''));
  if (!isEmpty) findings.warning(path, `A ${span} covers this cell; its content is not drawn.`);
}

function compileCell(
  source: unknown,
  path: string,
  context: Context,
  scope: CompileScope,
): TableCell {
  const { node, own, style } = context.block(source, path, scope);
  if (node.each !== null) {
    context.findings.error(
      `${path}.each`,
      'Cells cannot be repeated; put "each" on the row ({"each", "cells"}) or inside the cell.',
    );
  }
  const { patterns } = context;
  return {
    node,
    colSpan: own.colSpan ?? 1,
    rowSpan: own.rowSpan ?? 1,
    fill:
      style.fillColor === undefined ? null : patterns.paint(style.fillColor, `${path}.fillColor`),
    fillOpacity: style.fillOpacity ?? null,
    overlay:
      own.overlayPattern === undefined
        ? null
        : patterns.paint(own.overlayPattern, `${path}.overlayPattern`),
    overlayOpacity: own.overlayOpacity ?? 1,
    border: own.border ?? null,
    borderColor: borderColorOf(own.borderColor),
    verticalAlignment: own.verticalAlignment ?? 'top',
  };
}

function borderColorOf(source: BlockSource['borderColor']): TableCell['borderColor'] {
  if (source === undefined) return null;
  const rgb = (index: 0 | 1 | 2 | 3): Rgb => parseColor(source[index]) ?? 0;
  return [rgb(0), rgb(1), rgb(2), rgb(3)];
}

/** The spans, cut to the table; one that reaches out of it is a finding. */
function boundSpans(
  { colSpan, rowSpan }: TableCell,
  column: number,
  row: RowInProgress,
): { readonly colSpan: number; readonly rowSpan: number } {
  const { grid, isFluid } = row;
  const { findings } = row.context;
  const path = `${row.path}[${column}]`;
  const columnsLeft = grid.columnCount - column;
  if (colSpan > columnsLeft) {
    findings.error(
      `${path}.colSpan`,
      `colSpan is ${colSpan}, but ${columnsLeft} columns are left.`,
    );
  }
  if (isFluid && rowSpan > 1) {
    findings.error(`${path}.rowSpan`, 'A row with "each" or "if" cannot hold a rowSpan.');
    return { colSpan: Math.min(colSpan, columnsLeft), rowSpan: 1 };
  }
  if (rowSpan > grid.rowsLeft) {
    findings.error(`${path}.rowSpan`, `rowSpan is ${rowSpan}, but ${grid.rowsLeft} rows are left.`);
  }
  return {
    colSpan: Math.min(colSpan, columnsLeft),
    rowSpan: Math.min(rowSpan, grid.rowsLeft),
  };
}
