import type { Fact, PdfDocument } from './file.ts';
import type { StructElement } from './structure.ts';
import { attributeOf, placeOf, wordsOf } from './structure.ts';

/** A cell on the grid of its table. */
interface Placed {
  readonly element: StructElement;
  readonly row: number;
  readonly column: number;
  readonly rowSpan: number;
  readonly columnSpan: number;
}

/** The facts about a table that the rules need (ISO 14289-1, 7.2 and 7.5). */
export function tableFacts(document: PdfDocument, table: StructElement): Fact[] {
  const kidsStandardTypes = table.kids.map(({ type }) => type).join('&');
  const { cells, isCrossed, rows, widths } = placeCells(document, table);
  const columns = widths[0] ?? 0;
  const narrow = widths.findIndex((width) => width !== columns);
  const heights = Array.from({ length: columns }, (_, column) =>
    cells
      .filter((cell) => cell.column <= column && column < cell.column + cell.columnSpan)
      .reduce((sum, cell) => sum + cell.rowSpan, 0),
  );
  const wrongColumn = heights.findIndex((height) => height !== rows);
  const facts: Fact[] = [
    {
      type: 'SETable',
      where: placeOf(document, table),
      properties: {
        kidsStandardTypes,
        numberOfColumnWithWrongRowSpan: wrongColumn < 0 || narrow >= 0 ? null : wrongColumn,
        numberOfRowWithWrongColumnSpan: narrow < 0 ? null : narrow,
        wrongColumnSpan: narrow < 0 || (widths[narrow] ?? 0) <= columns ? null : widths[narrow],
      },
    },
  ];
  const heads = headsOf(document, cells);
  for (const cell of cells) {
    facts.push({
      type: 'SETableCell',
      where: placeOf(document, cell.element),
      properties: { hasIntersection: isCrossed.has(cell) },
    });
    if (cell.element.type === 'TD') facts.push(dataCellFact(document, cell, heads));
  }
  return facts;
}

function placeCells(
  document: PdfDocument,
  table: StructElement,
): { cells: Placed[]; isCrossed: Set<Placed>; rows: number; widths: number[] } {
  const rows = table.kids.flatMap((kid) =>
    kid.type === 'TR' ? [kid] : kid.kids.filter(({ type }) => type === 'TR'),
  );
  const taken = new Set<string>();
  const cells: Placed[] = [];
  const isCrossed = new Set<Placed>();
  const widths: number[] = rows.map(() => 0);
  rows.forEach((row, rowIndex) => {
    let column = 0;
    for (const element of row.kids) {
      while (taken.has(`${rowIndex} ${column}`)) column++;
      const rowSpan = spanOf(document, element, 'RowSpan');
      const columnSpan = spanOf(document, element, 'ColSpan');
      const cell = { element, row: rowIndex, column, rowSpan, columnSpan };
      cells.push(cell);
      for (let down = 0; down < rowSpan; down++) {
        for (let right = 0; right < columnSpan; right++) {
          const key = `${rowIndex + down} ${column + right}`;
          if (taken.has(key)) isCrossed.add(cell);
          taken.add(key);
          const line = rowIndex + down;
          if (line < rows.length) widths[line] = Math.max(widths[line] ?? 0, column + right + 1);
        }
      }
      column += columnSpan;
    }
  });
  return { cells, isCrossed, rows: rows.length, widths };
}

function spanOf(document: PdfDocument, element: StructElement, key: string): number {
  const value = attributeOf(document, element, key);
  return typeof value === 'number' && value > 0 ? value : 1;
}

/** What the header cells of a table head. */
interface Heads {
  readonly count: number;
  /** Ids of all cells, to which /Headers may refer. */
  readonly ids: ReadonlySet<string>;
  readonly columns: ReadonlySet<number>;
  readonly rows: ReadonlySet<number>;
}

function headsOf(document: PdfDocument, cells: readonly Placed[]): Heads {
  const ids = new Set(
    cells.flatMap(({ element }) => document.textAt(element.dictionary, 'ID') ?? []),
  );
  const headers = cells.filter(({ element }) => element.type === 'TH');
  const columns = new Set<number>();
  const rows = new Set<number>();
  for (const { element, column, columnSpan, row, rowSpan } of headers) {
    const scope = wordsOf(attributeOf(document, element, 'Scope'))[0] ?? null;
    if (scope === 'Column' || scope === 'Both') {
      for (let at = column; at < column + columnSpan; at++) columns.add(at);
    }
    if (scope === 'Row' || scope === 'Both') {
      for (let at = row; at < row + rowSpan; at++) rows.add(at);
    }
  }
  return { count: headers.length, ids, columns, rows };
}

/** Whether a data cell has a header cell: by /Headers, or by scope above it or before it. */
function dataCellFact(document: PdfDocument, cell: Placed, heads: Heads): Fact {
  const wanted = wordsOf(attributeOf(document, cell.element, 'Headers'));
  const unknown = wanted.filter((id) => !heads.ids.has(id));
  const isConnected =
    wanted.length > 0 ? unknown.length === 0 : heads.count === 0 || isHeaded(cell, heads);
  return {
    type: 'SETD',
    where: placeOf(document, cell.element),
    properties: {
      hasConnectedHeader: isConnected,
      unknownHeaders: unknown.join(),
      parentStandardType: cell.element.parent?.type ?? null,
    },
  };
}

function isHeaded({ column, columnSpan, row, rowSpan }: Placed, heads: Heads): boolean {
  for (let at = column; at < column + columnSpan; at++) if (heads.columns.has(at)) return true;
  for (let at = row; at < row + rowSpan; at++) if (heads.rows.has(at)) return true;
  return false;
}
