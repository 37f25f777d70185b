import { reasonOf } from '../../store/reason.ts';

/** A command could not do what was asked: one line on standard error, exit code 1. */
export class CommandFailed extends Error {
  override readonly name = 'CommandFailed';
}

/** The command line itself makes no sense: one line on standard error, exit code 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** A file of the command line that cannot be read; errors that are not the system's are thrown. */
export function unreadable(path: string, error: unknown): CommandFailed {
  if (!(error instanceof Error && 'syscall' in error && 'code' in error)) throw error;
  const code = String(error.code);
  const reason = code === 'ENOENT' ? 'there is no such file' : reasonOf(code);
  return new CommandFailed(`cannot read ${path}: ${reason}`);
}
