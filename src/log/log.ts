import { pino } from 'pino';
import { type LogLines, type LogStream, standardLines } from './log-lines.ts';

export type Log = pino.Logger;

/** All logs of a process share this buffer; the first log chooses its stream. */
let sharedLines: LogLines | null = null;

/** The number of log lines that were dropped because the reader stalled or ended. */
export function droppedLogLines(): number {
  return sharedLines?.dropped ?? 0;
}

/** Whether the log drops lines now. */
export function isDroppingLog(): boolean {
  return sharedLines?.isDropping ?? false;
}

/** Resolves when all log lines are written or dropped, or after `timeoutMs`. */
export async function flushLog(timeoutMs: number): Promise<void> {
  await sharedLines?.flush(timeoutMs);
}

/**
 * Creates a log of JSON lines on `stream`, with `level` by name and `time` in ISO 8601 UTC. Log
 * ids, codes, counts and durations, never payload. Lines are written in the background
 * (log-lines.ts), so call `flushLog` before the process ends.
 */
export function createLog(level: string, stream: LogStream = 'stdout'): Log {
  sharedLines ??= standardLines(stream);
  return pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      serializers: { err: (err: unknown) => (isDescription(err) ? err : describeError(err)) },
    },
    sharedLines,
  );
}

/**
 * The parts of an error that may be logged. Messages of parsers, assertions and database drivers
 * quote data (V8's JSON.parse quotes the text around the fault, mysql2 the statement), so only
 * messages of plain errors, our own errors and system calls are kept. The stack loses its first
 * lines, which repeat the message.
 */
export function describeError(error: unknown): Record<string, unknown> {
  const description = descriptionOf(error);
  DESCRIPTIONS.add(description);
  return description;
}

/** Results of `describeError`, which are logged unchanged. */
const DESCRIPTIONS = new WeakSet<object>();

function isDescription(value: unknown): boolean {
  return typeof value === 'object' && value !== null && DESCRIPTIONS.has(value);
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
/** Names of errors whose messages hold no data. */
const SAFE_NAMES = new Set([
  'Error',
  'TypeError',
  'StorageUnavailable',
  'KeysMissing',
  'DatabaseDamaged',
  'DatabaseFault',
  'RowDamaged',
  'FileDamaged',
  'FileKeyMissing',
  'FileMissing',
  'ConfigError',
]);

function isSafe(error: Error): boolean {
  if ('sql' in error || 'sqlState' in error) return false;
  return 'syscall' in error || SAFE_NAMES.has(error.name);
}

/** Interval between two lines of a repeated warning. */
const REPEAT_MS = 1_000;

/**
 * A warning that every request may repeat during an outage. The first is logged at once; later ones
 * share a line per second, whose `requests` counts them.
 */
export class RepeatedWarning {
  readonly #log: Pick<Log, 'warn'>;
  readonly #msg: string;
  readonly #afterPause: (work: () => void) => void;
  /** The last entry that is not logged yet. */
  #pending: object | null = null;
  /** Entries since the last line. */
  #count = 0;
  #isPausing = false;

  constructor(log: Pick<Log, 'warn'>, msg: string, afterPause = afterRepeatPause) {
    this.#log = log;
    this.#msg = msg;
    this.#afterPause = afterPause;
  }

  warn(entry: object): void {
    this.#pending = entry;
    this.#count += 1;
    if (!this.#isPausing) this.#logPending();
  }

  #logPending(): void {
    this.#isPausing = false;
    if (this.#pending === null) return;
    this.#log.warn({ msg: this.#msg, ...this.#pending, requests: this.#count });
    this.#pending = null;
    this.#count = 0;
    this.#isPausing = true;
    this.#afterPause(() => this.#logPending());
  }
}

function afterRepeatPause(work: () => void): void {
  setTimeout(work, REPEAT_MS).unref();
}
