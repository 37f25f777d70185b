import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';

import { HOME } from '../lab/home.ts';
import { sourceFiles } from '../lab/source.ts';

/** An installation for production has the `dependencies` of package.json, and no others. */
const { dependencies, devDependencies } = JSON.parse(
  readFileSync(join(HOME, 'package.json'), 'utf8'),
) as Record<'dependencies' | 'devDependencies', Readonly<Record<string, string>>>;

const product = sourceFiles('src/**/*.{ts,cjs}').filter(
  ({ path }) => !/\.test\.ts$|\/fixtures(?:\.ts$|\/)/.test(path),
);

/** Whether a source names the package or a file of it; a template may have its last part. */
function names(text: string, name: string): boolean {
  return [`'${name}'`, `'${name}/`].some((word) => text.includes(word));
}

/** Typefaces, which `engine/font/library.ts` finds by the last part of their names. */
const FONTS = '@expo-google-fonts/';

t.test('the service uses each production dependency itself', async (t) => {
  for (const name of Object.keys(dependencies)) {
    const isFont = name.startsWith(FONTS);
    const word = isFont ? name.slice(FONTS.length) : name;
    const users = product.filter(({ text }) => names(text, word));
    t.ok(users.length > 0, `${name}: only tools, benches or tests use it`);
  }
});

t.test('the service imports no development dependency', async (t) => {
  for (const { path, text } of product) {
    const imported = [...text.matchAll(/\b(?:from|import)\s*\(?\s*'([^'.#][^']*)'/g)];
    const found = imported
      .map(([, specifier = '']) => /^(?:@[^/]+\/)?[^/]+/.exec(specifier)?.[0] ?? '')
      .filter((name) => name in devDependencies);
    t.strictSame(found, [], path);
  }
});
