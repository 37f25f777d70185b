import { pino } from 'pino';

export type Log = pino.Logger;

/**
 * JSON lines on standard output: `level` as its name, `time` in ISO 8601 UTC. Callers pass ids,
 * codes, counts and durations, never payload.
 */
export function createLog(level: string): Log {
  return pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      serializers: { err: (err: unknown) => (isDescribed(err) ? err : describeError(err)) },
    },
    pino.destination({ fd: 1, sync: true }),
  );
}

/**
 * What a log may hold of an error. Messages of parsers, assertions and database drivers quote
 * what they stumbled over (V8's JSON.parse prints the text around the fault, mysql2 keeps the
 * statement), so only messages of plain errors, of our own and of system calls are kept; the
 * stack loses its first lines, which repeat the message.
 */
export function describeError(error: unknown): Record<string, unknown> {
  const description = descriptionOf(error);
  DESCRIBED.add(description);
  return description;
}

/** What a caller described already is written as it is. */
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
  'FileMissing',
  'ConfigError',
]);

function isSafe(error: Error): boolean {
  if ('sql' in error || 'sqlState' in error) return false;
  return 'syscall' in error || SAFE_NAMES.has(error.name);
}
