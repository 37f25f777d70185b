import { type CsvFormat, DATES, DECIMALS, isUnreadable, readCell } from './csv-format.ts';

/** A format that reads cells of a column which the format of the file does not. */
export interface OtherFormat {
  /** The options that name it: `--decimal ,`. */
  readonly options: string;
  /** How many of the failing cells it reads. */
  readonly right: number;
  readonly failing: number;
  /** How many of the cells that were read mean something else in it, as 3/4/2026. */
  readonly changed: number;
  /** Number of the first record with such a cell. */
  readonly firstChanged: number;
}

interface Candidate {
  readonly format: CsvFormat;
  right: number;
  /** Cells that were read, and that this format does not read. */
  lost: number;
  changed: number;
  firstChanged: number;
}

/**
 * Compares the format that was given for a column with the others that its cells may have: an option
 * that is wrong makes cells fail, or gives them another value in silence. Memory does not grow.
 */
export class FormatTally {
  readonly #type: string;
  readonly #format: CsvFormat;
  readonly #candidates: readonly Candidate[];
  #failing = 0;

  constructor(type: string, format: CsvFormat) {
    this.#type = type;
    this.#format = format;
    this.#candidates = othersThan(format, type).map((other) => ({
      format: other,
      right: 0,
      lost: 0,
      changed: 0,
      firstChanged: 0,
    }));
  }

  /** Counts a cell of the record with this number; empty cells are absent fields. */
  add(cell: string, number: number): void {
    if (this.#candidates.length === 0 || cell === '') return;
    const value = valueOf(cell, this.#type, this.#format);
    if (value === null) this.#failing += 1;
    for (const candidate of this.#candidates) {
      const other = valueOf(cell, this.#type, candidate.format);
      if (value === null) {
        if (other !== null) candidate.right += 1;
      } else if (other === null) {
        candidate.lost += 1;
      } else if (other !== value) {
        if (candidate.changed === 0) candidate.firstChanged = number;
        candidate.changed += 1;
      }
    }
  }

  /**
   * The format that reads most of the failing cells; null: none does, or it would make more cells
   * fail than it mends. Of equal ones, that with fewer changes.
   */
  better(): OtherFormat | null {
    const failing = this.#failing;
    const able = this.#candidates.filter(({ right, lost }) => right * 2 > failing && right > lost);
    const [first, ...others] = able;
    if (first === undefined) return null;
    const best = others.reduce(
      (before, next) => (next.right - next.lost > before.right - before.lost ? next : before),
      first,
    );
    const { right, changed, firstChanged } = best;
    return { options: optionsOf(best.format, this.#format), right, failing, changed, firstChanged };
  }
}

/** The options that were given for a column of this type. */
export function givenOptions(type: string, { decimal, date, calendar }: CsvFormat): string {
  if (type === 'number') return `--decimal ${decimal}`;
  return `--date ${date}${calendar === undefined ? '' : ` --calendar ${calendar}`}`;
}

/** `all 3 cells WHICH would be right with --decimal ,`. */
export function sayOther(
  { options, right, failing }: Pick<OtherFormat, 'options' | 'right' | 'failing'>,
  which: string,
): string {
  const few = failing === 1 ? 'the cell' : 'both cells';
  const all = failing <= 2 ? few : `all ${failing} cells`;
  const cells = right === failing ? all : `${right} of the ${failing} cells`;
  const changed = options.startsWith('without') ? options : `with ${options}`;
  return `${cells} ${which} would be right ${changed}`;
}

/** Other formats of a column, those with one change first; none where no option was given for it. */
function othersThan(format: CsvFormat, type: string): readonly CsvFormat[] {
  const { decimal, date, calendar } = format;
  if (type === 'number' && decimal !== undefined) {
    return DECIMALS.filter((sign) => sign !== decimal).map((sign) => ({
      ...format,
      decimal: sign,
    }));
  }
  if (type !== 'date' || date === undefined) return [];
  // Without a calendar, years as 2569 are refused; with gregory they would be taken for Common Era.
  const { calendar: _, ...plain } = format;
  const inOther: CsvFormat = calendar === 'buddhist' ? plain : { ...plain, calendar: 'buddhist' };
  const orders = DATES.filter((order) => order !== date);
  return [
    inOther,
    ...orders.map((order) => ({ ...format, date: order })),
    ...orders.map((order) => ({ ...inOther, date: order })),
  ];
}

/** The cell as the contract takes it; null: it is not in the format, or there is no such day. */
function valueOf(cell: string, type: string, format: CsvFormat): string | null {
  const value = readCell(cell, type, format);
  if (isUnreadable(value)) return null;
  return type === 'date' && !isDay(value) ? null : value;
}

function isDay(value: string): boolean {
  const ms = Date.parse(`${value}T00:00:00Z`);
  return !Number.isNaN(ms) && new Date(ms).toISOString().startsWith(value);
}

/** The options by which `other` differs from the format that was given. */
function optionsOf(other: CsvFormat, given: CsvFormat): string {
  const changes: string[] = [];
  if (other.decimal !== given.decimal) changes.push(`--decimal ${other.decimal}`);
  if (other.date !== given.date) changes.push(`--date ${other.date}`);
  if (other.calendar === given.calendar) return changes.join(' ');
  if (other.calendar !== undefined) return [...changes, `--calendar ${other.calendar}`].join(' ');
  return [...changes, `without --calendar ${given.calendar}`].join(' and ');
}
