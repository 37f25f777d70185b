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
  for (const cell of cells) {
    facts.push({
      type: 'SETableCell',
      where: placeOf(document, cell.element),
      properties: { hasIntersection: isCrossed.has(cell) },
    });
    if (cell.element.type === 'TD') facts.push(dataCellFact(document, cell, cells));
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

/** Whether a data cell has a header cell: by /Headers, or by scope above it or before it. */
function dataCellFact(document: PdfDocument, cell: Placed, cells: readonly Placed[]): Fact {
  const wanted = wordsOf(attributeOf(document, cell.element, 'Headers'));
  const ids = new Set(
    cells.flatMap(({ element }) => document.textAt(element.dictionary, 'ID') ?? []),
  );
  const unknown = wanted.filter((id) => !ids.has(id));
  const headers = cells.filter(({ element }) => element.type === 'TH');
  const scopes = headers.map((header) => ({
    header,
    scope: wordsOf(attributeOf(document, header.element, 'Scope'))[0] ?? null,
  }));
  const isConnected =
    wanted.length > 0
      ? unknown.length === 0
      : headers.length === 0 || scopes.some(({ header, scope }) => covers(header, scope, cell));
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

function covers(header: Placed, scope: string | null, cell: Placed): boolean {
  const inColumn =
    header.column < cell.column + cell.columnSpan &&
    cell.column < header.column + header.columnSpan;
  const inRow = header.row < cell.row + cell.rowSpan && cell.row < header.row + header.rowSpan;
  if (scope === 'Column') return inColumn;
  if (scope === 'Row') return inRow;
  return scope === 'Both' && (inColumn || inRow);
}
