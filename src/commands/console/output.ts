import { writeOut } from './terminal.ts';

/** Writes the result of a command, as JSON or as text for people. */
export function show(json: boolean | undefined, value: unknown, text: () => string): void {
  writeOut(json === true ? `${JSON.stringify(value)}\n` : `${text()}\n`);
}

/** Formats rows as aligned columns; returns `none` when there are no rows. */
export function table(
  head: readonly string[],
  rows: readonly (readonly string[])[],
  none: string,
): string {
  if (rows.length === 0) return none;
  const lines = [head, ...rows];
  const widths = head.map((_, column) =>
    lines.reduce((width, line) => Math.max(width, widthOf(line[column] ?? '')), 0),
  );
  const pad = (cell: string, column: number): string =>
    cell + ' '.repeat((widths[column] ?? 0) - widthOf(cell));
  return lines
    .map((line) => line.map(pad).join('  '))
    .map((line) => line.trimEnd())
    .join('\n');
}

/** Width on a terminal: Thai vowels and tone marks above or below a consonant take no column. */
function widthOf(text: string): number {
  return text.replaceAll(/\p{Mn}/gu, '').length;
}

/** ISO 8601 UTC with milliseconds. */
export function isoTime(ms: number): string {
  return new Date(ms).toISOString();
}

/** A count with its noun, such as `1 page` and `2 pages`. */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
