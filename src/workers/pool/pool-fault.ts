import { errorCode } from '../../runtime/error-code.ts';

/** A failed thread or renderer, for the log. */
export interface PoolFault {
  readonly kind: 'timeout' | 'thread_died' | 'boot_failed' | 'exception';
  /** Type or code of the error and where it came from; never a message, which could quote data. */
  readonly error: string;
  readonly stack: readonly string[];
}

/** Describes `error` for the log. */
export function describe(kind: PoolFault['kind'], error: unknown): PoolFault {
  if (!(error instanceof Error)) return { kind, error: typeof error, stack: [] };
  const stack = (error.stack ?? '').split('\n').filter((line) => line.startsWith('    at '));
  return { kind, error: errorCode(error) || error.name, stack: stack.slice(0, 20) };
}
