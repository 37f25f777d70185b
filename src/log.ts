import { pino } from 'pino';
import { type LogLines, type LogStream, standardLines } from './log-lines.ts';

export type Log = pino.Logger;

/** Logs of a process share the lines on their way to its stream; the first log chooses the stream. */
let shared: LogLines | null = null;

function sharedLines(stream: LogStream): LogLines {
  shared ??= standardLines(stream);
  return shared;
}

/** Lines that a reader who stands still or has ended never got. */
export function droppedLogLines(): number {
  return shared?.dropped ?? 0;
}

/** Whether the log loses lines now. */
export function isDroppingLog(): boolean {
  return shared?.isDropping ?? false;
}

/** Resolves when the log is written, at the latest after `timeoutMs`. */
export async function flushLog(timeoutMs: number): Promise<void> {
  await shared?.flush(timeoutMs);
}

/**
 * JSON lines on `stream`: `level` as its name, `time` in ISO 8601 UTC. Callers pass ids,
 * codes, counts and durations, never payload. Lines are written in the background (log-lines.ts):
 * `flushLog` before the process ends.
 */
export function createLog(level: string, stream: LogStream = 'stdout'): Log {
  return pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      serializers: { err: (err: unknown) => (isDescribed(err) ? err : describeError(err)) },
    },
    sharedLines(stream),
  );
}

/**
 * The parts of an error that a log may hold. Messages of parsers, assertions and database drivers
 * quote what they stumbled over (V8's JSON.parse prints the text around the fault, mysql2 keeps the
 * statement), so only messages of plain errors, of our own and of system calls are kept; the stack
 * loses its first lines, which repeat the message.
 */
export function describeError(error: unknown): Record<string, unknown> {
  const description = descriptionOf(error);
  DESCRIBED.add(description);
  return description;
}

/** Errors that a caller has described already are written as they are. */
const DESCRIBED = new WeakSet<object>();

function isDescribed(err: unknown): boolean {
  return typeof err === 'object' && err !== null && DESCRIBED.has(err);
}

function descriptionOf(error: unknown): Record<string, unknown> {
  if (!(error instanceof Error)) return { type: typeof error };
  const code = 'code' in error && typeof error.code === 'string' ? error.code : undefined;
  const frames = (error.stack ?? '').split('\n').filter((line) => line.startsWith('    at '));
  const stack = frames.slice(0, FRAMES_MAX).map((line) => line.trim());
  const message = isSafe(error) ? error.message : undefined;
  const cause = error.cause === undefined ? undefined : describeError(error.cause);
  return { type: error.name, message, code, stack, cause };
}

const FRAMES_MAX = 20;
const SAFE_NAMES = new Set([
  'Error',
  'TypeError',
  'StorageUnavailable',
  'FileDamaged',
  'FileKeyMissing',
  'FileMissing',
  'ConfigError',
]);

function isSafe(error: Error): boolean {
  if ('sql' in error || 'sqlState' in error) return false;
  return 'syscall' in error || SAFE_NAMES.has(error.name);
}

/** Pause between two lines of a warning that every request repeats. */
const REPEAT_MS = 1_000;

/**
 * A warning that an outage repeats for each request: the first is logged at once, those that follow
 * share a line a second. `requests` counts what a line stands for.
 */
export class RepeatedWarning {
  readonly #log: Pick<Log, 'warn'>;
  readonly #msg: string;
  readonly #afterPause: (tell: () => void) => void;
  #last: object | null = null;
  #count = 0;
  #isPausing = false;

  constructor(log: Pick<Log, 'warn'>, msg: string, afterPause = afterRepeatPause) {
    this.#log = log;
    this.#msg = msg;
    this.#afterPause = afterPause;
  }

  warn(entry: object): void {
    this.#last = entry;
    this.#count += 1;
    if (!this.#isPausing) this.#tell();
  }

  #tell(): void {
    this.#isPausing = false;
    if (this.#last === null) return;
    this.#log.warn({ msg: this.#msg, ...this.#last, requests: this.#count });
    this.#last = null;
    this.#count = 0;
    this.#isPausing = true;
    this.#afterPause(() => this.#tell());
  }
}

function afterRepeatPause(tell: () => void): void {
  setTimeout(tell, REPEAT_MS).unref();
}
