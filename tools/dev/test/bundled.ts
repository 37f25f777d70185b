import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';

import { HOME } from '../../../src/settings/config.ts';

/** The packages with the most files, of those that nearly every process of the tests loads. */
const PACKAGES: readonly string[] = ['kysely', 'tap'];
const HOOK = join(import.meta.dirname, 'load-stripped.cjs');
/** The lock file that the bundles were made under. */
const STAMP = 'package-lock.json';

/**
 * Keeps a bundle of each package for load-stripped.cjs. Node takes 0.2 s of CPU to find, read and
 * link the 295 files of tap, and 0.3 s for the 255 of kysely, each time that a test, a service or a
 * command starts. A package that is made of several modules stays one instance: only our own
 * sources import these two.
 */
export async function keepBundled(): Promise<void> {
  const { BUNDLED } = createRequire(import.meta.url)(HOOK) as { readonly BUNDLED: string };
  const folder = resolve(BUNDLED, '../..');
  const lock = readFileSync(join(HOME, STAMP));
  const stamp = join(folder, STAMP);
  if (existsSync(stamp) && readFileSync(stamp).equals(lock)) return;
  // A tool of the development, which an installed service lacks.
  const { build } = await import('vite');
  mkdirSync(dirname(folder), { recursive: true });
  const made = mkdtempSync(`${folder}.`);
  await build({
    configFile: false,
    root: HOME,
    logLevel: 'error',
    ssr: { noExternal: true },
    build: {
      ssr: true,
      target: 'node22',
      minify: false,
      outDir: join(made, 'node_modules/@tapjs'),
      emptyOutDir: true,
      copyPublicDir: false,
      rolldownOptions: {
        input: Object.fromEntries(PACKAGES.map((name) => [name, name])),
        output: { entryFileNames: '[name].mjs' },
      },
    },
  });
  writeFileSync(join(made, STAMP), lock);
  rmSync(folder, { recursive: true, force: true });
  renameSync(made, folder);
}
