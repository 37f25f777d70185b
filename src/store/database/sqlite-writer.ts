import { Worker } from 'node:worker_threads';
import { CommitUnknown, RowDamaged } from './database-fault.ts';
import { RowsInsert } from './inserts.ts';
import { Miscount, type ScriptStatement } from './script.ts';
import { THREAD_FLAGS } from '../../runtime/thread-flags.ts';
import { asCell, SqliteFault, translate } from './sqlite-fault.ts';
import type { SqliteResult } from './sqlite-file.ts';
import type {
  ReadRequest,
  Statement,
  WriteAnswer,
  WriteFault,
  WriteMessage,
  WriteReply,
  WriteRequest,
} from './sqlite-thread.ts';
import { StorageUnavailable } from '../terms.ts';

/** How long a write waits, in its thread, for another process's transaction. */
const BUSY_TIMEOUT_MS = 5_000;
/** Limit of the callers that wait for the write connection. */
const WAITING_MAX = 4_096;

interface Pending {
  readonly resolve: (results: readonly SqliteResult[]) => void;
  readonly reject: (error: unknown) => void;
  readonly isTransaction: boolean;
}

/**
 * The only connection that writes to a SQLite file, in a separate thread. One caller holds it at a
 * time: otherwise the statements of two callers would run in each other's transaction.
 */
export class SqliteWriter {
  readonly #path: string;
  readonly #pending = new Map<number, Pending>();
  readonly #waiting: (() => void)[] = [];
  #thread: WriterThread | null = null;
  #onClosed: () => void = () => undefined;
  #lastId = 0;
  /** A caller holds the connection. */
  #isHeld = false;
  /** The thread ended while a caller held the connection; its transaction was rolled back. */
  #isLost = false;
  #closing: Promise<void> | null = null;

  constructor(path: string) {
    this.#path = path;
  }

  /** `isFirst`: before all others that wait. */
  async acquire(isFirst = false): Promise<void> {
    if (this.#isHeld) {
      if (this.#waiting.length >= WAITING_MAX && !isFirst) {
        throw new StorageUnavailable('too many callers wait for the database');
      }
      await new Promise<void>((resolve) => {
        if (isFirst) this.#waiting.unshift(resolve);
        else this.#waiting.push(resolve);
      });
    }
    this.#isHeld = true;
  }

  /** Hands the connection to the next caller in line, without freeing it in between. */
  release(): void {
    this.#isLost = false;
    const next = this.#waiting.shift();
    if (next === undefined) this.#isHeld = false;
    else next();
  }

  /**
   * Runs a query in the thread, between two messages of the connection that writes. Its rows are
   * compared as those that the main thread reads; their bytes come in shared memory.
   */
  async read(sql: string, parameters: readonly unknown[]): Promise<readonly unknown[]> {
    const cells = parameters.map(asCell);
    const request = (id: number): ReadRequest => ({ id, sql, parameters: cells });
    const [result] = await this.#request((id) => ({ kind: 'read', request: request(id) }), false);
    return result?.rows ?? [];
  }

  /** Runs one statement; the caller must have acquired the connection. */
  async run(sql: string, parameters: readonly unknown[]): Promise<SqliteResult> {
    const [result] = await this.#send([{ sql, parameters, changes: null }], false);
    if (result === undefined) throw new Error('a statement has a result');
    return result;
  }

  /**
   * Adds the checks of rows (checks/row-checks.ts); the caller has begun the migrations' transaction.
   * Returns whether rows may have to be sealed.
   */
  async addChecks(isMigrated: boolean): Promise<boolean> {
    const [found] = await this.#request((id) => ({ kind: 'checks', id, isMigrated }), false);
    return found !== undefined && found.rows.length > 0;
  }

  /** Records the schema of the file as it is; the caller has begun a transaction. */
  async recordSchema(): Promise<void> {
    await this.#request((id) => ({ kind: 'record', id }), false);
  }

  /**
   * Runs a whole transaction. Rejects with `Miscount`, with a fault when it was certainly rolled
   * back, and with `CommitUnknown` when it may have been committed. `isFirst`: before all other
   * transactions that wait.
   */
  async transact(statements: readonly ScriptStatement[], isFirst = false): Promise<void> {
    await this.acquire(isFirst);
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
      this.#onClosed = resolve;
      thread.ref();
      thread.post({ kind: 'close' });
    });
    this.#thread = null;
    thread.giveBack();
  }

  #send(
    statements: readonly ScriptStatement[],
    isTransaction: boolean,
  ): Promise<readonly SqliteResult[]> {
    return this.#request((id) => {
      const request: WriteRequest = { id, statements: statements.map(asMessage), isTransaction };
      return { kind: 'work', request };
    }, isTransaction);
  }

  #request(
    messageOf: (id: number) => WriteMessage,
    isTransaction: boolean,
  ): Promise<readonly SqliteResult[]> {
    if (this.#closing !== null) throw new StorageUnavailable('the database is closed');
    // A new thread would commit the rest of a transaction without its beginning.
    if (this.#isLost) throw new StorageUnavailable('the thread that writes ended');
    const thread = (this.#thread ??= this.#start());
    const id = (this.#lastId += 1);
    thread.post(messageOf(id));
    // The process must not end before the answer arrives.
    if (this.#pending.size === 0) thread.ref();
    return new Promise((resolve, reject) => {
      this.#pending.set(id, { resolve, reject, isTransaction });
    });
  }

  #start(): WriterThread {
    const settings = { path: this.#path, readsOnly: false, busyTimeoutMs: BUSY_TIMEOUT_MS };
    const thread = WriterThread.take({
      onAnswer: (answer) => {
        if (answer === null) this.#onClosed();
        else this.#receive(thread, answer);
      },
      onEnd: (error) => this.#lose(error),
    });
    thread.post({ kind: 'open', settings });
    return thread;
  }

  #receive(thread: WriterThread, reply: WriteReply): void {
    const pending = this.#pending.get(reply.id);
    if (pending === undefined) throw new Error('the thread answered an unknown request');
    this.#pending.delete(reply.id);
    if (this.#pending.size === 0 && this.#closing === null) thread.unref();
    if (reply.fault === null) pending.resolve(reply.results);
    else pending.reject(asError(reply.fault, pending.isTransaction));
  }

  /** Called when the thread has ended. Fails the pending requests; the next caller starts a thread. */
  #lose(reason: unknown): void {
    this.#thread = null;
    this.#isLost = this.#isHeld;
    const lost = [...this.#pending.values()];
    this.#pending.clear();
    for (const { reject, isTransaction } of lost) {
      reject(
        isTransaction
          ? new CommitUnknown('the thread that writes ended', { cause: reason })
          : new StorageUnavailable('the thread that writes ended', { cause: reason }),
      );
    }
    this.#onClosed();
  }
}

interface ThreadOwner {
  onAnswer(answer: WriteAnswer): void;
  onEnd(error: unknown): void;
}

/** A thread that runs sqlite-thread.ts. One without an owner is kept: starting one costs 50 ms. */
class WriterThread {
  static #spare: WriterThread | null = null;
  readonly #worker: Worker;
  #owner: ThreadOwner | null = null;
  #error: unknown = null;
  #isEnded = false;

  private constructor() {
    this.#worker = new Worker(new URL('./sqlite-thread.ts', import.meta.url), {
      execArgv: THREAD_FLAGS,
    });
    this.#worker.unref();
    this.#worker.on('message', (answer: WriteAnswer) => this.#owner?.onAnswer(answer));
    this.#worker.on('error', (error: unknown) => {
      this.#error = error;
    });
    this.#worker.on('exit', () => {
      this.#isEnded = true;
      if (WriterThread.#spare === this) WriterThread.#spare = null;
      this.#owner?.onEnd(this.#error);
    });
  }

  static take(owner: ThreadOwner): WriterThread {
    const thread = WriterThread.#spare ?? new WriterThread();
    WriterThread.#spare = null;
    thread.#owner = owner;
    return thread;
  }

  /** Gives up a thread that has closed its file, for the next writer. */
  giveBack(): void {
    this.#owner = null;
    if (this.#isEnded) return;
    this.#worker.unref();
    if (WriterThread.#spare === null) WriterThread.#spare = this;
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

function asMessage(statement: ScriptStatement): Statement {
  const { parameters, changes } = statement;
  const sql = statement instanceof RowsInsert ? statement.target : statement.sql;
  return { sql, parameters: parameters.map(asCell), changes };
}

function asError(fault: WriteFault, isTransaction: boolean): unknown {
  const { failedAt, isMiscounted, damagedTable, errcode, name } = fault;
  if (damagedTable !== null) return new RowDamaged(damagedTable);
  if (isMiscounted) return new Miscount(Number(failedAt));
  const error = translate(new SqliteFault(errcode, name));
  return isTransaction && failedAt === 'commit'
    ? new CommitUnknown('COMMIT failed', { cause: error })
    : error;
}
