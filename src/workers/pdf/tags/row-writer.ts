import { entryAt } from '../../../errors.ts';
import type { CellPlace } from '../../model/structure.ts';
import type { PdfFile } from '../file.ts';
import { ObjectLines } from '../objects/object-lines.ts';
import type { RowRun } from './row-run.ts';

type Scope = CellPlace['scope'];

/** A list of references, one on a line: `[`, the reference, `]`. */
const LIST = ' # 0 R ';
const LIST_END = LIST.length + 5;

/** Writes the rows of long tables, and the long lists of references that come with them. */
export class RowWriter {
  readonly #file: PdfFile;
  readonly #pageObjects: readonly number[];
  /** By pattern: objects that differ in numbers only. */
  readonly #lines = new Map<string, ObjectLines>();

  constructor(file: PdfFile, pageObjects: readonly number[]) {
    this.#file = file;
    this.#pageObjects = pageObjects;
  }

  #linesOf(pattern: string): ObjectLines {
    let lines = this.#lines.get(pattern);
    if (lines === undefined) {
      lines = new ObjectLines(this.#file, pattern);
      this.#lines.set(pattern, lines);
    }
    return lines;
  }

  /** Writes the rows with their cells. */
  write(run: RowRun, parent: number): void {
    const { rows, isFilled, columnCount, rowCount, firstRow } = run;
    const page = entryAt(this.#pageObjects, run.page);
    const filled = rows.scopes.map((scope) => this.#linesOf(filledCell(scope)));
    const empty = rows.scopes.map((scope) => this.#linesOf(emptyCell(scope)));
    const row = this.#linesOf(rowPattern(columnCount));
    let { firstFilled: nextFilled, firstEmpty: nextEmpty, firstMcid: mcid } = run;
    let index = 0;
    for (let number = firstRow; number < firstRow + rowCount; number++) {
      row.begin(number);
      row.set(0, parent);
      for (let column = 0; column < columnCount; column++, index++) {
        if (isFilled[index] === 1) {
          const lines = filled[column]!;
          lines.begin(nextFilled);
          lines.set(0, number);
          lines.set(1, page);
          lines.set(2, mcid++);
          row.set(column + 1, nextFilled++);
        } else {
          const lines = empty[column]!;
          lines.begin(nextEmpty);
          lines.set(0, number);
          row.set(column + 1, nextEmpty++);
        }
      }
    }
  }

  /** Writes an array of references. */
  list(number: number, references: readonly number[]): void {
    const lines = this.#linesOf(LIST);
    lines.begin(number);
    lines.put(0, 0x5b);
    lines.put(LIST_END, references.length < 2 ? 0x5d : 0x20);
    for (const [index, target] of references.entries()) {
      if (index > 0) {
        lines.line();
        lines.put(0, 0x20);
        if (index === references.length - 1) lines.put(LIST_END, 0x5d);
      }
      lines.set(0, target);
    }
  }

  finish(): void {
    for (const lines of this.#lines.values()) lines.finish();
  }
}

/**
 * Pattern of a cell; its numbers are the row's object, the page's object and the marked content.
 */
export function filledCell(scope: Scope): string {
  return `${cellStart(scope)}/Pg # 0 R/K #>>`;
}

export function emptyCell(scope: Scope): string {
  return `${cellStart(scope)}>>`;
}

function cellStart(scope: Scope): string {
  if (scope === null) return '<</S/TD/P # 0 R';
  return `<</S/TH/P # 0 R/A<</O/Table/Scope/${scope}>>`;
}

/** Pattern of a row; its numbers are the objects of the parent and of the cells. */
export function rowPattern(columnCount: number): string {
  return `<</S/TR/P # 0 R/K[${Array<string>(columnCount).fill('# 0 R').join(' ')}]>>`;
}
