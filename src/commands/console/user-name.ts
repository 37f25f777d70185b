import { userInfo } from 'node:os';

/** The form of account names that sudo(8) sets. Other values were not set by sudo. */
const NAME = /^[\w.@\\+$-]{1,64}$/;

/**
 * The account that called this command through sudo(8), from SUDO_USER. Null if sudo did not start
 * the command, or if it is the account that runs it. Root can set the variable to anything.
 */
export function sudoUser(): string | null {
  const name = process.env['SUDO_USER'] ?? '';
  return NAME.test(name) && name !== userName() ? name : null;
}

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
