import { fileURLToPath } from 'node:url';

/**
 * Node's flags for all threads of the service. They replace those of the process, so that a thread
 * does not load again what the process has preloaded, such as the hooks of a test runner.
 */
export const THREAD_FLAGS = ['--require', fileURLToPath(new URL('../quiet.cjs', import.meta.url))];
