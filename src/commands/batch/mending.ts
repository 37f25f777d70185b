import { type Command } from 'commander';

import { dateOption, decimalOption, REASONS } from '../../runtime/contract/cell-cure.ts';
import type { CsvFormat } from '../../runtime/csv/csv-format.ts';
import { quoted } from '../console/shell-word.ts';
import {
  type CellType,
  type FittingFormat,
  isMended,
  isRead,
  sayChange,
} from '../../runtime/csv/other-format.ts';
import type { RecordError } from './run.ts';

/** Options that make cells of a file readable which are not read now: the file itself is right. */
export class Mending {
  /** How the file is read now. */
  readonly #given: CsvFormat;
  /** By type of field: the formats that its cells fit; several where no cell tells them apart. */
  readonly #fitting: ReadonlyMap<CellType, readonly FittingFormat[]>;
  /** By name of field. */
  readonly #types: ReadonlyMap<string, CellType>;

  constructor(
    given: CsvFormat,
    fitting: ReadonlyMap<CellType, readonly FittingFormat[]>,
    types: ReadonlyMap<string, CellType>,
  ) {
    this.#given = given;
    this.#fitting = fitting;
    this.#types = types;
  }

  /** The format of the file as far as its cells decide it. */
  get format(): CsvFormat {
    const { delimiter } = this.#given;
    const numbers = this.#decided('number') ?? this.#given;
    const dates = this.#decided('date') ?? this.#given;
    return {
      ...(delimiter !== undefined && { delimiter }),
      ...(numbers.decimal !== undefined && { decimal: numbers.decimal }),
      ...(dates.date !== undefined && { date: dates.date }),
      ...(dates.calendar !== undefined && { calendar: dates.calendar }),
    };
  }

  /** Whether a cell that is read now would have another value then. */
  get changesValues(): boolean {
    return [...this.#fitting.values()].flat().some(({ changed }) => changed > 0);
  }

  /** Whether a cell of a field of this type is not read now, and would be. */
  readsAs(cell: string, type: CellType): boolean {
    const fitting = this.#fitting.get(type) ?? [];
    return fitting.some(({ format }) => isMended(cell, type, this.#given, format));
  }

  /** The fields with a cell that is not read now, with the reasons of the field contract. */
  unread(cells: Readonly<Record<string, unknown>>): RecordError['fields'] {
    return [...this.#types].flatMap(([field, type]) => {
      const cell = Object.hasOwn(cells, field) ? cells[field] : undefined;
      // An empty cell is an absent field.
      if (typeof cell !== 'string' || cell === '') return [];
      return isRead(cell, type, this.#given) ? [] : [{ field, reason: REASONS[type] }];
    });
  }

  /** `with --date d/m/y and --decimal , (or --decimal .)`. */
  say(): string {
    const decided = sayChange(this.format, this.#given);
    const open = this.#undecided();
    if (open.length === 0) return decided;
    return this.#isChanged() ? [decided, ...open].join(' and ') : `with ${open.join(' and ')}`;
  }

  /** The command that was given, with these options; null: not all of them are decided. */
  command(file: string, command: Command): string | null {
    if (this.#undecided().length > 0) return null;
    const { decimal, date, calendar } = this.format;
    const format = Object.entries({ decimal, date, calendar }).flatMap(([name, value]) =>
      value === undefined ? [] : [`--${name}`, value],
    );
    const words = ['batch', file, ...givenWords(command), ...format];
    return `./intaglio ${words.map(quoted).join(' ')}`;
  }

  #isChanged(): boolean {
    return (['number', 'date'] as const).some((type) => this.#decided(type) !== null);
  }

  #decided(type: 'number' | 'date'): CsvFormat | null {
    const [only, ...others] = this.#fitting.get(type) ?? [];
    return only === undefined || others.length > 0 ? null : only.format;
  }

  /** The options that the cells do not decide, with their choices. */
  #undecided(): readonly string[] {
    const isOpen = (type: CellType): boolean => (this.#fitting.get(type)?.length ?? 0) > 1;
    return [
      ...(isOpen('number') ? [decimalOption({})] : []),
      ...(isOpen('date') ? [dateOption({})] : []),
    ];
  }
}

/** Options that are named anew. */
const OF_FORMAT: ReadonlySet<string> = new Set(['decimal', 'date', 'calendar']);

/** The other options as they were given; a key is not shown. */
function givenWords(command: Command): readonly string[] {
  return command.options.flatMap((option) => {
    const name = option.attributeName();
    if (OF_FORMAT.has(name) || command.getOptionValueSource(name) !== 'cli') return [];
    if (option.isBoolean()) return [option.long ?? ''];
    const value = name === 'key' ? 'API_KEY' : String(command.getOptionValue(name));
    return [option.long ?? '', value];
  });
}
