import { execFile } from 'node:child_process';
import {
  cpSync,
  globSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join, matchesGlob, resolve } from 'node:path';
import { promisify } from 'node:util';
import t, { type Test } from 'tap';
import { until } from '../../lab/process/waiting.ts';
import { SHARED } from './studio-build.ts';

const HOME = resolve(import.meta.dirname, '../..');
const run = promisify(execFile);
const BUILT = { isBuilt: true, warned: [] };

interface Built {
  readonly isBuilt: boolean;
  readonly warned: readonly string[];
}

/** Runs buildStudio in a copied checkout; returns its result and warnings. */
async function build(home: string, env: Readonly<Record<string, string>> = {}): Promise<Built> {
  const script = `
    import { buildStudio } from './src/start/studio-build.ts';
    const warned = [];
    const isBuilt = await buildStudio((message) => warned.push(message));
    console.log(JSON.stringify({ isBuilt, warned }));`;
  const args = ['--input-type=module', '--disable-warning=ExperimentalWarning', '--eval', script];
  const options = { cwd: home, encoding: 'utf8', env: { ...process.env, ...env } } as const;
  const { stdout } = await run(process.execPath, args, options);
  return JSON.parse(stdout) as Built;
}

/** A checkout with nothing to build yet. */
function checkout(t: Test): string {
  const home = t.testdir({
    'package.json': '{"type":"module"}',
    src: { runtime: {}, start: {}, settings: {} },
    templates: {},
  });
  for (const path of ['src/start/studio-build.ts', 'src/runtime/error-code.ts']) {
    cpSync(join(HOME, path), join(home, path));
  }
  writeFileSync(
    join(home, 'src/settings/config.ts'),
    `export const HOME = ${JSON.stringify(home)};`,
  );
  return home;
}

/** Adds what a build needs. */
function complete(home: string): void {
  writeFileSync(join(home, 'package-lock.json'), '{}');
  writeFileSync(join(home, 'templates/template.schema.json'), '{}');
}

t.test('a failed build is reported and does not affect the service', async (t) => {
  const home = checkout(t);
  t.match(await build(home), { isBuilt: false, warned: [/not built: .*package-lock\.json/] });
  complete(home);
  t.match(await build(home), { isBuilt: false, warned: [/vite is not installed/] });
  mkdirSync(join(home, 'studio'));
  writeFileSync(join(home, 'studio/index.html'), '<script type="module" src="./none.js"></script>');
  symlinkSync(join(HOME, 'node_modules'), join(home, 'node_modules'));
  t.match(await build(home), { isBuilt: false, warned: [/vite ended with/] });
  writeFileSync(join(home, 'studio/none.js'), 'document.title = "there";');
  t.strictSame(await build(home), BUILT);
  t.match(readFileSync(join(home, 'studio/dist/index.html'), 'utf8'), /script/);
  t.strictSame(await build(home), BUILT, 'and is not built again');
});

const FILES = 500;

/**
 * In the place of Vite: copies the only source to many files, announces that in the folder `ready`, and
 * ends when `WAITS_FOR` others, or a file `go`, are there.
 */
const FAKE_VITE = `
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
const outDir = process.argv[process.argv.indexOf('--outDir') + 1];
const source = readFileSync('studio/index.html');
mkdirSync(join(outDir, 'assets'), { recursive: true });
writeFileSync(join(outDir, 'index.html'), source);
for (let file = 0; file < ${FILES}; file += 1) writeFileSync(join(outDir, 'assets', file + '.js'), source);
writeFileSync(join('ready', basename(outDir)), '');
while (readdirSync('ready').length < Number(process.env.WAITS_FOR) && !existsSync('go')) await pause(1);
`;

/** A checkout with `FAKE_VITE`. */
function quickCheckout(t: Test): string {
  const home = checkout(t);
  complete(home);
  for (const folder of ['studio', 'ready', 'node_modules/vite/bin']) {
    mkdirSync(join(home, folder), { recursive: true });
  }
  writeFileSync(join(home, 'node_modules/vite/package.json'), '{"type":"module"}');
  writeFileSync(join(home, 'node_modules/vite/bin/vite.js'), FAKE_VITE);
  writeFileSync(join(home, 'studio/index.html'), 'first');
  return home;
}

/** Checks that there is one whole build of this source, and nothing else. */
function isWhole(t: Test, home: string, source: string): void {
  const dist = join(home, 'studio/dist');
  t.strictSame(readdirSync(join(home, 'studio')).toSorted(), ['dist', 'index.html']);
  t.equal(readFileSync(join(dist, 'index.html'), 'utf8'), source);
  t.equal(readdirSync(join(dist, 'assets')).length, FILES, 'no file is missing');
}

t.test('a build does not replace another one of the same sources', async (t) => {
  const home = quickCheckout(t);
  const slow = build(home, { WAITS_FOR: '9' });
  await until(() => Promise.resolve(readdirSync(join(home, 'ready')).length === 1));
  t.strictSame(await build(home, { WAITS_FOR: '0' }), BUILT);
  const { ino } = statSync(join(home, 'studio/dist'));
  writeFileSync(join(home, 'go'), '');
  t.strictSame(await slow, BUILT);
  t.equal(statSync(join(home, 'studio/dist')).ino, ino, 'the build that is in use stays');
  isWhole(t, home, 'first');
});

t.test('builders that end at the same moment leave one whole build', async (t) => {
  const home = quickCheckout(t);
  for (let round = 0; round < 3; round += 1) {
    writeFileSync(join(home, 'studio/index.html'), `round ${round}`);
    const built = Array.from({ length: 3 }, () => build(home, { WAITS_FOR: '3' }));
    t.strictSame(await Promise.all(built), [BUILT, BUILT, BUILT]);
    isWhole(t, home, `round ${round}`);
    for (const name of readdirSync(join(home, 'ready'))) rmSync(join(home, 'ready', name));
  }
});

t.test('a build of sources that have changed meanwhile is not put into place', async (t) => {
  const home = quickCheckout(t);
  const slow = build(home, { WAITS_FOR: '9' });
  await until(() => Promise.resolve(readdirSync(join(home, 'ready')).length === 1));
  writeFileSync(join(home, 'studio/index.html'), 'second');
  t.strictSame(await build(home, { WAITS_FOR: '0' }), BUILT);
  writeFileSync(join(home, 'go'), '');
  t.strictSame(await slow, BUILT);
  isWhole(t, home, 'second');
});

t.test('what a killed build left is removed a day later', async (t) => {
  const home = quickCheckout(t);
  for (const [name, hours] of [
    ['dist.new', 1],
    ['dist.old', 25],
  ] as const) {
    const path = join(home, 'studio', name);
    mkdirSync(join(path, 'assets'), { recursive: true });
    const seconds = Date.now() / 1_000 - hours * 3_600;
    utimesSync(path, seconds, seconds);
  }
  t.strictSame(await build(home, { WAITS_FOR: '0' }), BUILT);
  t.strictSame(readdirSync(join(home, 'studio')).toSorted(), ['dist', 'dist.new', 'index.html']);
});

t.test('a change of whatever module the Studio imports makes it be built again', async (t) => {
  const imported = new Set<string>();
  for (const name of globSync('studio/src/**/*.{ts,tsx}', { cwd: HOME })) {
    const source = readFileSync(join(HOME, name), 'utf8');
    for (const [, path = ''] of source.matchAll(/from '(?:\.\.\/)+(src\/[^']+)'/g))
      imported.add(path);
  }
  t.ok(imported.size > 0);
  for (const path of imported) {
    t.ok(
      SHARED.some((pattern) => matchesGlob(path, pattern)),
      `${path} counts`,
    );
    const source = readFileSync(join(HOME, path), 'utf8');
    const own = Array.from(
      source.matchAll(/^import (?!type).* from '(\.[^']+)'/gm),
      ([, at = '']) => at,
    );
    for (const at of own) {
      const further = join(path, '..', at);
      t.ok(
        SHARED.some((pattern) => matchesGlob(further, pattern)),
        `${further} counts`,
      );
    }
  }
});
