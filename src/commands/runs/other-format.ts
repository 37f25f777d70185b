import type { Run, RunException, RunWithParts } from '#client';
import { cureOf } from '../../runtime/contract/cell-cure.ts';
import type { CsvFormat } from '../../runtime/csv/csv-format.ts';
import { FormatTally, type FittingFormat, isMended } from '../../runtime/csv/other-format.ts';
import { quoted } from '../console/shell-word.ts';

type AnyRun = Run | RunWithParts;

/** Years from here on are of the Buddhist Era in all likelihood. */
const BUDDHIST_FROM = 2_400;
/** What a run has that was made without `--invalid-share-max`. */
const INVALID_SHARE = 0.05;

/**
 * What to do where every invalid row fails only because the file has another format than the run was
 * made for: the lines for a person, with the whole command that makes the right run. null: something
 * else is wrong with a row, most rows are right as they are, or a new run would make documents twice.
 * `rows`: the first invalid rows.
 */
export function otherFormatOf(rows: readonly RunException[], run: AnyRun): string | null {
  if (rows.length === 0 || !mayHaveOther(run)) return null;
  const format = run.csv ?? {};
  const cells = cellsOf(rows, format);
  if (cells === null) return null;
  const [numbers, dates] = (['number', 'date'] as const).map((type) =>
    fittingOf(type, cells, format),
  );
  if (numbers === undefined || dates === undefined) return null;
  const [number, ...otherNumbers] = numbers;
  const [date, ...otherDates] = dates;
  const likely = {
    ...format,
    ...(number !== undefined && { decimal: number.decimal }),
    ...(date !== undefined && { date: date.date, calendar: date.calendar }),
  };
  const isRead = cells.every(({ type, cell }) => isMended(cell, type, format, likely));
  if (!isRead) return null;
  const choices = [
    ...otherNumbers.map(({ decimal }) => `--decimal ${decimal}`),
    ...otherDates.map(dateOptions),
  ];
  const lines = [
    `the file is written otherwise than the run was made for: leave it as it is and make a new run` +
      (choices.length === 0 ? ':' : `, most likely this one (or with ${choices.join(', or ')}):`),
    `  ${commandOf(run, likely)}`,
    `${run.source === null ? 'upload the file to that, and cancel' : 'cancel'} this one: ` +
      `./intaglio runs cancel ${run.runId}`,
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
  readonly type: 'number' | 'date';
  readonly cell: string;
}

/** The cells that the rows fail for; null: a row fails for something that no format mends. */
function cellsOf(rows: readonly RunException[], format: CsvFormat): readonly Cell[] | null {
  const cells: Cell[] = [];
  for (const { fields = [], data } of rows) {
    if (fields.length === 0) return null;
    for (const { field, reason } of fields) {
      const cell = data?.[field];
      const cure = cureOf(reason, cell, format);
      if (typeof cell !== 'string' || cure === null || cure === 'day') return null;
      cells.push({ type: cure === 'amount' ? 'number' : 'date', cell });
    }
  }
  return cells;
}

/** The formats that the cells of this type may have, the likeliest first; none without such cells. */
function fittingOf(
  type: Cell['type'],
  cells: readonly Cell[],
  format: CsvFormat,
): readonly CsvFormat[] {
  const own = cells.filter((cell) => cell.type === type);
  const tally = new FormatTally(type, format, { mayGuess: true });
  for (const { cell } of own) tally.add(cell, 0);
  const isBuddhist = own.some(({ cell }) => Number(/\d{4}/.exec(cell)?.[0]) >= BUDDHIST_FROM);
  const rankOf = ({ format: { calendar } }: FittingFormat): number =>
    (calendar === 'buddhist') === isBuddhist ? 0 : 1;
  // The sort is stable: a point before a comma, the day before the month.
  return tally
    .fitting()
    .toSorted((a, b) => rankOf(a) - rankOf(b))
    .map((one) => one.format);
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
