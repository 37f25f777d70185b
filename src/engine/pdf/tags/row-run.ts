import type { CellPlace, PlainRows } from '../../model/structure.ts';

/**
 * Plain rows as one page shows them, for the structure tree. Cells have consecutive objects and
 * marked-content identifiers, row by row; the objects of the rows follow those of the cells.
 */
export class RowRun {
  readonly rows: PlainRows;
  readonly page: number;
  readonly rowCount: number;
  readonly firstMcid: number;
  /** Object of the first cell; 0: none yet. */
  firstObject = 0;
  /** Object of the element that the rows are in; 0: none yet. */
  parentObject = 0;

  constructor(rows: PlainRows, page: number, rowCount: number, firstMcid: number) {
    this.rows = rows;
    this.page = page;
    this.rowCount = rowCount;
    this.firstMcid = firstMcid;
  }

  get columnCount(): number {
    return this.rows.scopes.length;
  }

  get cellCount(): number {
    return this.rowCount * this.columnCount;
  }

  get objectCount(): number {
    return this.rowCount + this.cellCount;
  }

  cellObject(row: number, column: number): number {
    return this.firstObject + row * this.columnCount + column;
  }

  rowObject(row: number): number {
    return this.firstObject + this.cellCount + row;
  }

  rowObjects(): number[] {
    return numbersFrom(this.rowObject(0), this.rowCount);
  }

  /** Objects of the cells, in the order of their marked content. */
  cellObjects(): number[] {
    return numbersFrom(this.firstObject, this.cellCount);
  }
}

function numbersFrom(first: number, count: number): number[] {
  const numbers: number[] = [];
  for (let number = first; number < first + count; number++) numbers.push(number);
  return numbers;
}

/** Syntax of a row; each `#` is a number: the object of the parent, those of the cells. */
export function rowPattern(columnCount: number): string {
  return `<</S/TR/P # 0 R/K[${Array<string>(columnCount).fill('# 0 R').join(' ')}]>>`;
}

/** Syntax of a cell; its numbers: the object of its row, that of the page, the marked content. */
export function cellPattern(scope: CellPlace['scope']): string {
  const type = scope === null ? 'TD' : 'TH';
  const attributes = scope === null ? '' : `/A<</O/Table/Scope/${scope}>>`;
  return `<</S/${type}/P # 0 R${attributes}/Pg # 0 R/K #>>`;
}
