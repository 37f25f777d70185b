import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, globSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/**
 * Writes the engine as JavaScript with declarations to `dist/` (Node strips no types below
 * node_modules): `npm pack` runs it. What the compiler does not see is done here: files that are
 * read, and addresses of threads.
 */
const SRC = join(import.meta.dirname, '../../src');
const DIST = join(import.meta.dirname, 'dist');

/** Files that the engine reads, or has Node read, by their place beside a module. */
const FILES = [
  'quiet.cjs',
  'engine/layout/text/words/words.bin',
  'engine/pdf/deflate/kernel/kernel.wasm',
  'engine/qr/kernel/kernel.wasm',
];

const MODULE_URL = /new URL\('([^']+)\.ts', import\.meta\.url\)/g;

rmSync(DIST, { recursive: true, force: true });
const tsc = join(import.meta.dirname, '../../node_modules/typescript/lib/tsc.js');
execFileSync(process.execPath, [tsc, '-p', import.meta.dirname], { stdio: 'inherit' });
for (const name of FILES) cpSync(join(SRC, name), join(DIST, name));
for (const name of globSync('**/*.js', { cwd: DIST })) {
  const path = join(DIST, name);
  const text = readFileSync(path, 'utf8');
  const emitted = text.replaceAll(MODULE_URL, (_, target: string) => {
    const file = join(dirname(path), `${target}.js`);
    if (!existsSync(file)) throw new Error(`${name} starts ${target}, which tsconfig.json lacks`);
    return `new URL('${target}.js', import.meta.url)`;
  });
  if (emitted !== text) writeFileSync(path, emitted);
}
