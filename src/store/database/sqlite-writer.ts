import { Worker } from 'node:worker_threads';
import { CommitUnknown } from './database-fault.ts';
import { Miscount, type ScriptStatement } from './script.ts';
import { THREAD_FLAGS } from '../../runtime/thread-flags.ts';
import { asCell, SqliteFault, translate } from './sqlite-fault.ts';
import type { SqliteResult } from './sqlite-file.ts';
import type {
  Statement,
  WriteAnswer,
  WriteFault,
  WriteMessage,
  WriteReply,
  WriteRequest,
} from './sqlite-thread.ts';
import { StorageUnavailable } from '../store.ts';

/** How long a write waits for another process's transaction: in its thread, where no one else waits. */
const BUSY_TIMEOUT_MS = 5_000;
/** Callers that may wait for the one write connection. */
const WAITING_MAX = 4_096;

interface Pending {
  readonly resolve: (results: readonly SqliteResult[]) => void;
  readonly reject: (error: unknown) => void;
  readonly isTransaction: boolean;
}

/**
 * The one connection that writes to a SQLite file, in a thread of its own. It is handed to one user
 * at a time: statements of two interleaved callers would otherwise run in each other's transaction.
 */
export class SqliteWriter {
  readonly #path: string;
  readonly #pending = new Map<number, Pending>();
  readonly #waiting: (() => void)[] = [];
  #thread: WriterThread | null = null;
  #whenClosed: () => void = () => undefined;
  #lastId = 0;
  #taken = false;
  /** The thread ended under the connection's user, and what it had begun ended with it. */
  #isLost = false;
  #closing: Promise<void> | null = null;

  constructor(path: string) {
    this.#path = path;
  }

  async acquire(): Promise<void> {
    if (this.#taken) {
      if (this.#waiting.length >= WAITING_MAX) {
        throw new StorageUnavailable('too many callers wait for the database');
      }
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
    this.#taken = true;
  }

  /** The connection passes to the next in line without becoming free in between. */
  release(): void {
    this.#isLost = false;
    const next = this.#waiting.shift();
    if (next === undefined) this.#taken = false;
    else next();
  }

  /** One statement, by whoever has acquired the connection. */
  async run(sql: string, parameters: readonly unknown[]): Promise<SqliteResult> {
    const [result] = await this.#send([{ sql, parameters, changes: null }], false);
    if (result === undefined) throw new Error('a statement has a result');
    return result;
  }

  /**
   * A whole transaction in one go. Rejects with `Miscount`, with a fault when it was certainly rolled
   * back, and with `CommitUnknown` when it may have been committed.
   */
  async transact(statements: readonly ScriptStatement[]): Promise<void> {
    await this.acquire();
    try {
      await this.#send(statements, true);
    } finally {
      this.release();
    }
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    const thread = this.#thread;
    if (thread === null) return;
    await new Promise<void>((resolve) => {
      this.#whenClosed = resolve;
      thread.ref();
      thread.post({ kind: 'close' });
    });
    this.#thread = null;
    thread.putAside();
  }

  #send(
    statements: readonly ScriptStatement[],
    isTransaction: boolean,
  ): Promise<readonly SqliteResult[]> {
    if (this.#closing !== null) throw new StorageUnavailable('the database is closed');
    // In another thread, the rest of a transaction would be committed without its beginning.
    if (this.#isLost) throw new StorageUnavailable('the thread that writes ended');
    const thread = (this.#thread ??= this.#start());
    const id = (this.#lastId += 1);
    const request: WriteRequest = { id, statements: statements.map(asMessage), isTransaction };
    thread.post({ kind: 'work', request });
    // The process must not end while an answer is due.
    if (this.#pending.size === 0) thread.ref();
    return new Promise((resolve, reject) => {
      this.#pending.set(id, { resolve, reject, isTransaction });
    });
  }

  #start(): WriterThread {
    const settings = { path: this.#path, readsOnly: false, busyTimeoutMs: BUSY_TIMEOUT_MS };
    const thread = WriterThread.take({
      answered: (answer) => {
        if (answer === null) this.#whenClosed();
        else this.#receive(thread, answer);
      },
      ended: (error) => this.#lose(error),
    });
    thread.post({ kind: 'open', settings });
    return thread;
  }

  #receive(thread: WriterThread, reply: WriteReply): void {
    const pending = this.#pending.get(reply.id);
    if (pending === undefined) throw new Error('an answer without a question');
    this.#pending.delete(reply.id);
    if (this.#pending.size === 0 && this.#closing === null) thread.unref();
    if ('results' in reply) pending.resolve(reply.results);
    else pending.reject(asError(reply.fault, pending.isTransaction));
  }

  /** The thread is gone; the connection's next user takes another. */
  #lose(reason: unknown): void {
    this.#thread = null;
    this.#isLost = this.#taken;
    const lost = [...this.#pending.values()];
    this.#pending.clear();
    for (const { reject, isTransaction } of lost) {
      reject(
        isTransaction
          ? new CommitUnknown('the thread that writes ended', { cause: reason })
          : new StorageUnavailable('the thread that writes ended', { cause: reason }),
      );
    }
    this.#whenClosed();
  }
}

interface ThreadOwner {
  answered(answer: WriteAnswer): void;
  ended(error: unknown): void;
}

/** A thread that has closed its file waits for the next one: starting one costs 50 ms. */
class WriterThread {
  static #aside: WriterThread | null = null;
  readonly #worker: Worker;
  #owner: ThreadOwner | null = null;
  #error: unknown = null;
  #isEnded = false;

  private constructor() {
    this.#worker = new Worker(new URL('./sqlite-thread.ts', import.meta.url), {
      execArgv: THREAD_FLAGS,
    });
    this.#worker.unref();
    this.#worker.on('message', (answer: WriteAnswer) => this.#owner?.answered(answer));
    this.#worker.on('error', (error: unknown) => {
      this.#error = error;
    });
    this.#worker.on('exit', () => {
      this.#isEnded = true;
      if (WriterThread.#aside === this) WriterThread.#aside = null;
      this.#owner?.ended(this.#error);
    });
  }

  static take(owner: ThreadOwner): WriterThread {
    const thread = WriterThread.#aside ?? new WriterThread();
    WriterThread.#aside = null;
    thread.#owner = owner;
    return thread;
  }

  putAside(): void {
    this.#owner = null;
    if (this.#isEnded) return;
    this.#worker.unref();
    if (WriterThread.#aside === null) WriterThread.#aside = this;
    else void this.#worker.terminate();
  }

  post(message: WriteMessage): void {
    this.#worker.postMessage(message);
  }

  ref(): void {
    this.#worker.ref();
  }

  unref(): void {
    this.#worker.unref();
  }
}

function asMessage({ sql, parameters, changes }: ScriptStatement): Statement {
  return { sql, parameters: parameters.map(asCell), changes };
}

function asError(fault: WriteFault, isTransaction: boolean): unknown {
  const { failedAt, isMiscounted, errcode, name } = fault;
  if (isMiscounted) return new Miscount(Number(failedAt));
  const error = translate(new SqliteFault(errcode, name));
  return isTransaction && failedAt === 'commit'
    ? new CommitUnknown('COMMIT failed', { cause: error })
    : error;
}
