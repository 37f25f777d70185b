import type { Run, RunException, RunWithParts } from '#client';
import { cureOf, NO_SUCH_DAY, reasonIn } from '../../runtime/contract/cell-cure.ts';
import type { CsvFormat } from '../../runtime/csv/csv-format.ts';
import { FileTally, isMended, isNearlyAll } from '../../runtime/csv/other-format.ts';
import { quoted } from '../console/shell-word.ts';
import { namesOf } from './row-name.ts';

type AnyRun = Run | RunWithParts;

/** Years from here on are of the Buddhist Era in all likelihood. */
const BUDDHIST_FROM = 2_400;
/** Rows and reasons that are named. */
const NAMED_MAX = 10;
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
  const outcomes = rows.map((row) => ({ row, ...outcomeIn(likely, row, format) }));
  const needing = outcomes.filter(({ needsIt }) => needsIt);
  if (!isNearlyAll(needing.length, rows.length)) return null;
  const choices = [
    ...numbers.slice(1).map(({ decimal }) => `--decimal ${decimal}`),
    ...dates.slice(1).map(dateOptions),
  ];
  const faulty = outcomes.filter(({ faults }) => faults !== '');
  const asItIs = faulty.length === 0 ? 'leave it as it is and ' : '';
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

/** Whether the format of the file may be at fault, which the first invalid rows then tell. */
export function mayHaveOther(run: AnyRun): boolean {
  const { counts } = run;
  // The format is that of CSV files.
  const isCsv = !('parts' in run) || run.parts.every(({ format }) => format === 'csv');
  return isCsv && counts.stored === 0 && counts.invalid * 2 > counts.received - counts.identical;
}

interface Cell {
  readonly type: string;
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
): ReadonlyMap<string, readonly CsvFormat[]> {
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

/** The type of the fields that are refused for this reason, if its cells have several formats. */
function typeOf(reason: string): 'number' | 'date' | null {
  if (reason.startsWith('number expected')) return 'number';
  return reason.startsWith('date expected') ? 'date' : null;
}

interface Outcome {
  /** Whether the other format reads a cell that is not read now. */
  readonly needsIt: boolean;
  /** Faults that the row would still have; empty: none are known. */
  readonly faults: string;
}

/** The result of reading an invalid row in another format. */
function outcomeIn(
  other: CsvFormat,
  { fields = [], data, message = '' }: RunException,
  given: CsvFormat,
): Outcome {
  if (fields.length === 0) return { needsIt: false, faults: message || 'invalid' };
  const left = fields.filter(({ field, reason }) => {
    const [type, cell] = [typeOf(reason), data?.[field]];
    return type === null || typeof cell !== 'string' || !isMended(cell, type, given, other);
  });
  const faults = left.map(({ field, reason }) => {
    const isNoDay = cureOf(reason, data?.[field], other) === 'day';
    return `${field}: ${isNoDay ? NO_SUCH_DAY : reasonIn(reason, other)}`;
  });
  return { needsIt: left.length < fields.length, faults: faults.join('; ') };
}

/** The rows that stay faulty; nothing of none. `rowCount` invalid rows were looked at. */
function sayFaulty(
  faulty: readonly { readonly row: RunException; readonly faults: string }[],
  rowCount: number,
  { counts: { invalid } }: AnyRun,
): readonly string[] {
  const { length } = faulty;
  if (length === 0) return [];
  const among = rowCount < invalid ? ` of the first ${rowCount} invalid ones` : '';
  const all = length === rowCount && length > 1 ? 'all ' : '';
  const stay = length === 1 ? '1 row stays' : `${all}${length} rows stay`;
  const them = length === 1 ? 'it' : 'them';
  // Most rows are corrected in the program that wrote the file, not one by one in a run.
  const where =
    length * 2 > rowCount ? 'in the file first' : 'in the file first, or in the new run';
  const groups = [...Map.groupBy(faulty, ({ faults }) => faults)];
  const lines = groups.slice(0, NAMED_MAX).map(([faults, group]) => {
    const names = namesOf(
      group.map(({ row }) => row),
      NAMED_MAX,
    );
    return `  ${names}: ${faults}`;
  });
  const more = groups.length > NAMED_MAX ? ['  …'] : [];
  return [`after that, ${stay} faulty${among}: correct ${them} ${where}:`, ...lines, ...more];
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
