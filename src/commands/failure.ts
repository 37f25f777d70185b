/** A command could not do what was asked: one line on standard error, exit code 1. */
export class CommandFailed extends Error {
  override readonly name = 'CommandFailed';
}

/** The command line itself makes no sense: one line on standard error, exit code 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}
