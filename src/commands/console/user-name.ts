import { userInfo } from 'node:os';

/** The account that runs this process. */
export function userName(): string {
  try {
    return userInfo().username;
  } catch (error) {
    // In some containers the account has no entry in the password file.
    if (!(error instanceof Error && 'syscall' in error)) throw error;
    return `uid-${process.getuid?.() ?? 'unknown'}`;
  }
}
