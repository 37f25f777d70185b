import { readFileSync } from 'node:fs';

/** The rows of the table under a heading of tables.md, as cells by column name. */
export function readTable(heading: string): readonly Readonly<Record<string, string>>[] {
  const text = readFileSync(new URL('tables.md', import.meta.url), 'utf8');
  const section = text.split(/^## /m).find((part) => part.startsWith(`${heading}\n`));
  if (section === undefined) throw new Error(`tables.md has no section ${heading}`);
  return tableOf(section);
}

/** The rows of the only table of a text, each by its column names; code marks are left out. */
export function tableOf(text: string): readonly Readonly<Record<string, string>>[] {
  const lines = text.split('\n').filter((line) => line.startsWith('|'));
  const [head = [], , ...rows] = lines.map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim().replaceAll('`', '')),
  );
  return rows.map((row) => Object.fromEntries(head.map((name, index) => [name, row[index] ?? ''])));
}
