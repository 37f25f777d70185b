import { reasonIn } from '../runtime/contract/cell-cure.ts';
import type { CsvFormat } from '../runtime/csv/csv-format.ts';
import type { ManifestRow } from '../store/runs/types.ts';

export type ManifestFormat = 'ndjson' | 'csv';

const CSV_HEADER =
  'row,outcome,documentId,sha256,pages,bytes,code,reasons,part,line,missingCharacters,' +
  'certificateSerial\n';

/** Languages in which the header of a manifest is written for people. */
export const TITLES = ['en', 'th'] as const;
type Titles = (typeof TITLES)[number];

/** In the order of the columns of a manifest. */
const COLUMN_TITLES: readonly Readonly<Record<Titles, string>>[] = [
  { en: 'Row', th: 'แถว' },
  { en: 'Outcome', th: 'ผล' },
  { en: 'Document', th: 'รหัสเอกสาร' },
  { en: 'SHA-256 of the PDF', th: 'SHA-256 ของ PDF' },
  { en: 'Pages', th: 'จำนวนหน้า' },
  { en: 'Size in bytes', th: 'ขนาด (ไบต์)' },
  { en: 'Error code', th: 'รหัสข้อผิดพลาด' },
  { en: 'Reasons', th: 'เหตุผล' },
  { en: 'Part of the upload', th: 'ส่วนที่อัปโหลด' },
  { en: 'Line of the file', th: 'บรรทัดในไฟล์' },
  { en: 'Characters that no font has', th: 'อักขระที่ไม่มีในฟอนต์' },
  { en: 'Serial number of the certificate', th: 'หมายเลขใบรับรอง' },
];

/** The header in words. The byte order mark makes spreadsheets read the file as UTF-8. */
function titleRow(titles: Titles): string {
  return `\uFEFF${COLUMN_TITLES.map((title) => title[titles]).join(',')}\n`;
}

/** The outcomes that select rows of a manifest. */
export const MANIFEST_OUTCOMES = [
  ...(['pending', 'stored', 'invalid', 'failed'] as const),
  ...(['identical', 'withdrawn', 'refused'] as const),
];

/**
 * Yields the manifest of a run as text; `outcome` selects rows, and null all of them. Corrections that
 * were refused are no rows of the run: they are listed only when they are asked for. `titles`: the
 * language of the header of a CSV; null: the names of the fields. `csv`: the format of the run's files,
 * in which the reasons of a CSV ask for dates.
 */
export async function* writeManifest(
  rows: AsyncIterable<readonly ManifestRow[]>,
  format: ManifestFormat,
  outcome: string | null,
  titles: Titles | null,
  csv: CsvFormat = {},
): AsyncGenerator<Uint8Array> {
  if (format === 'csv') yield Buffer.from(titles === null ? CSV_HEADER : titleRow(titles));
  const lineOf = format === 'csv' ? (row: ManifestRow) => csvLine(row, csv) : jsonLine;
  for await (const batch of rows) {
    const selected = batch.filter((row) => {
      const name = outcomeName(row);
      return outcome === null ? name !== 'refused' : name === outcome;
    });
    if (selected.length > 0) yield Buffer.from(selected.map(lineOf).join(''));
  }
}

function outcomeName({ outcome }: ManifestRow): string {
  return outcome === 'repeated' ? 'identical' : outcome;
}

function jsonLine(row: ManifestRow): string {
  const { rowId, documentId, sha256, pages, bytes, code, message, fields, part, line } = row;
  const { missingCharacters, certificateSerial } = row;
  const stored = { documentId, sha256, pages, bytes, missingCharacters, certificateSerial };
  const failed = { code, message, fields };
  const outcome = outcomeName(row);
  return `${JSON.stringify({ row: rowId, outcome, ...stored, ...failed, part, line })}\n`;
}

function csvLine(row: ManifestRow, csv: CsvFormat): string {
  const { rowId, documentId = '', sha256 = '', pages = '', bytes = '', code = '' } = row;
  const stored = [documentId, sha256, pages, bytes, code];
  const place = [row.part, row.line, row.missingCharacters, row.certificateSerial];
  const cells = [rowId, outcomeName(row), ...stored, reasonsOf(row, csv), ...place];
  return `${cells.map((cell) => csvCell(String(cell ?? ''))).join(',')}\n`;
}

/** The reasons of a row in one text, for a file in the format `csv`. */
export function reasonsOf(
  { fields, message }: Pick<ManifestRow, 'fields' | 'message'>,
  csv: CsvFormat,
): string {
  const reasons = fields?.map(({ field, reason }) => `${field}: ${reasonIn(reason, csv)}`);
  return reasons?.join('; ') ?? message ?? '';
}

/**
 * Writes a cell as RFC 4180 asks. Spreadsheets read a cell that begins with one of `=+-@`, or with
 * its full-width form, as a formula, and callers choose row ids: such an id gets an apostrophe
 * before it. Where semicolons separate the cells of a spreadsheet, a cell that holds one would be
 * split and its second half could be a formula: it is quoted, too.
 */
function csvCell(cell: string): string {
  const safe = /^[=+\-@\t\r\uFF1D\uFF0B\uFF0D\uFF20]/.test(cell) ? `'${cell}` : cell;
  return quoteCell(safe);
}

/** Quotes a cell where that is needed. */
export function quoteCell(cell: string): string {
  return /[",;\r\n]|^\s|\s$/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}
