import type { ManifestRow } from '../store/runs/types.ts';

export type ManifestFormat = 'ndjson' | 'csv';

const CSV_HEADER = 'row,outcome,documentId,sha256,pages,bytes,code,reasons\n';

/** Yields the manifest of a run as text; `outcome` selects rows, and null all of them. */
export async function* writeManifest(
  rows: AsyncIterable<readonly ManifestRow[]>,
  format: ManifestFormat,
  outcome: string | null,
): AsyncGenerator<Uint8Array> {
  if (format === 'csv') yield Buffer.from(CSV_HEADER);
  const lineOf = format === 'csv' ? csvLine : jsonLine;
  for await (const batch of rows) {
    const selected = outcome === null ? batch : batch.filter((row) => row.outcome === outcome);
    if (selected.length > 0) yield Buffer.from(selected.map(lineOf).join(''));
  }
}

function jsonLine(row: ManifestRow): string {
  const { rowId, outcome, documentId, sha256, pages, bytes, code, message, fields } = row;
  const stored = { documentId, sha256, pages, bytes };
  const failed = { code, message, fields };
  return `${JSON.stringify({ row: rowId, outcome, ...stored, ...failed })}\n`;
}

function csvLine(row: ManifestRow): string {
  const { rowId, outcome, documentId = '', sha256 = '', pages = '', bytes = '', code = '' } = row;
  const reasons = row.fields?.map(({ field, reason }) => `${field}: ${reason}`).join('; ');
  const cells = [rowId, outcome, documentId, sha256, pages, bytes, code, reasons ?? row.message];
  return `${cells.map((cell) => csvCell(String(cell ?? ''))).join(',')}\n`;
}

/**
 * Writes a cell as RFC 4180 asks. Spreadsheets read a cell that begins with one of `=+-@`, or with
 * its full-width form, as a formula, and callers choose row ids: such an id gets an apostrophe
 * before it. Where semicolons separate the cells of a spreadsheet, a cell that holds one would be
 * split and its second half could be a formula: it is quoted, too.
 */
function csvCell(cell: string): string {
  const safe = /^[=+\-@\t\r\uFF1D\uFF0B\uFF0D\uFF20]/.test(cell) ? `'${cell}` : cell;
  return /[",;\r\n]|^\s|\s$/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
