import type { DatabaseSync } from 'node:sqlite';
import { crc32 } from 'node:zlib';
import type { Cell } from '../sqlite-file.ts';
import { CHECK_OF_NEW, checkedColumns, listCheckedTables } from './row-checks.ts';

/** The table and the columns of an INSERT of whole rows; `columns` as SQL lists them. */
export interface InsertTarget {
  readonly table: string;
  readonly columns: string;
}

/** What a column stores unchanged (https://sqlite.org/datatype3.html, 3.1). */
type Affinity = 'integer' | 'text' | 'other';

interface Column {
  /** Position among the columns that the check covers. */
  readonly index: number;
  /** Position in the INSERT. */
  readonly at: number;
  readonly affinity: Affinity;
}

/**
 * An INSERT that brings the check of each row along. The triggers of row-checks.ts would write each
 * row twice: without its check, and again with it, which no longer fits in its place in the page.
 */
export class CheckedInsert {
  readonly #target: InsertTarget;
  readonly #width: number;
  /** In the order of the table; null: the triggers seal the rows. */
  readonly #columns: readonly Column[] | null;
  /** By the number of rows. */
  readonly #texts: string[] = [];

  constructor(database: DatabaseSync, target: InsertTarget) {
    this.#target = target;
    const names = target.columns.split(',');
    this.#width = names.length;
    this.#columns = columnsOf(database, target.table, names);
  }

  /** The statement for as many rows as `cells` has, and its parameters. */
  statement(cells: readonly Cell[]): {
    readonly sql: string;
    readonly parameters: readonly Cell[];
  } {
    const sql = this.#textOf(cells.length / this.#width);
    if (this.#columns === null) return { sql, parameters: cells };
    const parameters: Cell[] = [];
    for (let from = 0; from < cells.length; from += this.#width) {
      for (let at = from; at < from + this.#width; at += 1) parameters.push(cells[at] ?? null);
      parameters.push(checkOf(this.#columns, cells, from));
    }
    return { sql, parameters };
  }

  #textOf(rows: number): string {
    return (this.#texts[rows] ??= insertText(this.#target, rows, this.#columns !== null));
  }
}

/** The text of an INSERT of this many rows, with the same text in both dialects. */
export function insertText(
  { table, columns }: InsertTarget,
  rows: number,
  hasCheck = false,
): string {
  const names = hasCheck ? `${columns},row_check` : columns;
  const tuple = `(${names.replaceAll(/[^,]+/g, '?')})`;
  return `insert into ${table} (${names}) values ${`${tuple},`.repeat(rows).slice(0, -1)}`;
}

/**
 * The columns that the check of a new row covers; null: the row may get cells that the INSERT does
 * not name, or the table has no checks.
 */
function columnsOf(
  database: DatabaseSync,
  name: string,
  names: readonly string[],
): readonly Column[] | null {
  const table = listCheckedTables(database).find((one) => one.name === name);
  if (table?.hasChecks !== true) return null;
  const declared = database
    .prepare(`select name, type, pk, dflt_value as fallback from pragma_table_info(?, 'main')`)
    .all(name);
  const columns: Column[] = [];
  for (const [index, column] of checkedColumns(table).entries()) {
    const { type, pk, fallback } = declared.find((one) => one['name'] === column) ?? {};
    const at = names.indexOf(column);
    // SQLite numbers the rows of a table whose key is an integer.
    if (at === -1 && (fallback !== null || pk !== 0)) return null;
    if (at !== -1) columns.push({ index, at, affinity: affinityOf(String(type)) });
  }
  return columns;
}

function affinityOf(type: string): Affinity {
  if (/int/i.test(type)) return 'integer';
  return /char|clob|text/i.test(type) ? 'text' : 'other';
}

/** The check of the row whose cells begin at `from`; null: SQLite might store another cell. */
function checkOf(columns: readonly Column[], cells: readonly Cell[], from: number): number | null {
  let text = CHECK_OF_NEW.prefix;
  for (const { index, at, affinity } of columns) {
    const cell = cells[from + at];
    if (cell === null) continue;
    if (typeof cell === 'string') {
      if (affinity !== 'text') return null;
      text += `,${index}s${cell.length}:${cell}`;
    } else if (typeof cell === 'number') {
      if (affinity !== 'integer' || !Number.isSafeInteger(cell)) return null;
      text += `,${index}i${cell}`;
    } else {
      // SQLite stores null for no bytes.
      if (!(cell instanceof Uint8Array) || cell.byteLength === 0) return null;
      text += `,${index}b${cell.byteLength}:${crc32(cell)}`;
    }
  }
  // SQL functions get a text only up to its first NUL, and none with half a character.
  if (text.includes('\0') || !text.isWellFormed()) return null;
  return CHECK_OF_NEW.base + crc32(text);
}
