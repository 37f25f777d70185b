import { entryAt } from '../../../../errors.ts';
import type { Width } from '../../../model/nodes.ts';
import type { Shape } from '../../../font/font.ts';
import { breakClass, CLASS } from '../../text/classes.ts';
import type { ColumnMetrics, ColumnSizes, GridCell, RowBox, StatementBoxes } from './table-box.ts';
import { widestWord } from '../phrase.ts';
import type { SizedColumn } from '../widths.ts';

interface Span {
  readonly column: number;
  readonly cell: GridCell;
}

/**
 * Minimum and maximum widths of the content of each column of a table. Minimum widths cost a search
 * for break opportunities in every cell, so they are computed only if the maximum ones do not fit.
 */
export class TableColumns implements ColumnSizes {
  readonly #widths: readonly Width[];
  readonly #rows: readonly RowBox[];
  readonly #metrics: ColumnMetrics;
  readonly #statement: StatementBoxes | null;
  /** The rows with sums that `auto` columns make room for; null until they are needed. */
  #widest: readonly RowBox[] | null = null;
  #min: Float64Array | null = null;
  #least: Float64Array | null = null;
  #tight: Float64Array | null = null;
  #hasAmounts: boolean | null = null;
  #hasCodes: boolean | null = null;
  #minBound: Float64Array | null = null;
  #max: Float64Array | null = null;
  readonly columns: readonly SizedColumn[];
  readonly hasColumnSpan: boolean;

  constructor(
    widths: readonly Width[],
    rows: readonly RowBox[],
    metrics: ColumnMetrics,
    statement: StatementBoxes | null,
  ) {
    this.#statement = statement;
    this.#widths = widths;
    this.#rows = rows;
    this.#metrics = metrics;
    this.columns = widths.map((width, column) => new TableColumn(this, width, column));
    this.hasColumnSpan = rows.some(hasColumnSpan) || statement?.spansAuto === true;
  }

  minPt(column: number): number {
    this.#min ??= this.#measure(minOfPhrase, (cell) => cell.box?.minPt ?? 0);
    return entryAt(this.#min, column);
  }

  leastPt(column: number): number {
    this.#least ??= this.#measure(leastOfPhrase, (cell) => cell.box?.leastPt ?? 0);
    return entryAt(this.#least, column);
  }

  tightPt(column: number): number {
    this.#tight ??= this.#measure(tightOfPhrase, (cell) => cell.box?.tightPt ?? 0);
    return entryAt(this.#tight, column);
  }

  get hasAmounts(): boolean {
    this.#hasAmounts ??= this.#rows.some(holdsAmounts) || this.#sumsHoldAmounts();
    return this.#hasAmounts;
  }

  get hasCodes(): boolean {
    this.#hasCodes ??= this.#rows.some((row) => this.#holdsFlexibleCode(row));
    return this.#hasCodes;
  }

  /** Whether there is a code in an `auto` or `*` column of a row; phrases are texts. */
  #holdsFlexibleCode({ phrases, cells }: RowBox): boolean {
    if (phrases !== null) return false;
    return cells.some(({ box }, column) => {
      const { kind } = this.#widths[column] ?? {};
      return box?.hasCodes === true && (kind === 'auto' || kind === 'star');
    });
  }

  #sumsHoldAmounts(): boolean {
    if (this.#statement === null) return false;
    this.#widest ??= this.#statement.widestRows();
    return this.#widest.some(holdsAmounts);
  }

  minBoundPt(column: number): number {
    if (this.#min !== null) return entryAt(this.#min, column);
    this.#minBound ??= this.#measure(minBoundOfPhrase, (cell) => cell.box?.minBoundPt ?? 0);
    return entryAt(this.#minBound, column);
  }

  maxPt(column: number): number {
    this.#max ??= this.#measure(maxOfPhrase, (cell) => cell.box?.maxPt ?? 0);
    return entryAt(this.#max, column);
  }

  #measure(
    ofPhrase: (row: RowBox, column: number) => number,
    ofCell: (cell: GridCell) => number,
  ): Float64Array {
    const sizes = new Float64Array(this.#widths.length);
    const spans: Span[] = [];
    // Only column spans need the content widths of fixed columns: they share out what is missing.
    const skipsFixed = !this.hasColumnSpan;
    for (let column = 0; column < sizes.length; column++) {
      const isFixed = skipsFixed && this.#widths[column]?.kind === 'fixed';
      let size = 0;
      for (const row of this.#rows) {
        if (row.phrases !== null) {
          if (!isFixed) size = Math.max(size, ofPhrase(row, column));
          continue;
        }
        const cell = row.cells[column];
        if (cell?.box === undefined || cell.box === null) continue;
        if (cell.spec.colSpan > 1) spans.push({ column, cell });
        else if (!isFixed) size = Math.max(size, ofCell(cell));
      }
      sizes[column] = size;
    }
    if (this.#statement !== null) this.#measureSums(this.#statement, sizes, spans, ofCell);
    for (const span of spans) this.#widen(sizes, span, ofCell(span.cell));
    return sizes;
  }

  /** Makes room in `auto` columns for the rows with sums, whichever page they stand on. */
  #measureSums(
    statement: StatementBoxes,
    sizes: Float64Array,
    spans: Span[],
    ofCell: (cell: GridCell) => number,
  ): void {
    if (!this.#widths.some(({ kind }) => kind === 'auto')) return;
    this.#widest ??= statement.widestRows();
    for (const row of this.#widest) {
      for (let column = 0; column < sizes.length; column++) {
        const cell = row.cells[column];
        if (cell?.box === undefined || cell.box === null) continue;
        const { colSpan } = cell.spec;
        const spanned = this.#widths.slice(column, column + colSpan);
        if (!spanned.some(({ kind }) => kind === 'auto')) continue;
        if (colSpan > 1) spans.push({ column, cell });
        else sizes[column] = Math.max(entryAt(sizes, column), ofCell(cell));
      }
    }
  }

  /** Widens the columns of a spanning cell equally until it fits them. */
  #widen(sizes: Float64Array, { column, cell }: Span, wantedPt: number): void {
    let total = 0;
    for (let offset = 0; offset < cell.spec.colSpan; offset++) {
      total += entryAt(sizes, column + offset);
      if (offset > 0) total += entryAt(this.#metrics.offsets, column + offset);
    }
    const missing = wantedPt - total;
    if (missing <= 0) return;
    for (let offset = 0; offset < cell.spec.colSpan; offset++) {
      sizes[column + offset] = entryAt(sizes, column + offset) + missing / cell.spec.colSpan;
    }
  }
}

function hasColumnSpan(row: RowBox): boolean {
  return (
    row.phrases === null && row.cells.some((cell) => cell.box !== null && cell.spec.colSpan > 1)
  );
}

class TableColumn implements SizedColumn {
  readonly width: Width;
  readonly #columns: TableColumns;
  readonly #index: number;

  constructor(columns: TableColumns, width: Width, index: number) {
    this.width = width;
    this.#columns = columns;
    this.#index = index;
  }

  get minPt(): number {
    return this.#columns.minPt(this.#index);
  }

  get leastPt(): number {
    return this.#columns.leastPt(this.#index);
  }

  get tightPt(): number {
    return this.#columns.tightPt(this.#index);
  }

  /** Whether any column of the table has amounts; callers need no more than that. */
  get hasAmounts(): boolean {
    return this.#columns.hasAmounts;
  }

  /** The same of codes. */
  get hasCodes(): boolean {
    return this.#columns.hasCodes;
  }

  get minBoundPt(): number {
    return this.#columns.minBoundPt(this.#index);
  }

  get maxPt(): number {
    return this.#columns.maxPt(this.#index);
  }
}

function maxOfPhrase({ phrases, phraseRow }: RowBox, column: number): number {
  if (phrases === null) return 0;
  const { plan, widths } = phrases;
  const width = widths[phraseRow * plan.runs.length + column] ?? 0;
  return width + (plan.marginLeft[column] ?? 0) + (plan.marginRight[column] ?? 0);
}

function minBoundOfPhrase({ phrases, phraseRow }: RowBox, column: number): number {
  if (phrases === null) return 0;
  const { plan, widths, texts } = phrases;
  const at = phraseRow * plan.runs.length + column;
  const text = texts[at] ?? '';
  const mayBreak = Array.isArray(text) && plan.figures[column] !== true && !mayBeAmount(text);
  const width = mayBreak ? widestWord(text) * (plan.runs[column]?.sizePt ?? 0) : (widths[at] ?? 0);
  return width + (plan.marginLeft[column] ?? 0) + (plan.marginRight[column] ?? 0);
}

/** Longest text of a cell that is taken for an amount, in words. */
const AMOUNT_WORDS_MAX = 4;

/** Whether a phrase may be an amount, which is never broken: a few words, one with a number. */
function mayBeAmount(words: readonly Shape[]): boolean {
  if (words.length > AMOUNT_WORDS_MAX) return false;
  for (let index = 0; index < words.length; index++) {
    if (beginsNumber(words[index]?.text.charCodeAt(0) ?? 0)) return true;
  }
  return false;
}

/** Whether a number may begin with a character: a digit, a sign, a bracket, a point. */
function beginsNumber(code: number): boolean {
  switch (breakClass(code)) {
    case CLASS.NU:
    case CLASS.HY:
    case CLASS.PR:
    case CLASS.OP:
    case CLASS.IS:
      return true;
    default:
      return false;
  }
}

function leastOfPhrase(row: RowBox, column: number): number {
  return row.expand()[column]?.box?.leastPt ?? 0;
}

function tightOfPhrase(row: RowBox, column: number): number {
  return row.expand()[column]?.box?.tightPt ?? 0;
}

function holdsAmounts(row: RowBox): boolean {
  return row.expand().some(({ box }) => box?.hasAmounts === true);
}

function minOfPhrase(row: RowBox, column: number): number {
  return row.expand()[column]?.box?.minPt ?? 0;
}
