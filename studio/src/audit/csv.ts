import { t } from '../i18n/i18n.ts';
import type { AuditPage } from '../api/types.ts';
import { namesOf } from './principals.tsx';
import { fetchRecords, type AuditFilters } from './api.ts';

const COLUMNS = [
  'at',
  'name',
  'principal',
  'action',
  'outcome',
  'code',
  'templateId',
  'version',
  'documentId',
  'mode',
  'pages',
  'bytes',
  'durationMs',
  'sha256',
  'signer',
  'certificateSerial',
  'draft',
  'contributors',
  'detail',
  'requestId',
  'auditId',
] as const;
/** Records requested at a time. */
const CSV_PAGE_RECORDS = 200;
/** Records in one file; with the filters, a longer period can be saved in several files. */
export const CSV_RECORDS_MAX = 20_000;

interface Csv {
  readonly text: string;
  /** Whether it has all records that the filters select. */
  readonly isWhole: boolean;
}

/** The records that the filters select, with titles in the language of the Studio. */
export async function auditCsv(filters: AuditFilters): Promise<Csv> {
  const lines = [COLUMNS.map((name) => cell(t(`audit_column.${name}`))).join(',')];
  let after: string | null = null;
  do {
    const page: AuditPage = await fetchRecords(filters, after, CSV_PAGE_RECORDS);
    const nameOf = await namesOf(page.records.map(({ principal }) => principal));
    for (const record of page.records) {
      const cells = COLUMNS.map((column) =>
        column === 'name' ? nameOf(record.principal) : record[column],
      );
      lines.push(cells.map(cell).join(','));
    }
    after = page.next;
  } while (after !== null && lines.length <= CSV_RECORDS_MAX);
  // The byte order mark makes spreadsheets read the file as UTF-8.
  return { text: `\uFEFF${lines.join('\r\n')}\r\n`, isWhole: after === null };
}

/** Escapes a cell (RFC 4180). A text that would run as a formula gets an apostrophe before it. */
function cell(value: string | number | boolean | readonly string[] | null): string {
  if (value === null) return '';
  if (typeof value === 'object') return cell(value.join(' '));
  const text =
    typeof value === 'string' && /^[=+\-@\t\r\uFF1D\uFF0B\uFF0D\uFF20]/.test(value)
      ? `'${value}`
      : String(value);
  return /[",;\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** Names the file by the days and the template that it is about. */
export function csvName({ templateId, from, to }: AuditFilters, today = new Date()): string {
  const until = to || localDay(today);
  const days = from === '' || from === until ? until : `${from}-to-${until}`;
  return `${['audit', templateId, days].filter((part) => part !== '').join('-')}.csv`;
}

function localDay(date: Date): string {
  const parts = [date.getFullYear(), date.getMonth() + 1, date.getDate()];
  return parts.map((part) => String(part).padStart(2, '0')).join('-');
}
