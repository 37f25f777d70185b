import type { CellPlace, StructType } from '../../model/structure.ts';
import type { StructElement } from '../../model/structure.ts';
import type { RowBox, TableBox } from '../box/table/table-box.ts';
import type { Tagger } from './tagger.ts';

/**
 * The structure elements of one table. A table without header cells is a layout table: its content is
 * read cell by cell, without a Table element.
 */
export class TableTags {
  readonly #tagger: Tagger;
  readonly #box: TableBox;
  readonly #headerRows: number;
  readonly #headerColumns: number;
  readonly #head: StructElement | null;
  readonly #body: StructElement;

  private constructor(tagger: Tagger, box: TableBox) {
    const { node } = box;
    this.#tagger = tagger;
    this.#box = box;
    this.#headerRows = Math.min(node.headerRows, box.rows.length);
    this.#headerColumns = node.headerColumns ?? 0;
    const table = tagger.make('Table', tagger.open, node);
    const part = (type: StructType): StructElement => tagger.make(type, table);
    // A THead needs a TBody beside it, so a table of header rows alone has neither.
    const hasHead = this.#headerRows > 0 && box.rows.length > this.#headerRows;
    this.#head = hasHead ? part('THead') : null;
    this.#body = hasHead ? part('TBody') : table;
  }

  /** null: the document is not tagged, or this is a layout table. */
  static of(tagger: Tagger | null, box: TableBox): TableTags | null {
    if (tagger === null || tagger.isHidden) return null;
    const { role = null, headerRows, headerColumns = 0 } = box.node;
    if (role === 'layout' || (headerRows === 0 && headerColumns === 0)) return null;
    return new TableTags(tagger, box);
  }

  get tagger(): Tagger {
    return this.#tagger;
  }

  /** A new row with all its cells, by the column that each begins in. */
  row(index: number, row: RowBox): TaggedRow {
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
        scope: isHeader ? 'Column' : column < this.#headerColumns ? 'Row' : null,
      };
      byColumn[column] = isCovered ? null : this.#tagger.cell(element, place);
      column += colSpan;
    }
    return { element, byColumn };
  }
}

/** The elements of a row. */
export interface TaggedRow {
  readonly element: StructElement;
  /** null: a row span from above covers the slot. */
  readonly byColumn: readonly (StructElement | null | undefined)[];
}
