import type { PlainRows } from '../../model/structure.ts';

/** Plain rows as one page shows them, for the structure tree. */
export class RowRun {
  readonly rows: PlainRows;
  readonly page: number;
  readonly rowCount: number;
  /** Row by row: 1 where a cell has content. */
  readonly isFilled: Uint8Array;
  /** How many cells have content; their marked-content identifiers are consecutive. */
  filledCount = 0;
  readonly firstMcid: number;
  /**
   * Numbers of the first objects: cells with content, cells without, rows. The others follow them.
   */
  firstFilled = 0;
  firstEmpty = 0;
  firstRow = 0;

  constructor(rows: PlainRows, page: number, rowCount: number, firstMcid: number) {
    this.rows = rows;
    this.page = page;
    this.rowCount = rowCount;
    this.isFilled = new Uint8Array(rowCount * rows.scopes.length);
    this.firstMcid = firstMcid;
  }

  get columnCount(): number {
    return this.rows.scopes.length;
  }
}
