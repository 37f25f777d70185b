import fs from 'node:fs';

/** Writes bytes to a file descriptor; `done` gets the error, or how many bytes were taken. */
export type Write = (
  bytes: Uint8Array,
  done: (error: NodeJS.ErrnoException | null, written: number) => void,
) => void;

/** Lines that wait for a reader that stands still, in UTF-16 units. */
const WAITING_LENGTH_MAX = 1_048_576;
/** One write; the next lines are joined meanwhile. */
const BATCH_LENGTH_MAX = 65_536;
/** Pause before a full pipe is tried again. */
const RETRY_MS = 50;

/**
 * Lines of the log on their way to the reader. Nothing here blocks the event loop: a reader that
 * stands still costs at most `WAITING_LENGTH_MAX` of memory, and then lines. Dropped lines are
 * counted, and the next line that gets through is followed by one that says how many were dropped.
 */
export class LogLines {
  readonly #write: Write;
  readonly #waiting: string[] = [];
  #waitingLength = 0;
  /** Bytes of the current batch that the descriptor has not taken yet. */
  #batch: Uint8Array | null = null;
  #batchLines = 0;
  #dropped = 0;
  #reported = 0;
  #whenEmpty: (() => void)[] = [];

  constructor(write: Write) {
    this.#write = write;
  }

  /** Lines that nobody will read, since the start. */
  get dropped(): number {
    return this.#dropped;
  }

  /** Whether lines were dropped and none has got through since. */
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
      this.#whenEmpty.push(resolve);
    });
    clearTimeout(timer);
  }

  #push(line: string): void {
    this.#waiting.push(line);
    this.#waitingLength += line.length;
    if (this.#batch === null) this.#next();
  }

  #next(): void {
    let length = 0;
    let count = 0;
    while (count < this.#waiting.length && (count === 0 || length < BATCH_LENGTH_MAX)) {
      length += this.#waiting[count]?.length ?? 0;
      count += 1;
    }
    if (count === 0) {
      this.#batch = null;
      for (const resolve of this.#whenEmpty.splice(0)) resolve();
      return;
    }
    this.#batch = Buffer.from(this.#waiting.splice(0, count).join(''));
    this.#batchLines = count;
    this.#waitingLength -= length;
    this.#advance(this.#batch);
  }

  #advance(bytes: Uint8Array): void {
    this.#write(bytes, (error, written) => {
      if (error === null && written < bytes.length) this.#advance(bytes.subarray(written));
      else if (error === null) this.#end();
      else if (error.code === 'EAGAIN') this.#advanceLater(bytes);
      else this.#lose();
    });
  }

  #advanceLater(bytes: Uint8Array): void {
    setTimeout(() => this.#advance(bytes), RETRY_MS).unref();
  }

  #end(): void {
    const untold = this.#dropped - this.#reported;
    if (untold > 0) {
      this.#reported = this.#dropped;
      const time = new Date().toISOString();
      const note = { level: 'warn', time, msg: 'log lines dropped', count: untold };
      this.#waiting.push(`${JSON.stringify(note)}\n`);
      this.#waitingLength += this.#waiting.at(-1)?.length ?? 0;
    }
    this.#next();
  }

  /** The reader has ended, or the disk is full: later lines may get through again. */
  #lose(): void {
    this.#dropped += this.#batchLines;
    this.#next();
  }
}

/** Standard streams that take a log. */
export type LogStream = 'stdout' | 'stderr';

/**
 * The lines of a standard stream. A pipe or a socket is written by the event loop, without blocking: a
 * disk that hangs may hold all of libuv's threads, and then the log must say so. Other descriptors
 * can only be written by those threads.
 */
export function standardLines(name: LogStream): LogLines {
  const stream = process[name];
  const kind = fs.fstatSync(stream.fd);
  if (!kind.isFIFO() && !kind.isSocket()) {
    return new LogLines((bytes, done) => fs.write(stream.fd, bytes, done));
  }
  // A reader that ended is told to each write; here it would end the process.
  stream.removeAllListeners('error').on('error', () => undefined);
  return new LogLines((bytes, done) => {
    stream.write(bytes, (error) => done(error ?? null, bytes.length));
  });
}
