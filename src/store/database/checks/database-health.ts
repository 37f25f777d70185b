import { Worker } from 'node:worker_threads';
import { CommitUnknown, DatabaseDamaged, RowDamaged } from '../database-fault.ts';
import { THREAD_FLAGS } from '../../../runtime/thread-flags.ts';

/** A damaged file is examined again after this pause. */
const RECHECK_MS = 5_000;

/** What this process has found damaged in the SQLite file. */
export class DatabaseHealth {
  /** Tables with a row that is not as it was written. */
  readonly damagedTables = new Set<string>();
  readonly #path: string;
  /** Why the service is not ready; null: nothing was found, or a check has passed since. */
  #reason: string | null = null;
  #isChecking = false;
  #nextCheckMs = 0;

  constructor(path: string) {
    this.#path = path;
  }

  /** Call this with each error of a statement. */
  note(error: unknown): void {
    const cause = error instanceof CommitUnknown ? error.cause : error;
    if (cause instanceof RowDamaged) this.damagedTables.add(cause.table);
    if (cause instanceof DatabaseDamaged) this.#reason = cause.message;
  }

  /** Throws while the file is damaged, and has it examined again. */
  demandSound(): void {
    if (this.#reason === null) return;
    if (!this.#isChecking && performance.now() >= this.#nextCheckMs) void this.#recheck();
    throw new DatabaseDamaged(
      `${this.#reason}; stop the service, see ./intaglio doctor, and restore a backup`,
    );
  }

  async #recheck(): Promise<void> {
    this.#isChecking = true;
    try {
      const defects = await checkFile({ path: this.#path, extent: 'pages' });
      this.#reason = defects.length === 0 ? null : `the SQLite file is damaged: ${defects[0]}`;
    } catch (error) {
      this.#reason = `the SQLite file cannot be examined (${nameOf(error)})`;
    } finally {
      this.#isChecking = false;
      this.#nextCheckMs = performance.now() + RECHECK_MS;
    }
  }
}

/** `pages`: their structure; `indexes`: the indexes are compared with their tables, too. */
export interface CheckOrder {
  readonly path: string;
  readonly extent: 'pages' | 'indexes';
}

/** Examines the file in a thread; an empty list: it is sound. */
export function checkFile(order: CheckOrder): Promise<readonly string[]> {
  const thread = new Worker(new URL('./quick-check-thread.ts', import.meta.url), {
    execArgv: THREAD_FLAGS,
    workerData: order,
  });
  return new Promise((resolve, reject) => {
    thread.once('message', (defects: readonly string[]) => resolve(defects));
    thread.once('error', reject);
    thread.once('exit', () => reject(new Error('the thread ended without an answer')));
  });
}

function nameOf(error: unknown): string {
  return error instanceof Error ? error.name : typeof error;
}
