import type { CellPlace, StructElement, StructType } from '../../model/structure.ts';
import type { RowBox, TableBox } from '../box/table/table-box.ts';
import type { PlainRowsPlace, Tagger } from './tagger.ts';

/**
 * The structure elements of one table. A table without header cells is a layout table: its content
 * is read cell by cell, without a Table element. In a table of contents each row is an entry, whose
 * cells are one reference.
 */
export class TableTags {
  readonly #tagger: Tagger;
  readonly #box: TableBox;
  readonly #headerRows: number;
  readonly #headerColumns: number;
  readonly #isContents: boolean;
  readonly #head: StructElement | null;
  readonly #body: StructElement;
  #plainHead: PlainRowsPlace | null = null;
  #plainBody: PlainRowsPlace | null = null;

  private constructor(tagger: Tagger, box: TableBox) {
    const { node } = box;
    this.#tagger = tagger;
    this.#box = box;
    this.#headerRows = Math.min(node.headerRows, box.rows.length);
    this.#headerColumns = node.headerColumns ?? 0;
    this.#isContents = node.role === 'contents';
    const table = tagger.make(this.#isContents ? 'TOC' : 'Table', tagger.open, node);
    const part = (type: StructType): StructElement => tagger.make(type, table);
    // A THead needs a TBody beside it, so a table of header rows alone has neither.
    const hasHead = this.#headerRows > 0 && box.rows.length > this.#headerRows;
    this.#head = hasHead ? part('THead') : null;
    this.#body = hasHead ? part('TBody') : table;
  }

  /** Null when the document is not tagged or this is a layout table. */
  static of(tagger: Tagger | null, box: TableBox): TableTags | null {
    if (tagger === null || tagger.isHidden) return null;
    const { role = null, headerRows, headerColumns = 0 } = box.node;
    if (role === 'layout') return null;
    const hasHeaders = headerRows > 0 || headerColumns > 0 || role === 'contents';
    return hasHeaders || box.rows.some(hasRowHeader) ? new TableTags(tagger, box) : null;
  }

  /** Where row `index` belongs if its cells are plain; rows of one part share the object. */
  plain(index: number): PlainRowsPlace {
    const isHeader = index < this.#headerRows;
    return isHeader
      ? (this.#plainHead ??= this.#plain(true))
      : (this.#plainBody ??= this.#plain(false));
  }

  #plain(isHeader: boolean): PlainRowsPlace {
    const parent = isHeader ? (this.#head ?? this.#body) : this.#body;
    const scopes: CellPlace['scope'][] = [];
    for (let column = 0; column < this.#box.columnCount; column++) {
      scopes.push(this.#scope(isHeader, column));
    }
    return { parent, scopes };
  }

  #scope(isHeader: boolean, column: number): CellPlace['scope'] {
    if (isHeader) return 'Column';
    return column < this.#headerColumns ? 'Row' : null;
  }

  /** Makes the elements of a row and of its cells, by the column that each begins in. */
  row(index: number, row: RowBox): TaggedRow {
    if (this.#isContents) {
      const reference = this.#tagger.make('Reference', this.#tagger.make('TOCI', this.#body));
      return { element: reference, byColumn: row.cells.map(() => reference) };
    }
    const isHeader = index < this.#headerRows;
    const parent = isHeader ? (this.#head ?? this.#body) : this.#body;
    const element = this.#tagger.make('TR', parent);
    const rowsLeft = (isHeader ? this.#headerRows : this.#box.rows.length) - index;
    const byColumn: (StructElement | null)[] = [];
    for (let column = 0; column < this.#box.columnCount;) {
      const spec = row.cells[column]?.spec;
      const isCovered = spec?.isBelowSpanStart === true;
      const colSpan = Math.max(1, Math.min(spec?.colSpan ?? 1, this.#box.columnCount - column));
      const place: CellPlace = {
        colSpan,
        rowSpan: Math.min(spec?.rowSpan ?? 1, rowsLeft),
        scope: isRowHeader(row, column) && !isHeader ? 'Row' : this.#scope(isHeader, column),
      };
      const node = row.cells[column]?.box?.node ?? null;
      byColumn[column] = isCovered ? null : this.#tagger.cell(element, place, node);
      column += colSpan;
    }
    return { element, byColumn };
  }
}

function isRowHeader(row: RowBox, column: number): boolean {
  return row.cells[column]?.box?.node.role === 'rowHeader';
}

function hasRowHeader(row: RowBox): boolean {
  return row.cells.some((_, column) => isRowHeader(row, column));
}

/** The elements of a row. */
export interface TaggedRow {
  readonly element: StructElement;
  /** Null where a row span from above covers the slot. */
  readonly byColumn: readonly (StructElement | null | undefined)[];
}
