import { execFileSync } from 'node:child_process';
import { cpSync, globSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, matchesGlob, resolve } from 'node:path';
import t from 'tap';
import { SHARED } from './studio-build.ts';

const HOME = resolve(import.meta.dirname, '../..');

/** Runs buildStudio in a copied checkout; returns its result and warnings. */
function build(home: string): { isBuilt: boolean; warned: string[] } {
  const script = `
    import { buildStudio } from './src/start/studio-build.ts';
    const warned = [];
    const isBuilt = await buildStudio((message) => warned.push(message));
    console.log(JSON.stringify({ isBuilt, warned }));`;
  const args = ['--input-type=module', '--disable-warning=ExperimentalWarning', '--eval', script];
  const out = execFileSync(process.execPath, args, { cwd: home, encoding: 'utf8' });
  return JSON.parse(out) as { isBuilt: boolean; warned: string[] };
}

t.test('a failed build is reported and does not affect the service', async (t) => {
  const home = t.testdir({
    'package.json': '{"type":"module"}',
    src: { start: {}, settings: {} },
    templates: {},
  });
  cpSync(join(HOME, 'src/start/studio-build.ts'), join(home, 'src/start/studio-build.ts'));
  writeFileSync(
    join(home, 'src/settings/config.ts'),
    `export const HOME = ${JSON.stringify(home)};`,
  );
  t.match(build(home), { isBuilt: false, warned: [/not built: .*package-lock\.json/] });
  writeFileSync(join(home, 'package-lock.json'), '{}');
  writeFileSync(join(home, 'templates/template.schema.json'), '{}');
  t.match(build(home), { isBuilt: false, warned: [/vite is not installed/] });
  mkdirSync(join(home, 'studio'));
  writeFileSync(join(home, 'studio/index.html'), '<script type="module" src="./none.js"></script>');
  symlinkSync(join(HOME, 'node_modules'), join(home, 'node_modules'));
  t.match(build(home), { isBuilt: false, warned: [/vite ended with/] });
  writeFileSync(join(home, 'studio/none.js'), 'document.title = "there";');
  t.strictSame(build(home), { isBuilt: true, warned: [] });
  t.match(readFileSync(join(home, 'studio/dist/index.html'), 'utf8'), /script/);
  t.strictSame(build(home), { isBuilt: true, warned: [] }, 'and is not built again');
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
