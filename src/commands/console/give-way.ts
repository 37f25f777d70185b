import { constants, getPriority, setPriority } from 'node:os';

/**
 * Lets the services of this machine have the processor first (setpriority(2), a niceness of 10): for
 * commands that read or write everything, which are asked to be thorough, not to be quick. Threads
 * that are made later inherit it. A niceness that is higher already stays.
 */
export function giveWay(): void {
  const low = constants.priority.PRIORITY_BELOW_NORMAL;
  try {
    if (getPriority() < low) setPriority(low);
  } catch (error) {
    // Hardened units may not change it (systemd's SystemCallFilter=~@resources).
    if (!(error instanceof Error && 'code' in error && error.code === 'ERR_SYSTEM_ERROR')) {
      throw error;
    }
  }
}
