import { LayoutFault } from '../../layout-fault.ts';

/** A page, or a column of snaking columns on it. */
interface Spot {
  readonly page: number;
  readonly column: number;
}

/** The rows of the table on one page: those from `first` up to `end`. */
interface PageRows {
  readonly spot: Spot;
  readonly first: number;
  end: number;
  /** Number of rows whose sums are brought forward to it and carried on; null without such a row. */
  broughtAt: number | null;
  carriedAt: number | null;
}

/**
 * Knows which rows of a statement table stand on which page. Rows are added when they have their
 * final place, so the sums at page ends never count a row that may still move. Each column of
 * snaking columns counts as a page.
 *
 *     page            0           1             2
 *     rows        h 0 1 2     3 4 5 6 7       8 9
 *     carried at        3           8
 *     brought at              3               8
 *
 * Invariant: the pages hold all rows, in order and without a gap. On each page, the sums brought
 * forward are those of all rows before it, which the page before carried forward. A page without
 * body rows has neither. `finish` asserts this; a document that breaks it is not printed.
 */
export class PageSums {
  /** Rows before this one are the header. */
  readonly #headerRows: number;
  readonly #path: string;
  readonly #pages: PageRows[] = [];
  /** Rows before this one have their place. */
  #end = 0;

  constructor(headerRows: number, path: string) {
    this.#headerRows = headerRows;
    this.#path = path;
  }

  /** Number of rows that have their place. */
  get end(): number {
    return this.#end;
  }

  /** Number of rows that stood before the current page. */
  get pageStart(): number {
    return this.#pages.at(-1)?.first ?? 0;
  }

  /** Whether all rows so far are on one page. */
  get isOnOnePage(): boolean {
    return this.#pages.length <= 1;
  }

  /** Whether the current page holds body rows, so that their sums close it. */
  get hasRowsOnPage(): boolean {
    return this.#end > Math.max(this.pageStart, this.#headerRows);
  }

  /** Whether body rows have their place, so that their sums open the next page. */
  get hasRows(): boolean {
    return this.#end > this.#headerRows;
  }

  /** Adds the rows up to `last`, which stand here now. */
  addRows(last: number, page: number, column: number): void {
    const current = this.#pages.at(-1);
    this.#assert(last >= this.#end);
    if (current === undefined) {
      this.#beginPage(page, column).end = last + 1;
    } else {
      this.#assert(current.spot.page === page && current.spot.column === column);
      current.end = last + 1;
    }
    this.#end = last + 1;
  }

  /** Begins the next page, before anything is drawn there. */
  beginNextPage(page: number, column: number): void {
    this.#beginPage(page, column);
  }

  /** Records that a row brings the sums of the rows so far forward to the current page. */
  bringForward(): void {
    const current = this.#pages.at(-1);
    if (current !== undefined) current.broughtAt = this.#end;
  }

  /** Records that a row carries the sums of the rows so far forward from the current page. */
  carryForward(): void {
    const current = this.#pages.at(-1);
    if (current !== undefined) current.carriedAt = this.#end;
  }

  /** Asserts the invariant for a table of `rowCount` rows. */
  finish(rowCount: number): void {
    let end = 0;
    let before: PageRows | null = null;
    for (const page of this.#pages) {
      this.#assert(page.first === end && page.end >= end);
      this.#assert(before === null || isAfter(page.spot, before.spot));
      const holdsRows = page.end > Math.max(page.first, this.#headerRows);
      this.#assert(holdsRows || (page.broughtAt ?? page.carriedAt) === null);
      this.#assert(page.broughtAt === null || page.broughtAt === page.first);
      this.#assert(page.carriedAt === null || page.carriedAt === page.end);
      ({ end } = page);
      before = page;
    }
    this.#assert(end === rowCount && before?.carriedAt === null);
  }

  #beginPage(page: number, column: number): PageRows {
    const end = this.#end;
    const begun = { spot: { page, column }, first: end, end, broughtAt: null, carriedAt: null };
    this.#pages.push(begun);
    return begun;
  }

  #assert(holds: boolean): void {
    if (holds) return;
    throw new LayoutFault(
      this.#path,
      'the sums of this statement table do not agree with the rows on its pages, so the document ' +
        'was not printed; this is a defect of the renderer, please report it with the template',
    );
  }
}

function isAfter(one: Spot, other: Spot): boolean {
  return one.page > other.page || (one.page === other.page && one.column > other.column);
}
