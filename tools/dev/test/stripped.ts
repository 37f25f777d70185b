import { createRequire } from 'node:module';
import { join } from 'node:path';

const SOURCES = '{src,test,bench,lab,tools,scripts,clients/node,packages}/**/*.ts';
const HOOK = join(import.meta.dirname, 'load-stripped.cjs');
const STRIPPED = '../../../src/stripped.cjs';

/**
 * Keeps every source without its types and returns the option of Node that has them loaded. A test
 * and each thread of the services that it starts strip up to 360 files, which takes half of the CPU
 * that they need to start. (`module.enableCompileCache()` keeps neither stripped sources nor, of a
 * process that is killed, anything.)
 */
export function keepStripped(): string {
  const { keepAll } = createRequire(import.meta.url)(STRIPPED) as {
    readonly keepAll: (pattern: string) => void;
  };
  keepAll(SOURCES);
  return `--require=${JSON.stringify(HOOK)}`;
}
