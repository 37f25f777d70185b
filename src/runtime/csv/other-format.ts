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

/** Types of fields whose cells have several formats. */
const TYPES = ['number', 'date'] as const;
export type CellType = (typeof TYPES)[number];
/**
 * The share of cells or rows that decides a format: a file of one format has a few cells that are
 * mistyped, or were copied from elsewhere, and these must not hide it.
 */
const NEARLY_ALL = 0.9;

const PLAIN_NUMBER = /^-?\d+(?:\.\d+)?$/;
const PLAIN_DATE = /^\d{4}-\d{2}-\d{2}$/;

interface Candidate {
  readonly format: CsvFormat;
  right: number;
  /** Cells that no other candidate reads, among those that failed. */
  alone: number;
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
  readonly #isGiven: boolean;
  #failing = 0;

  /** `mayGuess`: where no option was given for the type, every format of it is tried. */
  constructor(type: string, format: CsvFormat, { mayGuess = false } = {}) {
    this.#type = type;
    this.#format = format;
    this.#isGiven = isGivenFor(type, format);
    const others = this.#isGiven || !mayGuess ? othersThan(format, type) : formatsOf(type, format);
    this.#candidates = others.map((other) => ({
      format: other,
      right: 0,
      alone: 0,
      lost: 0,
      changed: 0,
      firstChanged: 0,
    }));
  }

  /** Counts a cell of the record with this number; empty cells are absent fields. */
  add(cell: string, number: number): void {
    if (this.#candidates.length === 0 || cell === '') return;
    const value = valueOf(cell, this.#type, this.#format);
    if (value === null) return this.#addFailing(cell);
    for (const candidate of this.#candidates) {
      const other = valueOf(cell, this.#type, candidate.format);
      if (other === null) {
        candidate.lost += 1;
      } else if (other !== value) {
        if (candidate.changed === 0) candidate.firstChanged = number;
        candidate.changed += 1;
      }
    }
  }

  #addFailing(cell: string): void {
    this.#failing += 1;
    const able = this.#candidates.filter(
      ({ format }) => valueOf(cell, this.#type, format) !== null,
    );
    for (const candidate of able) candidate.right += 1;
    if (able.length === 1 && able[0] !== undefined) able[0].alone += 1;
  }

  /**
   * The format that reads most of the failing cells; null: none does, or it would make more cells
   * fail than it mends. Of equal ones, that with fewer changes.
   */
  better(): OtherFormat | null {
    const best = this.#best();
    if (best === null) return null;
    const { right, changed, firstChanged } = best;
    const options = optionsOf(best.format, this.#format);
    return { options, right, failing: this.#failing, changed, firstChanged };
  }

  /**
   * The formats that read most of the failing cells and all of the others. One: the cells decide it.
   * Several: no option was given, and no cell tells them apart, as 1,250 and 3/4/2026 do not.
   */
  fitting(): readonly FittingFormat[] {
    if (this.#isGiven) {
      const best = this.#best();
      return best !== null && best.lost === 0 ? [best] : [];
    }
    const able = this.#candidates.filter(
      ({ right, lost }) => right * 2 > this.#failing && lost === 0,
    );
    const alone = this.#candidates.reduce((sum, candidate) => sum + candidate.alone, 0);
    return alone === 0 ? able : able.filter((one) => isNearlyAll(one.alone, alone));
  }

  #best(): Candidate | null {
    const failing = this.#failing;
    const able = this.#candidates.filter(({ right, lost }) => right * 2 > failing && right > lost);
    const [first, ...others] = able;
    if (first === undefined) return null;
    return others.reduce(
      (before, next) => (next.right - next.lost > before.right - before.lost ? next : before),
      first,
    );
  }
}

/**
 * Decides the format of a file by the cells of all its number and date fields, where the given one
 * does not read them: `batch` and `runs watch` advise the same options for the same file.
 */
export class FileTally {
  readonly #tallies: ReadonlyMap<CellType, FormatTally>;

  /** `given`: how the file was said to be written. */
  constructor(given: CsvFormat) {
    this.#tallies = new Map(
      TYPES.map((type) => [type, new FormatTally(type, given, { mayGuess: true })]),
    );
  }

  /** Counts a cell of a field of this type, in the record with this number. */
  add(type: CellType, cell: string, number: number): void {
    this.#tallies.get(type)?.add(cell, number);
  }

  /** By type of field: the formats that its cells fit; several where no cell tells them apart. */
  fitting(): ReadonlyMap<CellType, readonly FittingFormat[]> {
    return new Map([...this.#tallies].map(([type, tally]) => [type, tally.fitting()]));
  }
}

/** Whether cells of fields of this type have several formats. */
export function isCellType(type: string): type is CellType {
  return (TYPES as readonly string[]).includes(type);
}

/** Rows that failed, by what another format changes. */
export interface FailedRows {
  /** It reads a cell of theirs that is not read now. */
  readonly needing: number;
  /** Nothing is wrong with them but cells that neither format reads. */
  readonly odd: number;
  /** They fail for another reason. */
  readonly other: number;
}

/**
 * Whether rows fail because their file is in another format than it was said to be: `batch` and
 * `runs watch` judge by this. A few odd cells do not hide the format, also where they come first:
 * `whole` counts the rows of the whole file, as far as they are known.
 */
export function needsOtherFormat(failed: FailedRows, whole: FailedRows = failed): boolean {
  const { needing, odd, other } = failed;
  const isOdd = isNearlyAll(whole.needing, whole.needing + whole.odd);
  return isNearlyAll(needing + (isOdd ? odd : 0), needing + odd + other);
}

/** Whether so large a share of `total` is explained by one format that it is the format of the file. */
function isNearlyAll(count: number, total: number): boolean {
  return count >= total * NEARLY_ALL;
}

/** A format that fits a file, and how many of the cells that were read mean something else in it. */
export type FittingFormat = Pick<Candidate, 'format' | 'changed'>;

/** Whether a cell of a field of this type is read in this format. */
export function isRead(cell: string, type: string, format: CsvFormat): boolean {
  return valueOf(cell, type, format) !== null;
}

/** Whether a cell that the given format does not read is read in another one. */
export function isMended(cell: string, type: string, given: CsvFormat, other: CsvFormat): boolean {
  return !isRead(cell, type, given) && isRead(cell, type, other);
}

/** `with --decimal ,`, `without --calendar buddhist`: how the options change. */
export function sayChange(other: CsvFormat, given: CsvFormat): string {
  return changeOf(optionsOf(other, given));
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
  return `${cells} ${which} would be right ${changeOf(options)}`;
}

function changeOf(options: string): string {
  return options.startsWith('without') ? options : `with ${options}`;
}

function isGivenFor(type: string, { decimal, date }: CsvFormat): boolean {
  return (type === 'number' && decimal !== undefined) || (type === 'date' && date !== undefined);
}

/** Every format that a column of this type may have, where none was given. */
function formatsOf(type: string, format: CsvFormat): readonly CsvFormat[] {
  if (type === 'number') return DECIMALS.map((decimal) => ({ ...format, decimal }));
  if (type !== 'date') return [];
  return DATES.flatMap((date) => [
    { ...format, date },
    { ...format, date, calendar: 'buddhist' as const },
  ]);
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
  if (!isGivenFor(type, format) && !isPlain(cell, type)) return null;
  const value = readCell(cell, type, format);
  if (isUnreadable(value)) return null;
  return type === 'date' && !isDay(value) ? null : value;
}

/** Whether the field contract takes a number or date cell as it stands. */
function isPlain(cell: string, type: string): boolean {
  if (type === 'number') return PLAIN_NUMBER.test(cell);
  return type !== 'date' || PLAIN_DATE.test(cell);
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
