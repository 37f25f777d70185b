import { parse } from 'csv-parse/sync';
import type { Outcome } from '../../errors.ts';
import { fail, succeed } from '../../errors.ts';
import { LIMITS } from '../../limits.ts';
import { CORRECTION, unguardCell } from '../../runtime/contract/correction.ts';

/** The header of CSV rows, and what separates their cells. */
export interface CsvHeader {
  readonly columns: readonly string[];
  readonly delimiter: string;
}

/** Separators that are recognised when a header has no comma: those of Excel in other countries. */
const OTHER_DELIMITERS = [';', '\t'];
const PLACES: readonly string[] = [CORRECTION.part, CORRECTION.line];

const BROKEN = 'The row is not valid CSV.';

/** How every reader of rows reads CSV, so that the same file means the same everywhere. */
export const CSV_OPTIONS = {
  // Without this, the first line break of each block that is read would decide for the block.
  record_delimiter: ['\r\n', '\n'],
  // The readers count the cells, with messages that quote none of them.
  relax_column_count: true,
  skip_empty_lines: true,
};

/** What is wrong with the header of a CSV; null: nothing. */
export function headerFault(columns: readonly string[]): string | null {
  if (columns.length > LIMITS.csvColumnsMax) {
    return `there are ${columns.length} columns, at most ${LIMITS.csvColumnsMax} are possible`;
  }
  const separatorLine = /^sep=.?$/i.exec(columns[0] ?? '')?.[0];
  if (separatorLine !== undefined) {
    return `the first line is ${separatorLine}…, which only Excel reads: delete that line`;
  }
  const known = new Set<string>();
  const repeated = columns.find((name) => known.size === known.add(name).size);
  if (repeated === '') return 'a column has no name: name it, or delete it';
  if (repeated !== undefined) {
    return `column ${JSON.stringify(repeated)} stands twice in the header: rename or delete one`;
  }
  const places = PLACES.filter((name) => known.has(name));
  if (places.length === 1) {
    return `corrections need both columns ${PLACES.join(' and ')}, and only ${places[0]} is there`;
  }
  // A single column whose name has another separator is a file without commas.
  const [first = ''] = columns;
  const separator = columns.length === 1 ? /[;\t|]/.exec(first)?.[0] : undefined;
  if (separator === undefined) return null;
  const allowed = 'a comma, a semicolon or a tab is needed';
  return `the cells are separated by ${JSON.stringify(separator)}; ${allowed}`;
}

/**
 * A function that gives the records of `whole`, a block of CSV, as JSON objects by the names of the
 * header; an empty cell makes the field absent. `textOf` gives the text of a single record, so that
 * one that cannot be read fails alone.
 */
export function csvRows(
  textOf: (index: number) => string,
  whole: string,
  count: number,
  header: CsvHeader,
): (index: number) => Outcome<Uint8Array> {
  const records = readRecords(whole, header.delimiter);
  if (records?.length === count) return (index) => asJson(header, records[index]);
  // A broken quote would swallow the following records, so each record is parsed separately.
  return (index) => {
    const one = readRecords(textOf(index), header.delimiter);
    return one?.length === 1 ? asJson(header, one[0]) : fail('bad_request', BROKEN);
  };
}

/**
 * Reads the header of a CSV, which may follow a byte order mark; null when it is not CSV. Blanks
 * around names and empty columns at the end, which spreadsheets leave behind, do not count. A
 * delimiter that was named comes first, but a file of corrections has commas whatever it is.
 */
export function readHeader(text: string, named: string | null = null): CsvHeader | null {
  const line = text.replace(/^\uFEFF/, '');
  const byName = named === null ? [] : (readRecords(line, named)?.[0] ?? []);
  if (named !== null && byName.length > 1) return headerOf(byName, named);
  const byComma = readRecords(line, ',')?.[0] ?? null;
  if (byComma !== null && byComma.length > 1) return headerOf(byComma, ',');
  for (const delimiter of OTHER_DELIMITERS) {
    const cells = readRecords(line, delimiter)?.[0] ?? [];
    if (cells.length > 1) return headerOf(cells, delimiter);
  }
  return byComma === null ? null : headerOf(byComma, ',');
}

function headerOf(cells: readonly string[], delimiter: string): CsvHeader {
  const columns = cells.map((name) => name.trim());
  while (columns.length > 1 && columns.at(-1) === '') columns.pop();
  return { columns, delimiter };
}

/** Reads CSV records; null when the text is not CSV. */
export function readRecords(
  text: string,
  delimiter: string,
): readonly (readonly string[])[] | null {
  try {
    return parse(text, { ...CSV_OPTIONS, delimiter });
  } catch (error) {
    // csv-parse names its faults with a code; anything else is a bug.
    if (error instanceof Error && 'code' in error) return null;
    throw error;
  }
}

/**
 * The data of a record; null when its cells do not fit the header. Cells beyond the header must be
 * empty, and an empty cell is a field that is absent.
 */
export function recordData(
  { columns }: Pick<CsvHeader, 'columns'>,
  cells: readonly string[],
): Readonly<Record<string, string>> | null {
  if (cells.length < columns.length) return null;
  for (let at = columns.length; at < cells.length; at += 1) if (cells[at] !== '') return null;
  const isCorrection = columns.includes(CORRECTION.line);
  const data = Object.create(null) as Record<string, string>;
  for (const [index, name] of columns.entries()) {
    const cell = cells[index] ?? '';
    // A correction without its address must not pass for a new row.
    if (cell === '' && !PLACES.includes(name)) continue;
    data[name] = isCorrection ? unguardCell(cell) : cell;
  }
  return data;
}

/** What is wrong with the number of cells of a record. */
export function cellFault(cells: number, columns: number): string {
  return `The row has ${cells} cells, the header has ${columns}.`;
}

function asJson(header: CsvHeader, cells: readonly string[] = []): Outcome<Uint8Array> {
  const data = recordData(header, cells);
  if (data !== null) return succeed(Buffer.from(JSON.stringify(data)));
  return fail('bad_request', cellFault(cells.length, header.columns.length));
}
