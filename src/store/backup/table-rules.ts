import type { ColumnShape, SchemaShape } from '../database/schema-shape.ts';
import { isUuid } from '../ids.ts';
import { StorageUnavailable } from '../terms.ts';
import { type BackupFolder, rowsName } from './folder.ts';
import type { Cell, TableFile } from './rows.ts';

/**
 * Tables that a backup leaves out: short-lived and derived rows, sessions of users, and the id of the
 * database, because a restored database is another one.
 */
export const LEFT_OUT: ReadonlySet<string> = new Set([
  'installation',
  'schema_version',
  'probes',
  'digest_queue',
  'digest_blocks',
  'rate_windows',
  'rate_limits',
  'sessions',
  'sign_in_links',
]);

const DIGEST_BYTES = 32;
const HALF_DIGEST_BYTES = 16;

/**
 * Throws unless the backup has each table of its schema and no other one. An earlier version backs up
 * tables that are left out now.
 */
export function demandTables(
  folder: BackupFolder,
  tables: Readonly<Record<string, TableFile>>,
  shape: SchemaShape,
): void {
  const names = Object.keys(tables);
  const unknown = names.filter((name) => !shape.has(name) && !LEFT_OUT.has(name));
  const absent = [...shape.keys()].filter((name) => !LEFT_OUT.has(name) && !names.includes(name));
  if (unknown.length + absent.length === 0) return;
  const faults = [
    ...absent.map((name) => `it lacks the table ${name}`),
    ...unknown.slice(0, 1).map(() => 'it has a table that its schema has not'),
  ];
  throw new StorageUnavailable(
    `the backup was changed: ${folder.path} is not a whole one: ${faults.join(', ')}`,
  );
}

/** Compares rows with the columns of their table. */
export class RowRules {
  readonly #path: string;
  readonly #shapes: readonly (ColumnShape & { readonly name: string })[];
  #row = 0;

  /** Throws StorageUnavailable unless the columns are those of the table. */
  constructor(folder: BackupFolder, table: string, columns: readonly string[], shape: SchemaShape) {
    this.#path = folder.pathOf(rowsName(table));
    const shapes = shape.get(table) ?? new Map<string, ColumnShape>();
    this.#shapes = columns.flatMap((name) => {
      const column = shapes.get(name);
      return column === undefined ? [] : [{ ...column, name }];
    });
    const isWhole = new Set(columns).size === shapes.size && columns.length === shapes.size;
    if (!isWhole || this.#shapes.length < shapes.size) {
      throw new StorageUnavailable(
        `the backup was changed: the first line of ${this.#path} does not name the columns of its table`,
      );
    }
  }

  /** Throws StorageUnavailable when a cell cannot be one of its column. */
  demand(rows: readonly (readonly Cell[])[]): void {
    for (const cells of rows) {
      this.#row += 1;
      for (const [index, shape] of this.#shapes.entries()) {
        if (fits(shape, cells[index] ?? null)) continue;
        throw new StorageUnavailable(
          `the backup was changed: row ${this.#row} of ${this.#path} has no valid ${shape.name}`,
        );
      }
    }
  }
}

function fits({ kind, isNullable, isKey }: ColumnShape, cell: Cell): boolean {
  if (cell === null) return isNullable;
  switch (kind) {
    case 'uuid':
      // The files of the service are named after ids.
      return cell === '' ? !isKey : isUuid(cell);
    case 'id':
    case 'text':
    // Short texts are the only type that migrations spell themselves.
    case 'other':
      return typeof cell === 'string';
    case 'digest':
      return cell instanceof Uint8Array && cell.byteLength === DIGEST_BYTES;
    case 'halfDigest':
      return cell instanceof Uint8Array && cell.byteLength === HALF_DIGEST_BYTES;
    case 'wrappedKey':
    case 'blob':
      return cell instanceof Uint8Array;
    case 'ms':
    case 'bigNumber':
    case 'number':
      return typeof cell === 'number';
  }
}
