import { existsSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { writeOutput } from '../../src/commands/console/files/output-file.ts';
import { withSizing } from '../../lab/pages/sizing.ts';
import type { BenchOptions } from '../options.ts';
import { formatHtml } from './html.ts';
import { fillPage } from './page.ts';
import type { Report } from './report.ts';
import { formatHeader, formatLeftOut, formatTable, reportTables } from './table.ts';

/** Prints the tables. */
export function printReport(report: Report): void {
  process.stdout.write(`${formatText(report)}\n`);
}

/** Writes the files that the command line names. */
export async function writeFiles(report: Report, options: BenchOptions): Promise<void> {
  if (options.json !== null) writeText(options.json, `${JSON.stringify(report, null, 2)}\n`);
  // That of a profile is a flame graph, written when it was measured.
  if (options.html !== null && options.name !== 'profile') {
    writeText(options.html, formatHtml(report));
  }
  if (options.page !== null) await updatePage(options.page, report);
}

/** Writes a file; throws `CommandFailed` when it cannot be written. */
export function writeText(path: string, text: string): void {
  writeOutput(path, Buffer.from(text));
}

function formatText(report: Report): string {
  const tables = reportTables(report).map(formatTable);
  const notes = report.notes.map((note) => `note: ${note}`);
  const leftOut = formatLeftOut(report);
  if (leftOut !== null) notes.push(leftOut);
  return [formatHeader(report), ...tables, ...notes].join('\n\n');
}

/** Replaces the page's tables; those of docs/performance.md are what docs/sizing.md sums up. */
async function updatePage(path: string, report: Report): Promise<void> {
  const filled = fillPage(readFileSync(path, 'utf8'), report);
  await writePage(path, filled);
  const sizing = join(dirname(path), 'sizing.md');
  if (basename(path) !== 'performance.md' || !existsSync(sizing)) return;
  await writePage(sizing, withSizing(readFileSync(sizing, 'utf8'), filled));
}

/** Writes a page, laid out as `./intaglio check` demands. */
async function writePage(path: string, text: string): Promise<void> {
  // Loaded here only: most runs write no page.
  const { format, resolveConfig } = await import('prettier');
  const settings = await resolveConfig(path);
  writeText(path, await format(text, { ...settings, parser: 'markdown' }));
}
