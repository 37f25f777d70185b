import { DatabaseDamaged, DatabaseFault, DatabaseFull } from './database-fault.ts';
import { type Cell, NoWriteAheadLog } from './sqlite-file.ts';
import { reasonOf } from '../reason.ts';
import { StorageUnavailable } from '../terms.ts';

// SQLite result codes (sqlite3.h); the low byte of an extended code is the primary one.
const SQLITE_ERROR = 1;
const SQLITE_BUSY = 5;
const SQLITE_LOCKED = 6;
const SQLITE_IOERR = 10;
const SQLITE_CORRUPT = 11;
const SQLITE_FULL = 13;
const SQLITE_TOOBIG = 18;
const SQLITE_CONSTRAINT = 19;
const SQLITE_MISMATCH = 20;
const SQLITE_MISUSE = 21;
const SQLITE_RANGE = 25;
const SQLITE_NOTADB = 26;
/** The file beside the database that indexes its log cannot grow: in practice, the disk is full. */
const SQLITE_IOERR_SHMSIZE = SQLITE_IOERR | (19 << 8);
const SQLITE_CONSTRAINT_PRIMARYKEY = SQLITE_CONSTRAINT | (6 << 8);
const SQLITE_CONSTRAINT_UNIQUE = SQLITE_CONSTRAINT | (8 << 8);

/** Extended codes of a row that exists already. */
const DUPLICATE = new Set([SQLITE_CONSTRAINT_PRIMARYKEY, SQLITE_CONSTRAINT_UNIQUE]);
/** Primary codes of a database that another connection uses. */
const CONFLICT = new Set([SQLITE_BUSY, SQLITE_LOCKED]);
/** Primary codes of a statement that is wrong. */
const REFUSED = new Set([
  SQLITE_ERROR,
  SQLITE_TOOBIG,
  SQLITE_CONSTRAINT,
  SQLITE_MISMATCH,
  SQLITE_MISUSE,
  SQLITE_RANGE,
]);

/** An error of node:sqlite that another thread reported. */
export class SqliteFault extends Error {
  override readonly name: string;
  /** Extended result code; null: the error is not SQLite's. */
  readonly errcode: number | null;

  constructor(errcode: number | null, name: string) {
    super(`SQLite answered with ${errcode ?? name}`);
    this.name = name;
    this.errcode = errcode;
  }
}

/** Translates an error of node:sqlite (`errcode` is the extended result code). */
export function translate(error: unknown): unknown {
  if (error instanceof Error && error.name === NoWriteAheadLog.name) {
    return new StorageUnavailable('SQLite cannot keep a write-ahead log on this file system');
  }
  if (!(error instanceof Error) || !('errcode' in error) || error.errcode === null) return error;
  const extended = Number(error.errcode);
  const primary = extended & 0xff;
  if (DUPLICATE.has(extended)) return new DatabaseFault('duplicate', `SQLITE_${extended}`);
  if (CONFLICT.has(primary)) return new DatabaseFault('conflict', `SQLITE_${extended}`);
  if (REFUSED.has(primary)) return new DatabaseFault('refused', `SQLITE_${extended}`);
  // The disk or the file is to blame: FULL, IOERR, READONLY, CANTOPEN, CORRUPT, NOTADB, …
  const isFull = primary === SQLITE_FULL || extended === SQLITE_IOERR_SHMSIZE;
  const reason = reasonOf(`SQLITE_${isFull ? extended : primary}`);
  const message = `SQLite answered with result code ${extended}: ${reason}`;
  if (isFull) return new DatabaseFull(message);
  const isDamaged = primary === SQLITE_CORRUPT || primary === SQLITE_NOTADB;
  return isDamaged ? new DatabaseDamaged(message) : new StorageUnavailable(message);
}

/**
 * Converts a parameter for SQLite. Bytes are copied: posting a view to the thread would clone its
 * whole ArrayBuffer. Shared memory, which nobody may change any more, is passed as it is.
 */
export function asCell(value: unknown): Cell {
  if (typeof value === 'string' || typeof value === 'number' || value === null) return value;
  if (value instanceof Uint8Array) {
    return value.buffer instanceof SharedArrayBuffer ? value : new Uint8Array(value);
  }
  throw new DatabaseFault('refused', 'a parameter that is neither text, number nor bytes');
}
