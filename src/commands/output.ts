/** Writes the result of a command: JSON when asked for, else the text for people. */
export function show(json: boolean | undefined, value: unknown, text: () => string): void {
  process.stdout.write(json === true ? `${JSON.stringify(value)}\n` : `${text()}\n`);
}

/** Rows as aligned columns; `none` when there are none. */
export function table(
  head: readonly string[],
  rows: readonly (readonly string[])[],
  none: string,
): string {
  if (rows.length === 0) return none;
  const lines = [head, ...rows];
  const widths = head.map((_, column) =>
    Math.max(...lines.map((line) => (line[column] ?? '').length)),
  );
  return lines
    .map((line) => line.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  '))
    .map((line) => line.trimEnd())
    .join('\n');
}

/** ISO 8601 UTC with milliseconds. */
export function isoTime(ms: number): string {
  return new Date(ms).toISOString();
}
