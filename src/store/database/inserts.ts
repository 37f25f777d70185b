import { type InsertTarget, insertText } from './checks/row-inserts.ts';
import type { Schema } from './schema.ts';
import type { ScriptStatement } from './script.ts';

/** Columns of a stored document without encryption. */
export const DOCUMENT_COLUMNS = [
  'document_id',
  'team_id',
  'template_id',
  'version',
  'sha256',
  'bytes',
  'pages',
  'protected',
  'created_at_ms',
  'expires_at_ms',
  'state',
] as const satisfies readonly (keyof Schema['documents'])[];

/** Columns of a batch of documents of which at least one is encrypted. */
export const ENCRYPTED_COLUMNS = [
  ...DOCUMENT_COLUMNS,
  'wrapped_key',
] as const satisfies readonly (keyof Schema['documents'])[];

/** Columns of documents that are stored in a pack. */
export const PACKED_COLUMNS = [
  ...DOCUMENT_COLUMNS,
  'pack_id',
  'pack_offset',
] as const satisfies readonly (keyof Schema['documents'])[];

/** Columns of the row of a pack or another file of a run. */
export const FILE_COLUMNS = [
  'file_id',
  'run_id',
  'kind',
  'bytes',
  'expires_at_ms',
  'state',
  'wrapped_key',
] as const satisfies readonly (keyof Schema['run_files'])[];

export const AUDIT_COLUMNS = [
  'audit_id',
  'at_ms',
  'request_id',
  'team_id',
  'principal',
  'action',
  'outcome',
  'code',
  'template_id',
  'version',
  'document_id',
  'mode',
  'pages',
  'bytes',
  'duration_ms',
  'sha256',
  'signer',
  'certificate_serial',
  'draft',
  'contributors',
  'detail',
] as const satisfies readonly (keyof Schema['audit'])[];

/** A value that the database computes: an expression with its parameters. */
export class SqlValue {
  readonly sql: string;
  readonly parameters: readonly unknown[];

  constructor(sql: string, parameters: readonly unknown[]) {
    this.sql = sql;
    this.parameters = parameters;
  }
}

/** An INSERT of whole rows, whose cells are one list: SQLite's thread makes its text. */
export class RowsInsert implements ScriptStatement {
  readonly target: InsertTarget;
  readonly parameters: readonly unknown[];
  readonly changes = null;
  readonly #rows: number;

  constructor(target: InsertTarget, rows: number, parameters: readonly unknown[]) {
    this.target = target;
    this.parameters = parameters;
    this.#rows = rows;
  }

  get sql(): string {
    return insertText(this.target, this.#rows);
  }
}

/** The text of each list of columns, which is a constant. */
const TEXTS = new WeakMap<readonly string[], string>();

/**
 * Builds a multi-row INSERT with the same text in both dialects. It bypasses kysely, whose query
 * building costs more than the insert itself (see docs/reliability.md, figures). A value may be an
 * `SqlValue`.
 */
export function insertOf<Column extends string>(
  table: string,
  columns: readonly Column[],
  rows: readonly Readonly<Record<Column, unknown>>[],
): ScriptStatement {
  const cells: unknown[] = [];
  let isPlain = true;
  for (const row of rows) {
    for (const column of columns) {
      const value = row[column];
      isPlain &&= !(value instanceof SqlValue);
      cells.push(value);
    }
  }
  let names = TEXTS.get(columns);
  if (names === undefined) TEXTS.set(columns, (names = columns.join(',')));
  if (isPlain) return new RowsInsert({ table, columns: names }, rows.length, cells);
  const tuples = rows.map((row) => tupleOf(columns.map((column) => row[column])));
  return {
    sql: `insert into ${table} (${names}) values ${tuples.join(',')}`,
    parameters: cells.flatMap((cell) => (cell instanceof SqlValue ? cell.parameters : [cell])),
    changes: null,
  };
}

function tupleOf(values: readonly unknown[]): string {
  return `(${values.map((value) => (value instanceof SqlValue ? value.sql : '?')).join(',')})`;
}

/** Rows of one statement: few distinct texts, so that they stay prepared. */
const ROWS_PER_INSERT = [250, 50] as const;

/** Splits an INSERT into statements; a full chunk is one, because each costs a round trip. */
export function insertsOf<Column extends string>(
  table: string,
  columns: readonly Column[],
  rows: readonly Readonly<Record<Column, unknown>>[],
): readonly ScriptStatement[] {
  const statements: ScriptStatement[] = [];
  for (let at = 0; at < rows.length;) {
    const left = rows.length - at;
    const count = ROWS_PER_INSERT.find((size) => size <= left) ?? left;
    statements.push(insertOf(table, columns, rows.slice(at, at + count)));
    at += count;
  }
  return statements;
}
