import { entryAt } from '../../../errors.ts';
import type { CellPlace } from '../../model/structure.ts';
import type { PdfFile } from '../file.ts';
import { ObjectLines } from '../objects/object-lines.ts';
import type { RowRun } from './row-run.ts';

type Scope = CellPlace['scope'];

/** A list of references, one on a line: `[`, the reference, `]`. */
const LIST = ' # 0 R ';
const LIST_END = LIST.length + 5;
/** Objects of as many pages stand among each other; 20 lines make round offsets. */
const PAGES_MAX = 20;
/** Numbers of objects on several pages have their last digits in common, so that these cost nothing. */
const NUMBERS_STEP = 100;

/** Object numbers, one after another. */
export interface NumberRange {
  readonly first: number;
  readonly count: number;
}

/**
 * Writes the rows of long tables, and the long lists of references that come with them. The first
 * cell of each page comes first, then the second of each: the numbers of the second differ from one
 * another as those of the first do, so its lines are those of the first, copied.
 */
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

  /** Reserves the numbers of the rows and cells of an element. */
  reserve(runs: readonly RowRun[]): void {
    for (const group of groupsOf(runs)) {
      let [rowsMax, filledMax, emptyMax] = [0, 0, 0];
      for (const run of group) {
        rowsMax = Math.max(rowsMax, run.rowCount);
        filledMax = Math.max(filledMax, run.filledCount);
        emptyMax = Math.max(emptyMax, run.isFilled.length - run.filledCount);
      }
      const taken = rowsMax + filledMax + emptyMax;
      const isAlone = group.length === 1;
      const step = isAlone ? taken : Math.ceil(taken / NUMBERS_STEP) * NUMBERS_STEP;
      for (const run of group) {
        const emptyCount = run.isFilled.length - run.filledCount;
        run.firstRow = this.#file.reserve(run.rowCount);
        this.#file.skip(rowsMax - run.rowCount);
        run.firstFilled = this.#file.reserve(run.filledCount);
        this.#file.skip(filledMax - run.filledCount);
        run.firstEmpty = this.#file.reserve(emptyCount);
        this.#file.skip(step - rowsMax - filledMax - emptyCount);
      }
    }
  }

  /** Writes the rows of an element with their cells. */
  write(runs: readonly RowRun[], parent: number): void {
    for (const group of groupsOf(runs)) {
      const cells = group.map((run) => new RunCells(run));
      this.#writeRows(cells, parent);
      for (const scope of new Set(group[0]?.rows.scopes)) {
        const filled = cells.map(({ filledOf }) => filledOf(scope));
        this.#writeFilled(cells, filled, this.#linesOf(filledCell(scope)));
        this.#writeEmpty(cells, scope);
      }
    }
  }

  #writeRows(group: readonly RunCells[], parent: number): void {
    const columnCount = group[0]?.run.columnCount ?? 0;
    const lines = this.#linesOf(rowPattern(columnCount));
    const rowsMax = group.reduce((max, { run }) => Math.max(max, run.rowCount), 0);
    for (let row = 0; row < rowsMax; row++) {
      for (const { run, numbers } of group) {
        if (row >= run.rowCount) continue;
        lines.begin(run.firstRow + row);
        lines.set(0, parent);
        const first = row * columnCount;
        for (let column = 0; column < columnCount; column++) {
          lines.set(column + 1, numbers[first + column]!);
        }
      }
    }
  }

  /** `filled`: by page, which of its cells with content these are. */
  #writeFilled(
    group: readonly RunCells[],
    filled: readonly Int32Array[],
    lines: ObjectLines,
  ): void {
    const ends = new Set(filled.map(({ length }) => length));
    const cellsMax = Math.max(...ends);
    const numbers: number[] = [];
    let pages: FilledCells[] = group.map(({ run, rowOf }, page) => ({
      run,
      rowOf,
      filled: filled[page]!,
    }));
    for (let index = 0; index < cellsMax; index++) {
      const isEnd = ends.has(index);
      if (isEnd) pages = pages.filter((page) => index < page.filled.length);
      numbers.length = 0;
      const repeats = index > 0 && !isEnd && isAsBefore(pages, index);
      for (const { run, rowOf, filled: cells } of pages) {
        const cell = cells[index]!;
        const number = run.firstFilled + cell;
        // Lines of a stream that is full are not there to be repeated.
        if (repeats && run !== pages[0]!.run && lines.lineCount > pages.length) {
          numbers.push(number);
          continue;
        }
        lines.begin(number);
        lines.set(0, run.firstRow + rowOf[cell]!);
        lines.set(1, entryAt(this.#pageObjects, run.page));
        lines.set(2, run.firstMcid + cell);
      }
      if (numbers.length === 0) continue;
      const { run, rowOf, filled: cells } = pages.at(-1)!;
      const cell = cells[index]!;
      const page = entryAt(this.#pageObjects, run.page);
      lines.repeat(numbers, pages.length, [
        run.firstRow + rowOf[cell]!,
        page,
        run.firstMcid + cell,
      ]);
    }
  }

  #writeEmpty(group: readonly RunCells[], scope: Scope): void {
    const empty = group.map(({ emptyOf }) => emptyOf(scope));
    const cellsMax = empty.reduce((max, { length }) => Math.max(max, length), 0);
    if (cellsMax === 0) return;
    const lines = this.#linesOf(emptyCell(scope));
    for (let index = 0; index < cellsMax; index++) {
      for (let page = 0; page < group.length; page++) {
        const at = empty[page]![index];
        if (at === undefined) continue;
        const { run, numbers } = group[page]!;
        lines.begin(numbers[at]!);
        lines.set(0, run.firstRow + ((at / run.columnCount) | 0));
      }
    }
  }

  /** Writes an array of references. */
  list(number: number, ranges: readonly NumberRange[]): void {
    const lines = this.#linesOf(LIST);
    let rest = ranges.reduce((sum, { count }) => sum + count, 0);
    lines.begin(number);
    lines.put(0, 0x5b);
    let isFirst = true;
    for (const { first, count } of ranges) {
      for (let target = first; target < first + count; target++) {
        if (!isFirst) {
          lines.line();
          lines.put(0, 0x20);
        }
        isFirst = false;
        lines.put(LIST_END, --rest === 0 ? 0x5d : 0x20);
        lines.set(0, target);
      }
    }
  }

  finish(): void {
    for (const lines of this.#lines.values()) lines.finish();
  }
}

/** Numbers of the cells of a run. */
class RunCells {
  readonly run: RowRun;
  /** Row by row. */
  readonly numbers: Int32Array;
  /** By cell with content: its row. */
  readonly rowOf: Int32Array;

  constructor(run: RowRun) {
    this.run = run;
    const { isFilled, columnCount } = run;
    this.numbers = new Int32Array(isFilled.length);
    this.rowOf = new Int32Array(run.filledCount);
    let [filled, empty, index] = [0, 0, 0];
    for (let row = 0; row < run.rowCount; row++) {
      for (let column = 0; column < columnCount; column++, index++) {
        if (isFilled[index] === 1) {
          this.rowOf[filled] = row;
          this.numbers[index] = run.firstFilled + filled++;
        } else {
          this.numbers[index] = run.firstEmpty + empty++;
        }
      }
    }
  }

  /** Which of the cells with content have this scope. */
  readonly filledOf = (scope: Scope): Int32Array => {
    const { rows, isFilled, filledCount } = this.run;
    const found = new Int32Array(filledCount);
    let [filled, count] = [0, 0];
    for (let index = 0, column = 0; index < isFilled.length; index++) {
      if (isFilled[index] === 1) {
        if (rows.scopes[column] === scope) found[count++] = filled;
        filled++;
      }
      column = column + 1 === rows.scopes.length ? 0 : column + 1;
    }
    return found.subarray(0, count);
  };

  /** Where the empty cells of this scope are, row by row. */
  readonly emptyOf = (scope: Scope): number[] => {
    const { rows, isFilled } = this.run;
    const found: number[] = [];
    for (let index = 0, column = 0; index < isFilled.length; index++) {
      if (isFilled[index] === 0 && rows.scopes[column] === scope) found.push(index);
      column = column + 1 === rows.scopes.length ? 0 : column + 1;
    }
    return found;
  };
}

/** Runs that are written together: their cells and marked content count alike. */
function groupsOf(runs: readonly RowRun[]): RowRun[][] {
  const groups: RowRun[][] = [];
  for (const run of runs) {
    const open = groups.at(-1);
    const before = open?.at(-1);
    const belongs =
      open !== undefined &&
      before?.rows.scopes === run.rows.scopes &&
      before.firstMcid === run.firstMcid &&
      open.length < PAGES_MAX;
    if (belongs) open.push(run);
    else groups.push([run]);
  }
  return groups;
}

/** The cells with content of one scope on a page. */
interface FilledCells {
  readonly run: RowRun;
  readonly rowOf: Int32Array;
  /** Which of the page's cells with content these are. */
  readonly filled: Int32Array;
}

/**
 * Whether the cells `index` of all pages differ from one another as those before them did: they are
 * as far from the ones before, and no digit changes but those that all pages have in common.
 */
function isAsBefore(pages: readonly FilledCells[], index: number): boolean {
  const { run, rowOf, filled } = pages[0]!;
  const cell = filled[index]!;
  const before = filled[index - 1]!;
  const row = rowOf[cell]!;
  const rowBefore = rowOf[before]!;
  if (carries(run.firstFilled + before, run.firstFilled + cell)) return false;
  if (carries(run.firstRow + rowBefore, run.firstRow + row)) return false;
  for (let page = 1; page < pages.length; page++) {
    const { rowOf: rows, filled: cells } = pages[page]!;
    if (cells[index] !== cell || cells[index - 1] !== before) return false;
    if (rows[cell] !== row || rows[before] !== rowBefore) return false;
  }
  return true;
}

/** Whether two numbers differ in more than the digits that all pages have in common. */
function carries(one: number, other: number): boolean {
  return ((one / NUMBERS_STEP) | 0) !== ((other / NUMBERS_STEP) | 0);
}

/** Patterns: numbers of the row's object, of the page's and of the marked content. */
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
