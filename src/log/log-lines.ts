import fs from 'node:fs';

/** Writes bytes to a file descriptor; `done` gets the error, or the number of bytes written. */
export type Write = (
  bytes: Uint8Array,
  done: (error: NodeJS.ErrnoException | null, written: number) => void,
) => void;

/** Limit of the lines that wait while the reader stalls, in UTF-16 units. */
const WAITING_LENGTH_MAX = 1_048_576;
/** Limit of one write; further lines are collected for the next. */
const BATCH_LENGTH_MAX = 65_536;
/** Pause before a full pipe is tried again. */
const RETRY_MS = 50;

/**
 * Buffers log lines without blocking the event loop. While the reader stalls, lines wait up to
 * `WAITING_LENGTH_MAX`; further lines are dropped and counted. The next line that gets through is
 * followed by one with the number of dropped lines.
 */
export class LogLines {
  readonly #write: Write;
  readonly #waiting: string[] = [];
  #waitingLength = 0;
  /** Bytes of the current batch that the descriptor has not taken yet. */
  #batch: Uint8Array | null = null;
  #batchLines = 0;
  #dropped = 0;
  /** How many of the dropped lines a line of the log has reported. */
  #reported = 0;
  /** Called when every line is written or dropped. */
  #onEmpty: (() => void)[] = [];

  constructor(write: Write) {
    this.#write = write;
  }

  /** The number of lines dropped since the start. */
  get dropped(): number {
    return this.#dropped;
  }

  /** Whether lines were dropped and none has been written since. */
  get isDropping(): boolean {
    return this.#dropped > this.#reported;
  }

  write(line: string): void {
    if (this.#waitingLength + line.length > WAITING_LENGTH_MAX) {
      this.#dropped += 1;
      return;
    }
    this.#push(line);
  }

  /** Resolves when every line is written or dropped, at the latest after `timeoutMs`. */
  async flush(timeoutMs: number): Promise<void> {
    if (this.#batch === null) return;
    let timer: NodeJS.Timeout | undefined;
    await new Promise<void>((resolve) => {
      timer = setTimeout(resolve, timeoutMs);
      this.#onEmpty.push(resolve);
    });
    clearTimeout(timer);
  }

  #push(line: string): void {
    this.#waiting.push(line);
    this.#waitingLength += line.length;
    if (this.#batch === null) this.#writeNextBatch();
  }

  #writeNextBatch(): void {
    let length = 0;
    let count = 0;
    while (count < this.#waiting.length && (count === 0 || length < BATCH_LENGTH_MAX)) {
      length += this.#waiting[count]?.length ?? 0;
      count += 1;
    }
    if (count === 0) {
      this.#batch = null;
      for (const resolve of this.#onEmpty.splice(0)) resolve();
      return;
    }
    this.#batch = Buffer.from(this.#waiting.splice(0, count).join(''));
    this.#batchLines = count;
    this.#waitingLength -= length;
    this.#writeBytes(this.#batch);
  }

  #writeBytes(bytes: Uint8Array): void {
    this.#write(bytes, (error, written) => {
      if (error === null && written < bytes.length) this.#writeBytes(bytes.subarray(written));
      else if (error === null) this.#endBatch();
      else if (error.code === 'EAGAIN') this.#writeLater(bytes);
      else this.#dropBatch();
    });
  }

  #writeLater(bytes: Uint8Array): void {
    setTimeout(() => this.#writeBytes(bytes), RETRY_MS).unref();
  }

  /** Called when the batch is written: reports the lines that were dropped, then goes on. */
  #endBatch(): void {
    const unreported = this.#dropped - this.#reported;
    if (unreported > 0) {
      this.#reported = this.#dropped;
      const time = new Date().toISOString();
      const note = { level: 'warn', time, msg: 'log lines dropped', count: unreported };
      this.#waiting.push(`${JSON.stringify(note)}\n`);
      this.#waitingLength += this.#waiting.at(-1)?.length ?? 0;
    }
    this.#writeNextBatch();
  }

  /** Called when the reader has ended or the disk is full; later lines may get through. */
  #dropBatch(): void {
    this.#dropped += this.#batchLines;
    this.#writeNextBatch();
  }
}

/** Standard streams that take a log. */
export type LogStream = 'stdout' | 'stderr';

/**
 * The lines of a standard stream. Pipes and sockets are written without libuv's threads, so that
 * the log works while a hung disk occupies all of them. Other descriptors can only be written by
 * these threads.
 */
export function standardLines(name: LogStream): LogLines {
  const stream = process[name];
  const kind = fs.fstatSync(stream.fd);
  if (!kind.isFIFO() && !kind.isSocket()) {
    return new LogLines((bytes, done) => fs.write(stream.fd, bytes, done));
  }
  // Each write reports that the reader has ended; an unhandled error event would end the process.
  stream.removeAllListeners('error').on('error', () => undefined);
  return new LogLines((bytes, done) => {
    stream.write(bytes, (error) => done(error ?? null, bytes.length));
  });
}
