import { ERRORS } from '../src/errors.ts';

const BEGIN = '<!-- errors: made by npm run generate -->';
const END = '<!-- end of errors -->';

/** docs/calling.md with the table of errors as the code has it. */
export function withErrorTable(page: string): string {
  const [before, rest] = page.split(BEGIN);
  const after = rest?.split(END)[1];
  if (before === undefined || after === undefined) throw new Error('the page has no place for it');
  const rows = Object.entries(ERRORS).map(([code, { status, message, mend }]) => [
    String(status),
    `\`${code}\``,
    message,
    mend,
  ]);
  return `${before}${BEGIN}\n\n${table([['status', 'code', 'meaning', 'what to do'], ...rows])}\n\n${END}${after}`;
}

/** As prettier lays it out. */
function table(rows: readonly (readonly string[])[]): string {
  const [head = []] = rows;
  const widths = head.map((_, column) =>
    Math.max(3, ...rows.map((row) => (row[column] ?? '').length)),
  );
  const line = (cells: readonly string[], fill: string): string =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0, fill)).join(' | ')} |`;
  const rule = line(
    head.map(() => ''),
    '-',
  );
  return [line(head, ' '), rule, ...rows.slice(1).map((row) => line(row, ' '))].join('\n');
}
