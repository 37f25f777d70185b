import type { Run, RunException, RunWithParts } from '#client';
import type { CsvFormat } from '../../runtime/csv/csv-format.ts';
import {
  type CellType,
  FileTally,
  isMended,
  needsOtherFormat,
} from '../../runtime/csv/other-format.ts';
import { quoted } from '../console/shell-word.ts';
import {
  outcomeIn,
  type OtherReading,
  type RowOutcome,
  StayingFaults,
  typeOf,
} from '../console/staying-faults.ts';
import { nameOf } from './row-name.ts';

type AnyRun = Run | RunWithParts;

/** Years from here on are of the Buddhist Era in all likelihood. */
const BUDDHIST_FROM = 2_400;
/** The value in a run that was created without `--invalid-share-max`. */
const INVALID_SHARE = 0.05;

/**
 * What to do where nearly every invalid row needs another format than the run was made for: the lines
 * for a person, with the whole command that makes the right run, and the rows that it does not mend.
 * null: the rows fail for other reasons, most rows are right as they are, or a new run would make
 * documents twice. `rows`: the first invalid rows.
 */
export function otherFormatOf(rows: readonly RunException[], run: AnyRun): string | null {
  if (rows.length === 0 || !mayHaveOther(run)) return null;
  const format = run.csv ?? {};
  const cells = cellsOf(rows);
  const fitting = fittingOf(cells, format);
  const numbers = fitting.get('number') ?? [];
  const dates = likeliestFirst(fitting.get('date') ?? [], cells);
  const likely = {
    ...format,
    ...(numbers[0] !== undefined && { decimal: numbers[0].decimal }),
    ...(dates[0] !== undefined && { date: dates[0].date, calendar: dates[0].calendar }),
  };
  const other: OtherReading = {
    format: likely,
    mends: (cell, type) => isMended(cell, type, format, likely),
  };
  const kinds = { needing: 0, odd: 0, other: 0 };
  const faulty = new StayingFaults();
  for (const row of rows) {
    const { kind, faults } = outcomeOf(row, other);
    kinds[kind] += 1;
    faulty.add(nameOf(row), faults);
  }
  if (!needsOtherFormat(kinds)) return null;
  const choices = [
    ...numbers.slice(1).map(({ decimal }) => `--decimal ${decimal}`),
    ...dates.slice(1).map(dateOptions),
  ];
  const asItIs = faulty.count === 0 ? 'leave it as it is and ' : '';
  const upload = run.source === null ? ['upload the file to that'] : [];
  const cancel =
    run.state === 'cancelled' ? [] : [`cancel this one: ./intaglio runs cancel ${run.runId}`];
  const lines = [
    `the file is written otherwise than the run was made for: ${asItIs}make a new run` +
      (choices.length === 0 ? ':' : `, most likely this one (or with ${choices.join(', or ')}):`),
    `  ${commandOf(run, likely)}`,
    ...[[...upload, ...cancel].join(', and ')].filter((text) => text !== ''),
    ...sayFaulty(faulty, rows.length, run),
  ];
  return lines.join('\n  ');
}

function outcomeOf(
  { fields = [], data, message = '' }: RunException,
  other: OtherReading,
): RowOutcome {
  if (fields.length === 0) return { kind: 'other', faults: message || 'invalid' };
  return outcomeIn(other, fields, data ?? {});
}

/** Whether the format of the file may be at fault, which the first invalid rows then tell. */
export function mayHaveOther(run: AnyRun): boolean {
  const { counts } = run;
  // The format is that of CSV files.
  const isCsv = !('parts' in run) || run.parts.every(({ format }) => format === 'csv');
  return isCsv && counts.stored === 0 && counts.invalid * 2 > counts.received - counts.identical;
}

interface Cell {
  readonly type: CellType;
  readonly cell: string;
}

/**
 * The cells of the fields that a row fails for by their type, also those that are right in other
 * rows: a format that does not read these is not that of the file.
 */
function cellsOf(rows: readonly RunException[]): readonly Cell[] {
  const types = new Map(
    rows.flatMap(({ fields = [] }) =>
      fields.flatMap(({ field, reason }) => {
        const type = typeOf(reason);
        return type === null ? [] : [[field, type] as const];
      }),
    ),
  );
  return rows.flatMap(({ data }) =>
    [...types].flatMap(([field, type]) => {
      const cell = data?.[field];
      return typeof cell === 'string' ? [{ type, cell }] : [];
    }),
  );
}

/** The options that cells of these rows decide, each of a type that a single format fits. */
export function decidedBy(rows: readonly RunException[], format: CsvFormat): CsvFormat {
  const fitting = fittingOf(cellsOf(rows), format);
  const [number, ...numbers] = fitting.get('number') ?? [];
  const [date, ...dates] = fitting.get('date') ?? [];
  return {
    ...(numbers.length === 0 && number !== undefined && { decimal: number.decimal }),
    ...(dates.length === 0 && date !== undefined && { date: date.date, calendar: date.calendar }),
  };
}

/** By type of field: the formats that these cells may have. */
function fittingOf(
  cells: readonly Cell[],
  format: CsvFormat,
): ReadonlyMap<CellType, readonly CsvFormat[]> {
  const file = new FileTally(format);
  for (const { type, cell } of cells) file.add(type, cell, 0);
  return new Map([...file.fitting()].map(([type, all]) => [type, all.map((one) => one.format)]));
}

/** Formats of dates: those in the calendar of most cells first, then the day before the month. */
function likeliestFirst(
  formats: readonly CsvFormat[],
  cells: readonly Cell[],
): readonly CsvFormat[] {
  const years = cells.flatMap(({ type, cell }) => {
    const found = type === 'date' ? /\d{4}/.exec(cell) : null;
    return found === null ? [] : [Number(found[0])];
  });
  const isBuddhist = years.filter((year) => year >= BUDDHIST_FROM).length * 2 > years.length;
  const rankOf = ({ calendar }: CsvFormat): number =>
    (calendar === 'buddhist') === isBuddhist ? 0 : 1;
  return formats.toSorted((a, b) => rankOf(a) - rankOf(b));
}

/** The rows that stay faulty; nothing of none. `rowCount` invalid rows were looked at. */
function sayFaulty(
  faulty: StayingFaults,
  rowCount: number,
  { counts: { invalid } }: AnyRun,
): readonly string[] {
  const { count } = faulty;
  if (count === 0) return [];
  const among = rowCount < invalid ? ` of the first ${rowCount} invalid ones` : '';
  const all = count === rowCount && count > 1 ? 'all ' : '';
  const stay = count === 1 ? '1 row stays' : `${all}${count} rows stay`;
  const them = count === 1 ? 'it' : 'them';
  // Most rows are corrected in the program that wrote the file, not one by one in a run.
  const where = count * 2 > rowCount ? 'in the file first' : 'in the file first, or in the new run';
  return [`after that, ${stay} faulty${among}: correct ${them} ${where}:`, ...faulty.lines()];
}

function dateOptions({ date, calendar }: CsvFormat): string {
  return `--date ${date}${calendar === undefined ? '' : ` --calendar ${calendar}`}`;
}

/** The command that makes the same run for a file of another format, as far as the run tells. */
function commandOf(run: AnyRun, { delimiter, decimal, date, calendar }: CsvFormat): string {
  const { templateId, version, idField, name, expected, source } = run;
  const options: (readonly [string, string | number | null | undefined])[] = [
    ['--template', templateId],
    ['--version', version],
    ['--id-field', idField],
    ['--name', name === '' ? null : name],
    ['--rows', expected.rows],
    ...Object.entries(expected.sums).map(([field, sum]) => ['--sum', `${field}=${sum}`] as const),
    ['--on-invalid', run.onInvalid === 'stop' ? null : run.onInvalid],
    ['--invalid-share-max', run.invalidShareMax === INVALID_SHARE ? null : run.invalidShareMax],
    ['--retention-seconds', run.retentionSeconds],
    ['--documents-per-print', run.documentsPerPrint],
    ['--source', source?.path],
    ['--delimiter', delimiter],
    ['--decimal', decimal],
    ['--date', date],
    ['--calendar', calendar],
  ];
  const words = options.flatMap(([option, value]) =>
    value === null || value === undefined ? [] : [option, quoted(String(value))],
  );
  // The run does not tell the file of its options.
  const rest = run.signed || run.passwordsByRow ? ' --options FILE' : '';
  return `./intaglio runs create ${words.join(' ')}${rest}`;
}
