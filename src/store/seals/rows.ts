import { type Kysely, sql } from 'kysely';
import type { Database } from '../database/database.ts';
import { AUDIT_COLUMNS } from '../database/inserts.ts';
import type { Schema } from '../database/schema.ts';

/**
 * A record as it was read. `exact` is null when the database holds exactly these values; otherwise it
 * states the types and bytes that the database holds.
 */
export interface Row {
  readonly values: Schema['audit'];
  readonly exact: string | null;
}

/** The type of each column. Somebody who writes the database may put values of other types there. */
const COLUMNS: Readonly<Record<keyof Schema['audit'], 'text' | 'integer' | 'blob'>> = {
  audit_id: 'text',
  at_ms: 'integer',
  request_id: 'text',
  team_id: 'text',
  principal: 'text',
  action: 'text',
  outcome: 'text',
  code: 'text',
  template_id: 'text',
  version: 'integer',
  document_id: 'text',
  mode: 'text',
  pages: 'integer',
  bytes: 'integer',
  duration_ms: 'integer',
  sha256: 'blob',
  signer: 'text',
  certificate_serial: 'text',
  draft: 'integer',
  contributors: 'blob',
  detail: 'text',
};
const NAMES = Object.keys(COLUMNS) as (keyof Schema['audit'])[];
/**
 * Types and bytes of all columns as SQLite has them. Its driver ends a text at a NUL and replaces
 * what is not UTF-8, so a changed text can look as it did while comparisons in SQL tell them apart.
 */
const EXACT = sql<string>`${sql.join(
  NAMES.map((name) => sql`typeof(${sql.ref(name)}) || ':' || hex(${sql.ref(name)})`),
  sql` || ',' || `,
)}`;

/** The columns of the audit, sorted by name. */
export const SORTED_COLUMNS = NAMES.toSorted();
const TEXTS = NAMES.filter((name) => COLUMNS[name] === 'text');
/** Whether each value has the type of its column; much cheaper than `EXACT`. */
const HAS_TYPES = sql<number>`${sql.join(
  NAMES.map((name) => sql`typeof(${sql.ref(name)}) in (${sql.lit(COLUMNS[name])}, 'null')`),
  sql` and `,
)}`;
/** Bytes of all texts, with those after a NUL. */
const TEXT_BYTES = sql<number>`length(cast(${sql.join(
  TEXTS.map((name) => sql`ifnull(${sql.ref(name)}, '')`),
  sql` || `,
)} as blob))`;

/** Whether the texts are those of the database: U+FFFD may stand for bytes that are not UTF-8. */
function hasBytes(values: Schema['audit'], bytes: number): boolean {
  let text = '';
  for (const name of TEXTS) text += values[name] ?? '';
  return Buffer.byteLength(text) === bytes && !text.includes('\uFFFD');
}

/** The text of `EXACT` for a row whose values all have the type of their column. */
function exactOf(values: Schema['audit']): string {
  return NAMES.map((name) => {
    const value = values[name];
    if (value === null) return 'null:';
    const bytes = value instanceof Uint8Array ? Buffer.from(value) : Buffer.from(String(value));
    return `${COLUMNS[name]}:${bytes.toString('hex').toUpperCase()}`;
  }).join(',');
}

/** The types of all values if one differs from that of its column; null: none does. */
function foreignTypes(values: Schema['audit']): string | null {
  const types = NAMES.map((name) => {
    const value: unknown = values[name];
    if (value === null || value === undefined) return COLUMNS[name];
    if (value instanceof Uint8Array) return 'blob';
    return typeof value === 'number' ? 'integer' : 'text';
  });
  return types.every((type, at) => type === COLUMNS[NAMES[at] ?? 'audit_id'])
    ? null
    : types.join(',');
}

/** Records in the order of their ids: from an id on, without the first `skipped`. */
interface RowRange {
  readonly from: string;
  readonly skipped: number;
  readonly countMax: number;
}

/** Reads records and compares the types and bytes of their columns with those that SQL sees. */
export async function readRows(
  { dialect }: Database,
  db: Kysely<Schema>,
  { from, skipped, countMax }: RowRange,
): Promise<readonly Row[]> {
  const query = db
    .selectFrom('audit')
    .where('audit_id', '>=', from)
    .orderBy('audit_id')
    .limit(sql.lit(countMax))
    .offset(sql.lit(skipped));
  if (dialect === 'mysql') {
    const rows = await query.select(AUDIT_COLUMNS).execute();
    return rows.map((values) => ({ values, exact: foreignTypes(values) }));
  }
  const plain = await query
    .select([HAS_TYPES.as('has_types'), TEXT_BYTES.as('text_bytes')])
    .select(AUDIT_COLUMNS)
    .execute();
  const isPlain = plain.every((row) => row.has_types === 1 && hasBytes(row, row.text_bytes));
  if (isPlain) return plain.map((values) => ({ values, exact: null }));
  const rows = await query.select(EXACT.as('exact')).select(AUDIT_COLUMNS).execute();
  return rows.map(({ exact, ...values }) => ({
    values,
    exact: exact === exactOf(values) ? null : exact,
  }));
}
