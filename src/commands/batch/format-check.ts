import type { CsvFormat } from '../../runtime/csv/csv-format.ts';
import {
  FileTally,
  FormatTally,
  givenOptions,
  isCellType,
  type OtherFormat,
  sayOther,
} from '../../runtime/csv/other-format.ts';
import { CommandFailed } from '../console/failure.ts';
import type { ContractField } from './contract.ts';
import type { BatchRecord, Survey } from './input.ts';
import { Mending } from './mending.ts';

/** Limit of the columns that are reported. */
const REPORTED_MAX = 20;

interface Plan {
  /** How a CSV is said to be written; null: the input is none. */
  readonly csv: CsvFormat | null;
  readonly keepGoing: boolean;
}

export interface FormatCheck {
  /** Names of the columns of which another option was named. */
  readonly named: ReadonlySet<string>;
  /** The options that would read cells which are not read; null: there are none. */
  readonly mending: Mending | null;
}

/**
 * Compares --decimal, --date and --calendar with the cells of the whole file before anything is made,
 * and warns of columns that fit another one. Throws where such a column has cells that were read and
 * mean something else then, as 3/4/2026: their documents would be made with a wrong value. Where no
 * option was given, it looks for those that the cells need. `fields`: null: the key may not read them.
 */
export async function checkFormat(
  { csv, keepGoing }: Plan,
  { keys }: Survey,
  fields: readonly ContractField[] | null,
  read: () => AsyncGenerator<BatchRecord, void, undefined>,
  warn: (message: string) => void,
): Promise<FormatCheck> {
  const named = new Set<string>();
  if (csv === null || fields === null) return { named, mending: null };
  const file = new FileTally(csv);
  const columns = fields.flatMap(({ name, type }) => {
    const index = keys.indexOf(name);
    if (index < 0 || !isCellType(type)) return [];
    return [{ name, type, index, tally: new FormatTally(type, csv) }];
  });
  if (columns.length === 0) return { named, mending: null };
  for await (const { number, source } of read()) {
    if (typeof source === 'string') continue;
    for (const { type, index, tally } of columns) {
      const cell = source[index] ?? '';
      file.add(type, cell, number);
      tally.add(cell, number);
    }
  }
  let isDoubtful = false;
  for (const { name, type, tally } of columns) {
    const other = tally.better();
    if (other === null) continue;
    named.add(name);
    if (other.changed > 0) isDoubtful = true;
    if (named.size <= REPORTED_MAX) warn(`${name}: ${say(other, givenOptions(type, csv))}`);
  }
  if (isDoubtful && !keepGoing) {
    throw new CommandFailed(
      'nothing was made, because documents would have a wrong value: correct the options, or give' +
        ' --keep-going if they are right',
    );
  }
  const fitting = file.fitting();
  const types = new Map(columns.map(({ name, type }) => [name, type]));
  const isMended = [...fitting.values()].some((formats) => formats.length > 0);
  return { named, mending: isMended ? new Mending(csv, fitting, types) : null };
}

function say({ changed, firstChanged, ...other }: OtherFormat, given: string): string {
  const fits = sayOther(other, `that ${given} cannot read`);
  if (changed === 0) return fits;
  const others = changed === 1 ? '1 cell that it reads' : `${changed} cells that it reads`;
  return `${fits}, where ${others} (record ${firstChanged}) would have another value`;
}
