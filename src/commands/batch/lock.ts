import { closeSync, openSync, rmSync, statSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';

import { CommandFailed } from '../console/failure.ts';

/** The result code of a file that another connection has locked. */
const SQLITE_BUSY = 5;

/** A lock that is held. */
export interface FolderLock {
  /** When the lock was taken that a killed process left here; null: there was none. */
  readonly leftSinceMs: number | null;
  release(): void;
}

/**
 * Locks a folder for this process by a file in it. The lock is SQLite's lock of that file, which
 * the operating system releases when the process ends in any way, so that none is left for ever.
 * Throws `CommandFailed` when another process holds it, and errors of the system as they are.
 */
export function lockFolder(path: string, folder: string): FolderLock {
  for (;;) {
    const before = statSync(path, { throwIfNoEntry: false });
    // `open` of the database would not say why the folder cannot be written.
    closeSync(openSync(path, 'a', 0o600));
    const opened = identityOf(path);
    // Whoever holds the lock holds it for a whole batch: waiting would not help.
    const database = new DatabaseSync(path, { timeout: 0 });
    try {
      database.exec('BEGIN EXCLUSIVE');
    } catch (error) {
      database.close();
      if (!(error instanceof Error && 'errcode' in error)) throw error;
      if (error.errcode !== SQLITE_BUSY) throw error;
      throw new CommandFailed(
        `another batch writes into ${folder} now: wait until it has ended, or give another --out`,
      );
    }
    // The other batch may have ended, and removed its file, between opening and locking.
    if (opened !== null && opened === identityOf(path)) {
      return { leftSinceMs: before?.mtimeMs ?? null, release: () => release(path, database) };
    }
    database.close();
  }
}

/** Removes the file while it is locked: a process that waits for the lock then sees that it is gone. */
function release(path: string, database: DatabaseSync): void {
  rmSync(path, { force: true });
  database.close();
}

function identityOf(path: string): string | null {
  const found = statSync(path, { throwIfNoEntry: false });
  return found === undefined ? null : `${found.ino}:${found.birthtimeMs}`;
}
