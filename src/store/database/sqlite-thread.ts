import { parentPort } from 'node:worker_threads';
import { type Cell, SqliteFile, type SqliteResult, type SqliteSettings } from './sqlite-file.ts';

/**
 * The thread that writes to SQLite: a commit waits for the disk, and the main thread must not.
 * Messages are served one after the other.
 */

export interface Statement {
  readonly sql: string;
  readonly parameters: readonly Cell[];
  /** Rows that it must change, or the whole transaction is rolled back; null: any number. */
  readonly changes: number | null;
}

/** `statements`: one alone, or a whole transaction. */
export interface WriteRequest {
  readonly id: number;
  readonly statements: readonly Statement[];
  readonly isTransaction: boolean;
}

/** `failedAt`: which statement failed; its number, or 'begin' or 'commit'. */
export interface WriteFault {
  readonly failedAt: number | 'begin' | 'commit';
  /** Extended result code of SQLite; null: not SQLite's. */
  readonly errcode: number | null;
  readonly name: string;
  /** It changed another number of rows than it must. */
  readonly isMiscounted: boolean;
}

/** Messages to the thread: open a file, do work in it, close it. */
export type WriteMessage =
  | { readonly kind: 'open'; readonly settings: SqliteSettings }
  | { readonly kind: 'work'; readonly request: WriteRequest }
  | { readonly kind: 'close' };

/** Null: the file is closed. */
export type WriteAnswer = WriteReply | null;

export type WriteReply =
  | { readonly id: number; readonly results: readonly SqliteResult[] }
  | { readonly id: number; readonly fault: WriteFault };

class Miscounted extends Error {
  override readonly name = 'Miscounted';
}

const port = parentPort;
if (port === null) throw new Error('this module is the start of a thread');
let settings: SqliteSettings | null = null;
let file: SqliteFile | null = null;

port.on('message', (message: WriteMessage) => {
  switch (message.kind) {
    case 'open':
      settings = message.settings;
      return;
    case 'work':
      send(answer(message.request));
      return;
    case 'close':
      file?.close();
      file = null;
      settings = null;
      send(null);
  }
});

function send(message: WriteAnswer): void {
  port?.postMessage(message);
}

/** Opened with the first statement, so that its failure is that statement's. */
function opened(): SqliteFile {
  if (settings === null) throw new Error('no file was named');
  file ??= new SqliteFile(settings);
  return file;
}

function answer({ id, statements, isTransaction }: WriteRequest): WriteReply {
  let at: WriteFault['failedAt'] = 'begin';
  try {
    const open = opened();
    if (isTransaction) open.run('begin immediate', []);
    const results: SqliteResult[] = [];
    for (const [index, statement] of statements.entries()) {
      at = index;
      results.push(execute(open, statement));
    }
    at = 'commit';
    if (isTransaction) open.run('commit', []);
    return { id, results };
  } catch (error) {
    if (isTransaction && at !== 'begin') rollBack();
    return { id, fault: describe(error, at) };
  }
}

function execute(open: SqliteFile, { sql, parameters, changes }: Statement): SqliteResult {
  const result = open.run(sql, parameters);
  if (changes !== null && Number(result.changes) !== changes) throw new Miscounted();
  return result;
}

function rollBack(): void {
  try {
    file?.run('rollback', []);
  } catch (error) {
    // SQLite ends some transactions by itself; the first error is the one that counts.
    if (!(error instanceof Error)) throw error;
  }
}

function describe(error: unknown, failedAt: WriteFault['failedAt']): WriteFault {
  const errcode = error instanceof Error && 'errcode' in error ? Number(error.errcode) : null;
  const name = error instanceof Error ? error.name : typeof error;
  return { failedAt, errcode, name, isMiscounted: error instanceof Miscounted };
}
