/**
 * The thread that writes to SQLite: a commit waits for the disk, and the main thread must not. It
 * handles one message at a time.
 */

import { parentPort } from 'node:worker_threads';
import type { InsertTarget } from './checks/row-inserts.ts';
import { RowDamaged } from './database-fault.ts';
import { LogMarker } from './log/log-mark.ts';
import { type Cell, SqliteFile, type SqliteResult, type SqliteSettings } from './sqlite-file.ts';

export interface Statement {
  /** The text, or where whole rows are inserted. */
  readonly sql: string | InsertTarget;
  readonly parameters: readonly Cell[];
  /** Number of rows that it must change, else the transaction is rolled back; null: any number. */
  readonly changes: number | null;
}

/** `statements` is a single statement or a whole transaction. */
export interface WriteRequest {
  readonly id: number;
  readonly statements: readonly Statement[];
  readonly isTransaction: boolean;
}

/** `failedAt` is the index of the statement that failed, or 'begin' or 'commit'. */
export interface WriteFault {
  readonly failedAt: number | 'begin' | 'commit';
  /** Extended result code of SQLite; null: the error is not SQLite's. */
  readonly errcode: number | null;
  readonly name: string;
  /** The statement changed an unexpected number of rows. */
  readonly isMiscounted: boolean;
  /** The table of a row whose check does not fit (checks/row-checks.ts); null: another fault. */
  readonly damagedTable: string | null;
}

/** A query that changes nothing. */
export interface ReadRequest {
  readonly id: number;
  readonly sql: string;
  readonly parameters: readonly Cell[];
}

/**
 * Messages to the thread: open a file, do work in it, read long rows, add the checks of its rows,
 * record its schema, close it.
 */
export type WriteMessage =
  | { readonly kind: 'open'; readonly settings: SqliteSettings }
  | { readonly kind: 'work'; readonly request: WriteRequest }
  | { readonly kind: 'read'; readonly request: ReadRequest }
  | { readonly kind: 'checks'; readonly id: number; readonly isMigrated: boolean }
  | { readonly kind: 'record'; readonly id: number }
  | { readonly kind: 'close' };

/** Null confirms that the file is closed. */
export type WriteAnswer = WriteReply | null;

/** The answer to the request with this id. */
export type WriteReply =
  | { readonly id: number; readonly fault: null; readonly results: readonly SqliteResult[] }
  | { readonly id: number; readonly fault: WriteFault };

class Miscounted extends Error {
  override readonly name = 'Miscounted';
}

const port = parentPort;
if (port === null) throw new Error('this module is the start of a thread');
let settings: SqliteSettings | null = null;
let file: SqliteFile | null = null;
/** A second connection, which compares the rows that it reads. */
let reader: SqliteFile | null = null;
let marker: LogMarker | null = null;

port.on('message', (message: WriteMessage) => {
  switch (message.kind) {
    case 'open':
      settings = message.settings;
      return;
    case 'work':
      send(write(message.request));
      marker?.committed();
      return;
    case 'read':
      send(read(message.request));
      return;
    case 'checks':
      // Its views have the columns that tables had before.
      closeReader();
      send(addChecks(message.id, message.isMigrated));
      return;
    case 'record':
      send(recordSchema(message.id));
      return;
    case 'close':
      marker?.close();
      marker = null;
      closeReader();
      file?.close();
      file = null;
      settings = null;
      send(null);
  }
});

function send(message: WriteAnswer): void {
  port?.postMessage(message);
}

/** Opens the file at the first statement, so that a failure becomes that statement's error. */
function openFile(): SqliteFile {
  if (settings === null) throw new Error('no file was named');
  file ??= new SqliteFile(settings);
  marker ??= new LogMarker(settings.path);
  return file;
}

function write({ id, statements, isTransaction }: WriteRequest): WriteReply {
  let step: WriteFault['failedAt'] = 'begin';
  try {
    const database = openFile();
    if (isTransaction) database.run('begin immediate', []);
    const results: SqliteResult[] = [];
    for (const [index, statement] of statements.entries()) {
      step = index;
      results.push(execute(database, statement));
    }
    step = 'commit';
    if (isTransaction) database.run('commit', []);
    return { id, fault: null, results };
  } catch (error) {
    if (isTransaction && step !== 'begin') rollBack();
    return { id, fault: faultOf(error, step) };
  }
}

function read({ id, sql, parameters }: ReadRequest): WriteReply {
  try {
    if (settings === null) throw new Error('no file was named');
    reader ??= new SqliteFile({ ...settings, readsOnly: true, busyTimeoutMs: 0 });
    const result = reader.run(sql, parameters);
    return { id, fault: null, results: [{ ...result, rows: result.rows.map(shareBytes) }] };
  } catch (error) {
    return { id, fault: faultOf(error, 0) };
  }
}

/** Moves the bytes of a row into shared memory, of which the main thread gets a reference. */
function shareBytes(row: unknown): unknown {
  const cells = Object.entries(row ?? {}).map(([column, cell]: [string, unknown]) => {
    if (!(cell instanceof Uint8Array)) return [column, cell];
    const shared = new Uint8Array(new SharedArrayBuffer(cell.byteLength));
    shared.set(cell);
    return [column, shared];
  });
  return Object.fromEntries(cells);
}

function closeReader(): void {
  reader?.close();
  reader = null;
}

/** Part of the migrations' transaction, which the caller has begun. */
function addChecks(id: number, isMigrated: boolean): WriteReply {
  try {
    const hasUnsealed = openFile().addChecks(isMigrated);
    const rows = hasUnsealed ? [true] : [];
    return { id, fault: null, results: [{ rows, changes: null, lastInsertRowid: null }] };
  } catch (error) {
    return { id, fault: faultOf(error, 0) };
  }
}

/** Part of a transaction, which the caller has begun. */
function recordSchema(id: number): WriteReply {
  try {
    openFile().recordSchema();
    return { id, fault: null, results: [] };
  } catch (error) {
    return { id, fault: faultOf(error, 0) };
  }
}

function execute(database: SqliteFile, { sql, parameters, changes }: Statement): SqliteResult {
  const result =
    typeof sql === 'string' ? database.run(sql, parameters) : database.insert(sql, parameters);
  if (changes !== null && Number(result.changes) !== changes) throw new Miscounted();
  return result;
}

function rollBack(): void {
  try {
    file?.run('rollback', []);
  } catch (error) {
    // SQLite ends some transactions by itself; the first error is the one to report.
    if (!(error instanceof Error)) throw error;
  }
}

function faultOf(error: unknown, failedAt: WriteFault['failedAt']): WriteFault {
  const errcode = error instanceof Error && 'errcode' in error ? Number(error.errcode) : null;
  const name = error instanceof Error ? error.name : typeof error;
  const damagedTable = error instanceof RowDamaged ? error.table : null;
  return { failedAt, errcode, name, isMiscounted: error instanceof Miscounted, damagedTable };
}
