import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import t from 'tap';

const HOME = resolve(import.meta.dirname, '..');

/** Runs buildStudio in a copied checkout; returns its result and warnings. */
function build(home: string): { isBuilt: boolean; warned: string[] } {
  const script = `
    import { buildStudio } from './src/studio-build.ts';
    const warned = [];
    const isBuilt = await buildStudio((message) => warned.push(message));
    console.log(JSON.stringify({ isBuilt, warned }));`;
  const args = ['--input-type=module', '--disable-warning=ExperimentalWarning', '--eval', script];
  const out = execFileSync(process.execPath, args, { cwd: home, encoding: 'utf8' });
  return JSON.parse(out) as { isBuilt: boolean; warned: string[] };
}

t.test('a failed build is reported and does not affect the service', async (t) => {
  const home = t.testdir({ 'package.json': '{"type":"module"}', src: {}, templates: {} });
  cpSync(join(HOME, 'src/studio-build.ts'), join(home, 'src/studio-build.ts'));
  writeFileSync(join(home, 'src/config.ts'), `export const HOME = ${JSON.stringify(home)};`);
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
