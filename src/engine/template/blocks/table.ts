import { checkIsObject, checkObject, isAbsent } from '../vocabulary/check.ts';
import { isObject } from '../../../runtime/json-object.ts';
import { compileWidth, reportWidths } from './containers.ts';
import type { Context, CompileScope } from '../context.ts';
import { shown } from '../vocabulary/findings.ts';
import { TABLE_KEYS } from '../vocabulary/keys.ts';
import type { NodeSource } from '../vocabulary/keys.ts';
import { compileLayout, DEFAULT_LAYOUT, NAMED_LAYOUTS } from '../style/layouts.ts';
import type { NodeBase, TableNode, TableRow, Width } from '../../model/nodes.ts';
import type { TableLayout } from '../../model/table-layout.ts';
import { compileRows, RowGrid, rowCells } from './rows.ts';
import { compileStatement, overShownEntries } from './statement.ts';
import type { Checked, WidthSource } from '../vocabulary/values.ts';

/** Limit of the layouts that a finding names: a template may hold thousands. */
const NAMES_MAX = 20;

type TableSource = Checked<typeof TABLE_KEYS>;

export function compileTable(
  own: NodeSource<'table'>,
  base: NodeBase,
  path: string,
  context: Context,
  outer: CompileScope,
): TableNode {
  const object = checkIsObject(own.table, path, context.findings) ?? {};
  const table = checkObject(object, path, TABLE_KEYS, context.findings);
  const body = table.body ?? [];
  if (body.length === 0 && (table.body !== undefined || isAbsent(object['body']))) {
    context.findings.error(`${path}.body`, 'A table needs "body" with one row at least.');
  }
  const layout = compileTableLayout(own.layout, `${base.path}.layout`, context);
  const columnCount = countColumns(table, body, path, context);
  const widths = widthsOf(table.widths, columnCount);
  const { statement, scope } = compileStatement(
    table.statement,
    columnCount,
    `${path}.statement`,
    context,
    outer,
  );
  const grid = new RowGrid(columnCount, body.length);
  const rows = body.flatMap((row, index): readonly TableRow[] => {
    grid.enterRow(index);
    return compileRows(row, `${path}.body[${index}]`, grid, context, { ...scope, room: null });
  });
  const headerRows = headerRowsOf(table, body.length, path, context);
  reportWidths(widths, framePt(layout, columnCount), `${path}.widths`, context, outer);
  return {
    ...base,
    kind: 'table',
    widths,
    rows,
    headerRows,
    headerColumns: Math.min(table.headerColumns ?? 0, columnCount),
    keepWithHeaderRows: headerRows > 0 ? (table.keepWithHeaderRows ?? 0) : 0,
    dontBreakRows: table.dontBreakRows ?? false,
    heightPt: heightsOf(table.heights),
    layout,
    rowsAtStartMin: table.keepRowsAtStart ?? 1,
    rowsAtEndMin: table.keepRowsAtEnd ?? 1,
    statement: overShownEntries(statement, rows, context),
  };
}

/** The number of columns: the length of `widths` if it is an array, else that of the first row. */
function countColumns(
  { widths }: TableSource,
  body: readonly unknown[],
  path: string,
  { findings }: Context,
): number {
  const lengths = body.map((row) => rowCells(row)?.length ?? 0);
  const first = lengths[0] ?? 1;
  if (!Array.isArray(widths)) return Math.max(1, first);
  const differs = lengths.every((length) => length === first && length !== widths.length);
  if (!differs) return Math.max(1, widths.length);
  const message = `widths has ${widths.length} entries, but the rows have ${first} cells.`;
  findings.error(`${path}.widths`, message);
  return Math.max(1, first);
}

function widthsOf(
  source: WidthSource | readonly WidthSource[] | undefined,
  count: number,
): Width[] {
  const all: WidthSource = isWidthList(source) ? 'auto' : (source ?? 'auto');
  return Array.from({ length: count }, (_, index) =>
    compileWidth(isWidthList(source) ? (source[index] ?? 'auto') : all),
  );
}

function isWidthList(
  source: WidthSource | readonly WidthSource[] | undefined,
): source is readonly WidthSource[] {
  return Array.isArray(source);
}

function heightsOf(source: TableSource['heights']): TableNode['heightPt'] {
  if (source === undefined || source === 'auto') return () => 'auto';
  if (typeof source === 'number') return () => source;
  return (index) => source[index] ?? 'auto';
}

function headerRowsOf(
  table: TableSource,
  rowCount: number,
  path: string,
  { findings }: Context,
): number {
  const { headerRows = 0, keepWithHeaderRows = 0 } = table;
  if (headerRows > rowCount) {
    const message = `headerRows is ${headerRows}, but body has ${rowCount} rows only.`;
    findings.error(`${path}.headerRows`, message);
    return 0;
  }
  if (keepWithHeaderRows > 0 && headerRows === 0) {
    findings.warning(`${path}.keepWithHeaderRows`, 'has no effect without headerRows.');
  }
  return headerRows;
}

function* layoutNames({ layouts }: Context): Generator<string, void, undefined> {
  yield* layouts.keys();
  yield* Object.keys(NAMED_LAYOUTS);
}

/** A layout by name, the template's own or pdfmake's, or one given in place. */
function compileTableLayout(source: unknown, path: string, context: Context): TableLayout {
  if (source === undefined) return DEFAULT_LAYOUT;
  if (isObject(source)) return compileLayout(source, path, context.findings, context.patterns);
  if (typeof source === 'string') {
    const layout = context.layouts.get(source) ?? namedLayout(source);
    if (layout !== null) return layout;
    const near = context.findings.suggestion(source, layoutNames(context));
    const some = layoutNames(context).take(NAMES_MAX).toArray().join(', ');
    const hint = near === '' ? `; there are ${some}.` : near;
    context.findings.error(path, `There is no table layout ${JSON.stringify(source)}${hint}`);
    return DEFAULT_LAYOUT;
  }
  const message = `must be the name of a table layout or a layout object, not ${shown(source)}.`;
  context.findings.error(path, message);
  return DEFAULT_LAYOUT;
}

function namedLayout(name: string): TableLayout | null {
  return Object.hasOwn(NAMED_LAYOUTS, name) ? (NAMED_LAYOUTS[name] ?? null) : null;
}

/** Room that lines and paddings take beside the columns. */
function framePt(layout: TableLayout, count: number): number {
  let sum = layout.vLineWidth(count, count, 0);
  for (let column = 0; column < count; column += 1) {
    sum += layout.vLineWidth(column, count, 0);
    sum += layout.paddingLeft(column, count, 0) + layout.paddingRight(column, count, 0);
  }
  return sum;
}
