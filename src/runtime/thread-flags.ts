import { fileURLToPath } from 'node:url';

/**
 * Flags for all our threads, instead of the process's own, so that threads do not load again what
 * the process preloads, such as the hooks of a test runner.
 */
export const THREAD_FLAGS = ['--require', fileURLToPath(new URL('../quiet.cjs', import.meta.url))];
