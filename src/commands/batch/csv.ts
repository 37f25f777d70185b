import { CommandFailed } from '../console/failure.ts';

/** Messages for the error codes of csv-parse, whose own messages quote cells. */
const FAULTS: Readonly<Record<string, string>> = {
  CSV_INVALID_CLOSING_QUOTE: 'after a closing quote only a comma or the end of the line may follow',
  CSV_NON_TRIMABLE_CHAR_AFTER_CLOSING_QUOTE:
    'after a closing quote only a comma or the end of the line may follow',
  INVALID_OPENING_QUOTE:
    'a quote stands inside a cell that does not begin with one: put the whole cell in quotes, and' +
    ' write the quote twice',
};

/** Turns an error of csv-parse into one that says line and cause; returns other errors unchanged. */
export function explainCsv(
  error: unknown,
  path: string,
  lastLine: number,
  lengthMax: number,
): unknown {
  if (!(error instanceof Error && 'code' in error)) return error;
  const code = String(error.code);
  if (!code.startsWith('CSV_') && !(code in FAULTS)) return error;
  const line = 'lines' in error ? Number(error.lines) : lastLine + 1;
  if (code === 'CSV_QUOTE_NOT_CLOSED') {
    // The library reports the last line of the file, but the quote is in the record after the last
    // whole one.
    return new CommandFailed(
      `${path}: a quote that is opened in line ${lastLine + 1} or later is never closed`,
    );
  }
  if (code === 'CSV_MAX_RECORD_SIZE') {
    return new CommandFailed(`${path}: line ${line}: the record is larger than ${lengthMax} bytes`);
  }
  const cause = FAULTS[code] ?? `it is not valid CSV (${code})`;
  return new CommandFailed(`${path}: line ${line}: ${cause}`);
}

/** One line of CSV (RFC 4180), without its line break. */
export function csvLine(cells: readonly string[], delimiter: string): string {
  return cells.map((cell) => csvCell(cell, delimiter)).join(delimiter);
}

function csvCell(cell: string, delimiter: string): string {
  const isQuoted = cell.includes(delimiter) || /["\r\n]|^\s|\s$/.test(cell);
  return isQuoted ? `"${cell.replaceAll('"', '""')}"` : cell;
}
