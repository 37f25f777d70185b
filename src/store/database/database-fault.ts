import { StorageUnavailable } from '../terms.ts';

/**
 * The meaning of a driver's error for the store. Drivers translate at the lowest level, so that no SQL
 * text and no parameter value (mysql2 errors carry both) ever travels further up.
 * - `duplicate`: a unique row exists already; nothing was written.
 * - `conflict`: deadlock, lock wait or busy; the transaction may be tried again.
 * - `lost`: the connection ended under the statement; its effect is unknown.
 * - `refused`: the statement itself is wrong: a bug of ours, not an outage.
 */
export type DatabaseFaultKind = 'duplicate' | 'conflict' | 'lost' | 'refused';

export class DatabaseFault extends Error {
  override readonly name = 'DatabaseFault';
  readonly kind: DatabaseFaultKind;

  /** `code` is the database's own code, never its message: messages quote values. */
  constructor(kind: DatabaseFaultKind, code: string) {
    super(`the database answered ${code} (${kind})`);
    this.kind = kind;
  }
}

/** SQLite found its file damaged. */
export class DatabaseDamaged extends StorageUnavailable {
  override readonly name = 'DatabaseDamaged';
}

/** SQLite has no room on its disk. The name stays that of a store that cannot be used now. */
export class DatabaseFull extends StorageUnavailable {}

/** COMMIT was sent, and no answer or an error came back: the rows may be stored or not. */
export class CommitUnknown extends Error {
  override readonly name = 'CommitUnknown';
}

/** A row of the SQLite file is not as it was written (checks/row-checks.ts); reading it again does not help. */
export class RowDamaged extends Error {
  override readonly name = 'RowDamaged';
  readonly table: string;

  constructor(table: string) {
    super(
      `a row of the table ${table} in the SQLite file is damaged: ./intaglio scrub names it;` +
        ' restore the database from a backup',
    );
    this.table = table;
  }
}

export function isFault(error: unknown, kind: DatabaseFaultKind): boolean {
  return error instanceof DatabaseFault && error.kind === kind;
}

/**
 * Turns an error that remains after all retries into the one that callers of the store see. Errors
 * that are bugs (`refused`, an impossible `duplicate`, errors of other code) stay as they are.
 */
export function asUnavailable(error: unknown): unknown {
  if (error instanceof CommitUnknown) {
    const { cause } = error;
    const message = `the outcome of a commit is not known${reasonIn(cause)}`;
    const Kind = cause instanceof DatabaseFull ? DatabaseFull : StorageUnavailable;
    return new Kind(message, { cause: error });
  }
  if (error instanceof DatabaseFault && (error.kind === 'conflict' || error.kind === 'lost')) {
    return new StorageUnavailable(error.message, { cause: error });
  }
  return error;
}

/** The cause of a failed commit, such as a full disk, as the end of a message. It quotes no value. */
function reasonIn(cause: unknown): string {
  const isWorded = cause instanceof StorageUnavailable || cause instanceof DatabaseFault;
  return isWorded ? `: ${cause.message}` : '';
}
