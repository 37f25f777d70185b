import { convertsCells, type CsvFormat } from '../../runtime/csv/csv-format.ts';
import {
  FormatTally,
  givenOptions,
  type OtherFormat,
  sayOther,
} from '../../runtime/csv/other-format.ts';
import { CommandFailed } from '../console/failure.ts';
import type { ContractField } from './contract.ts';
import type { BatchRecord, Survey } from './input.ts';

/** Limit of the columns that are reported. */
const REPORTED_MAX = 20;

interface Plan {
  readonly csv: CsvFormat | undefined;
  readonly keepGoing: boolean;
}

/**
 * Compares --decimal, --date and --calendar with the cells of the whole file before anything is made,
 * and warns of columns that fit another one. Throws where such a column has cells that were read and
 * mean something else then, as 3/4/2026: their documents would be made with a wrong value. Returns the
 * names of the columns. `fields`: null: the key may not read them.
 */
export async function checkFormat(
  { csv, keepGoing }: Plan,
  { keys }: Survey,
  fields: readonly ContractField[] | null,
  read: () => AsyncGenerator<BatchRecord, void, undefined>,
  warn: (message: string) => void,
): Promise<ReadonlySet<string>> {
  const named = new Set<string>();
  if (csv === undefined || !convertsCells(csv) || fields === null) return named;
  const columns = fields.map(({ name, type }) => ({
    name,
    type,
    index: keys.indexOf(name),
    tally: new FormatTally(type, csv),
  }));
  for await (const { number, source } of read()) {
    if (typeof source === 'string') continue;
    for (const { index, tally } of columns) tally.add(source[index] ?? '', number);
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
  return named;
}

function say({ changed, firstChanged, ...other }: OtherFormat, given: string): string {
  const fits = sayOther(other, `that ${given} cannot read`);
  if (changed === 0) return fits;
  const others = changed === 1 ? '1 cell that it reads' : `${changed} cells that it reads`;
  return `${fits}, where ${others} (record ${firstChanged}) would have another value`;
}
