import { fileURLToPath } from 'node:url';

/**
 * Flags of every thread of ours, instead of those of the process: what a process loads first (a test
 * runner's hooks) is not loaded again in each thread.
 */
export const THREAD_FLAGS = ['--require', fileURLToPath(new URL('../quiet.cjs', import.meta.url))];
