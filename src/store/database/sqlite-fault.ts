import { DatabaseFault } from './database-fault.ts';
import { type Cell, NoWriteAheadLog } from './sqlite-file.ts';
import { reasonOf } from '../reason.ts';
import { StorageUnavailable } from '../store.ts';

// SQLite result codes (sqlite3.h); the low byte of an extended code is the primary one.
const SQLITE_ERROR = 1;
const SQLITE_BUSY = 5;
const SQLITE_LOCKED = 6;
const SQLITE_TOOBIG = 18;
const SQLITE_CONSTRAINT = 19;
const SQLITE_MISMATCH = 20;
const SQLITE_MISUSE = 21;
const SQLITE_RANGE = 25;
const SQLITE_CONSTRAINT_PRIMARYKEY = SQLITE_CONSTRAINT | (6 << 8);
const SQLITE_CONSTRAINT_UNIQUE = SQLITE_CONSTRAINT | (8 << 8);

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
  if (extended === SQLITE_CONSTRAINT_PRIMARYKEY || extended === SQLITE_CONSTRAINT_UNIQUE) {
    return new DatabaseFault('duplicate', `SQLITE_${extended}`);
  }
  switch (extended & 0xff) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return new DatabaseFault('conflict', `SQLITE_${extended}`);
    case SQLITE_ERROR:
    case SQLITE_TOOBIG:
    case SQLITE_CONSTRAINT:
    case SQLITE_MISMATCH:
    case SQLITE_MISUSE:
    case SQLITE_RANGE:
      return new DatabaseFault('refused', `SQLITE_${extended}`);
    // FULL, IOERR, READONLY, CANTOPEN, CORRUPT, NOTADB, NOMEM, PERM, AUTH, …: trouble of the disk.
    // oxlint-disable-next-line unicorn/no-useless-switch-case
  }
  const reason = reasonOf(`SQLITE_${extended & 0xff}`);
  return new StorageUnavailable(`SQLite answered with result code ${extended}: ${reason}`);
}

/**
 * Converts a parameter for SQLite. Bytes are copied: posting a view to the thread would clone its
 * whole ArrayBuffer.
 */
export function asCell(value: unknown): Cell {
  if (typeof value === 'string' || typeof value === 'number' || value === null) return value;
  if (value instanceof Uint8Array) return Uint8Array.from(value);
  throw new DatabaseFault('refused', 'a parameter that is neither text, number nor bytes');
}
