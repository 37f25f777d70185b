import { fileURLToPath } from 'node:url';

const required = (name: string): readonly string[] => [
  '--require',
  fileURLToPath(new URL(name, import.meta.url)),
];

/** Node's flags that load kept sources; none in the packed engine, which is JavaScript. */
export const STRIPPED_FLAGS = import.meta.url.endsWith('.ts') ? required('../stripped.cjs') : [];

/**
 * Node's flags for all threads of the service. They replace those of the process, so that a thread
 * does not load again what the process has preloaded, such as the hooks of a test runner.
 */
export const THREAD_FLAGS = [...required('../quiet.cjs'), ...STRIPPED_FLAGS];
