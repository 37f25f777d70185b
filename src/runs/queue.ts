/*
 * BullMQ on Redis or Valkey distributes work to all instances of a database. An assignment only names
 * work: the instance that takes it still has to lease the work in the database. Redis may therefore
 * lose its data, or return old data, at any time.
 */

import { randomUUID } from 'node:crypto';
import { Queue, Worker, type RedisOptions } from 'bullmq';
import { describeError, type Log } from '../log/log.ts';
import { within } from '../runtime/within.ts';

const QUEUE_NAME = 'runs';
const DEFAULT_PREFIX = 'intaglio';
/** Redis counts as down when it has not answered for this long. */
const ANSWER_MS_MAX = 2_000;
const RECONNECT_MS = 500;
/** An instance that has not renewed its lock on an assignment for this long counts as dead. */
const LOCK_MS = 10_000;
/** Interval at which BullMQ looks for assignments of dead instances. */
const STALLED_MS = 5_000;
/** BullMQ must not limit attempts, because the database does. */
const STALLED_MAX = 1_000_000;
const CLOSE_MS_MAX = 1_000;
const PROBE_MS_MAX = 5_000;
/** Number of consecutive failed offers after which all connections are opened again. */
const REOPEN_FAILURES = 15;

/** Names a chunk to render; with `chunkId` null, any other step that the run needs next. */
export interface Assignment {
  readonly runId: string;
  readonly chunkId: string | null;
  /** While an assignment waits or is in progress, another with its id is not added. */
  readonly id: string;
}

export interface RunQueueOptions {
  /** `redis://[user:password@]host[:port][/database][?prefix=NAME]`, or rediss: for TLS. */
  readonly url: string;
  /**
   * The id of the database whose work is distributed. It is part of every key, so that services with
   * other databases on the same server neither take nor drop these assignments.
   */
  readonly database: string;
  /** Assignments in progress at the same time. */
  readonly concurrency: number;
  readonly log: Log;
  /** Never rejects. */
  readonly take: (assignment: Assignment) => Promise<void>;
  /** Called when no assignment waits any more. */
  readonly onDrained: () => void;
}

export interface RunQueueFigures {
  readonly isUp: boolean;
  readonly offered: number;
  readonly taken: number;
}

/** The two sides of BullMQ: one adds assignments, the other takes them. */
interface Connections {
  readonly queue: Queue<Assignment>;
  readonly worker: Worker<Assignment>;
  readonly prefix: string;
}

/** Distributes assignments to all instances. */
export class RunQueue {
  readonly #options: RunQueueOptions;
  readonly #log: Log;
  #connections: Connections;
  #isUp = false;
  /** The connection state that the log reported last. */
  #isLoggedUp = true;
  /** Number of consecutive failed offers. */
  #failures = 0;
  #isClosing = false;
  #offered = 0;
  #taken = 0;

  constructor(options: RunQueueOptions) {
    this.#options = options;
    this.#log = options.log;
    this.#connections = this.#open();
  }

  #open(): Connections {
    const { url, database, concurrency, take, onDrained } = this.#options;
    const { connection, prefix: first } = readQueueUrl(url);
    const prefix = `${first}:${database}`;
    const queue = new Queue<Assignment>(QUEUE_NAME, {
      // While Redis is down, commands fail at once instead of waiting.
      connection: { ...connection, enableOfflineQueue: false },
      prefix,
      defaultJobOptions: { removeOnComplete: true, removeOnFail: true },
    });
    const worker = new Worker<Assignment>(
      QUEUE_NAME,
      async ({ data }) => {
        this.#taken += 1;
        await take(data);
      },
      {
        connection,
        prefix,
        concurrency,
        name: randomUUID(),
        lockDuration: LOCK_MS,
        stalledInterval: STALLED_MS,
        maxStalledCount: STALLED_MAX,
        runRetryDelay: RECONNECT_MS,
      },
    );
    // Each error is followed by another attempt; `offer` notices an outage.
    queue.on('error', (error) => this.#log.debug(noteOf(error)));
    worker.on('error', (error) => this.#log.debug(noteOf(error)));
    worker.on('drained', onDrained);
    return { queue, worker, prefix };
  }

  get isUp(): boolean {
    return this.#isUp;
  }

  /**
   * Adds assignments that the queue lacks; false: Redis is down. An empty list only tests the
   * connection.
   */
  async offer(assignments: readonly Assignment[]): Promise<boolean> {
    if (this.#isClosing) return false;
    try {
      await within(this.#add(assignments), ANSWER_MS_MAX, () => {
        throw new Error(`no answer within ${ANSWER_MS_MAX} ms`);
      });
      this.#offered += assignments.length;
      this.#setUp(true, null);
    } catch (error) {
      this.#setUp(false, error);
      this.#countFailure();
    }
    return this.#isUp;
  }

  figures(): RunQueueFigures {
    return { isUp: this.#isUp, offered: this.#offered, taken: this.#taken };
  }

  /** Stops taking assignments; those in progress must have ended. */
  async close(): Promise<void> {
    this.#isClosing = true;
    await this.#shut(this.#connections);
  }

  async #shut({ queue, worker }: Connections): Promise<void> {
    const attempt = async (work: Promise<unknown>): Promise<void> => {
      try {
        await within(work, CLOSE_MS_MAX, () => undefined);
      } catch (error) {
        this.#log.debug(noteOf(error));
      }
    };
    await Promise.all([attempt(worker.close(true)), attempt(queue.close())]);
    // A connection that waits for a server that is down would keep the process alive.
    await Promise.all([attempt(worker.disconnect()), attempt(queue.disconnect())]);
  }

  async #add(assignments: readonly Assignment[]): Promise<void> {
    const { queue, prefix } = this.#connections;
    const client = await queue.client;
    if (assignments.length === 0) {
      // Neither key nor field exists: this only tests whether Redis answers.
      await client.hget(`${prefix}:asks`, 'whether Redis answers');
      return;
    }
    await queue.addBulk(
      assignments.map((data) => ({ name: 'work', data, opts: { jobId: data.id } })),
    );
  }

  /**
   * Opens the connections again after many failures: BullMQ does not recover when its first commands
   * on a connection have failed.
   */
  #countFailure(): void {
    this.#failures += 1;
    if (this.#failures % REOPEN_FAILURES !== 0 || this.#isClosing) return;
    void this.#shut(this.#connections);
    this.#connections = this.#open();
  }

  /** Sets whether Redis answers, and logs a change. */
  #setUp(isUp: boolean, error: unknown): void {
    this.#isUp = isUp;
    if (isUp) this.#failures = 0;
    if (isUp === this.#isLoggedUp) return;
    this.#isLoggedUp = isUp;
    if (isUp) this.#log.info({ msg: 'the queue of runs answers again' });
    else this.#log.warn({ ...noteOf(error), msg: 'the queue of runs is down' });
  }
}

function noteOf(error: unknown): object {
  return { msg: 'the queue of runs', err: describeError(error) };
}

/**
 * Finds out the version of a server and whether it may drop keys. Rejects when it cannot be used.
 */
export async function probeQueue(
  url: string,
): Promise<{ readonly version: string; readonly dropsKeys: boolean }> {
  const { connection, prefix } = readQueueUrl(url);
  const queue = new Queue(QUEUE_NAME, {
    connection: { ...connection, retryStrategy: () => null },
    prefix,
    skipVersionCheck: true,
  });
  let lastError: unknown = null;
  queue.on('error', (error) => (lastError = error));
  try {
    const info = await within(
      queue.client.then((client) => client.info()),
      PROBE_MS_MAX,
      () => {
        throw new Error(`no answer within ${PROBE_MS_MAX} ms`);
      },
    );
    const policy = /^maxmemory_policy:(\S+)/m.exec(info)?.[1] ?? 'noeviction';
    const version = /^(?:valkey|redis)_version:(\S+)/m.exec(info)?.[1] ?? 'unknown';
    return { version, dropsKeys: policy !== 'noeviction' };
  } catch (error) {
    throw lastError instanceof Error ? lastError : error;
  } finally {
    await within(queue.disconnect(), CLOSE_MS_MAX, () => undefined);
  }
}

/** Reads INTAGLIO_QUEUE_URL, which `isQueueUrl` of settings/setting.ts has accepted. */
function readQueueUrl(url: string): { connection: RedisOptions; prefix: string } {
  const { protocol, hostname, port, username, password, pathname, searchParams } = new URL(url);
  const database = Number(pathname.slice(1));
  const connection: RedisOptions = {
    host: hostname.replace(/^\[|\]$/g, ''),
    port: port === '' ? 6_379 : Number(port),
    db: database,
    connectTimeout: ANSWER_MS_MAX,
    retryStrategy: () => RECONNECT_MS,
    ...(username !== '' && { username: decodeURIComponent(username) }),
    ...(password !== '' && { password: decodeURIComponent(password) }),
    ...(protocol === 'rediss:' && { tls: {} }),
  };
  return { connection, prefix: searchParams.get('prefix') ?? DEFAULT_PREFIX };
}
