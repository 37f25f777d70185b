import { userInfo } from 'node:os';

/** A name of an account as sudo(8) leaves it; anything else was set by something else. */
const NAME = /^[\w.@\\+$-]{1,64}$/;

/**
 * The account that called this command through sudo(8), which names it in SUDO_USER; null: sudo did not
 * start it, or the account is the one that runs it. Root can set the variable to anything.
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
