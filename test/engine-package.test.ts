import { execFileSync } from 'node:child_process';
import {
  cpSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import t from 'tap';

import { render, shareTemplate } from '../lab/render.ts';
import { HOME } from '../lab/home.ts';

/** The package of the engine, installed outside of the checkout as another program's dependency. */

t.setTimeout(1_500_000);

const KIT = join(HOME, 'packages/engine');
const AT_MS = Date.UTC(2026, 10, 21);
const TEMPLATES = globSync('templates/{*,invoices/*}.json', { cwd: HOME })
  .map((path) => join(HOME, path))
  .filter((path) => 'samples' in (JSON.parse(readFileSync(path, 'utf8')) as object));

interface Manifest {
  readonly version: string;
  readonly engines: object;
  readonly dependencies: Readonly<Record<string, string>>;
}

const manifest = JSON.parse(readFileSync(join(KIT, 'package.json'), 'utf8')) as Manifest;

// Above it is no node_modules.
const folder = mkdtempSync(join(tmpdir(), 'intaglio-engine-'));
t.teardown(() => rmSync(folder, { recursive: true, force: true }));
const node = (...args: readonly string[]): string =>
  execFileSync(process.execPath, [...args], { cwd: folder, encoding: 'utf8', maxBuffer: 1 << 26 });

const packed = pack();

/** Packs the engine, installs it with the dependencies that it names, and gives its files. */
function pack(): readonly string[] {
  const env = {
    ...process.env,
    PATH: `${dirname(process.execPath)}:${process.env['PATH'] ?? ''}`,
    npm_config_update_notifier: 'false',
  };
  execFileSync('npm', ['pack', '--offline', '--pack-destination', folder], {
    cwd: KIT,
    env,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const [file = ''] = globSync('*.tgz', { cwd: folder });
  const tarball = join(folder, file);
  const modules = join(folder, 'node_modules');
  const own = join(modules, 'intaglio');
  mkdirSync(own, { recursive: true });
  execFileSync('tar', ['-xzf', tarball, '-C', own, '--strip-components=1']);
  for (const name of [...Object.keys(manifest.dependencies), '@types/node', 'undici-types']) {
    mkdirSync(dirname(join(modules, name)), { recursive: true });
    symlinkSync(join(HOME, 'node_modules', name), join(modules, name));
  }
  cpSync(join(HOME, 'examples/engine'), folder, { recursive: true });
  return execFileSync('tar', ['-tzf', tarball], { encoding: 'utf8' }).trim().split('\n');
}

t.test('the package has the versions of the service', async (t) => {
  const service = JSON.parse(readFileSync(join(HOME, 'package.json'), 'utf8')) as Manifest;
  t.equal(manifest.version, service.version);
  t.strictSame(manifest.engines, service.engines);
  for (const [name, version] of Object.entries(manifest.dependencies)) {
    t.equal(version, service.dependencies[name], name);
  }
});

t.test('the package holds the engine and nothing else', async (t) => {
  const other =
    /^package\/(?:package\.json|dist\/(?:(?:engine|expressions|runtime)\/|(?:errors|limits)\.|quiet))/;
  t.strictSame(
    packed.filter((path) => !other.test(path)),
    [],
  );
  t.strictSame(
    packed.filter((path) => /test|(?<!\.d)\.ts$/.test(path)),
    [],
  );
  t.ok(packed.includes('package/dist/engine/layout/text/words/words.bin'));
});

/** Samples by the names that the examples give their documents. */
async function expected(): Promise<ReadonlyMap<string, Uint8Array>> {
  const files = new Map<string, Uint8Array>();
  for (const path of TEMPLATES) {
    const source = readFileSync(path);
    const { templateId, samples } = JSON.parse(source.toString()) as {
      readonly templateId: string;
      readonly samples: readonly { readonly data: unknown }[];
    };
    const template = { ...shareTemplate(source), templateId };
    for (const [index, { data }] of samples.entries()) {
      const { pdf } = await render(template, data, { atMs: AT_MS });
      files.set(`${templateId}-${index}.pdf`, pdf);
    }
  }
  return files;
}

t.test('its documents are those of the service, byte for byte', async (t) => {
  const files = await expected();
  t.ok(files.size >= 10, `${files.size} samples`);
  for (const program of ['render.mjs', 'threads.mjs']) {
    const made = join(folder, program.replace('.mjs', ''));
    mkdirSync(made);
    node(program, String(AT_MS), made, ...TEMPLATES);
    t.strictSame(globSync('*', { cwd: made }).toSorted(), [...files.keys()].toSorted(), program);
    for (const [name, pdf] of files) {
      t.ok(readFileSync(join(made, name)).equals(pdf), `${program}: ${name}`);
    }
  }
});

t.test('the program of docs/engine.md runs', async (t) => {
  const page = readFileSync(join(HOME, 'docs/engine.md'), 'utf8');
  const [, program = ''] = /```js\n(.*?)```/s.exec(page) ?? [];
  cpSync(join(HOME, 'templates/receipt.json'), join(folder, 'receipt.json'));
  node('--input-type=module', '-e', program);
  t.match(readFileSync(join(folder, 'receipt.pdf'), 'latin1'), /^%PDF-/);
});

t.test('a foreign PDF is cleaned in the thread of the package', async (t) => {
  const [pdf = ''] = globSync(join(folder, 'render/*.pdf')).toSorted();
  const program = `import { createEngine } from 'intaglio/engine';
    import { readFileSync } from 'node:fs';
    const cleaned = await createEngine().cleanPdf(readFileSync(${JSON.stringify(pdf)}));
    console.log(cleaned.ok ? cleaned.pages.length : cleaned);`;
  t.match(node('--input-type=module', '-e', program), /^[1-9]/);
});

t.test('no other file of the package can be imported', async (t) => {
  for (const path of ['intaglio', 'intaglio/dist/engine/engine.js']) {
    const program = `import(${JSON.stringify(path)}).catch(({ code }) => console.log(code))`;
    t.equal(node('-e', program).trim(), 'ERR_PACKAGE_PATH_NOT_EXPORTED', path);
  }
});

t.test('TypeScript finds its types', async (t) => {
  writeFileSync(
    join(folder, 'typed.ts'),
    `import { createEngine, renderJob, shareTemplate } from 'intaglio/engine';
import type { Engine, Failure, RenderedDocument } from 'intaglio/engine';
const engine: Engine = createEngine({ templateCacheMb: 1 });
const job = renderJob(shareTemplate(new Uint8Array(), 'x'), new Uint8Array(), 0);
const result = await engine.render(job);
export const made: RenderedDocument | Failure = result.ok ? result.value : result;
// @ts-expect-error: a number
export const text: string = made === result ? '' : made.pages;
`,
  );
  const flags = '--noEmit --strict --module nodenext --target es2024 --types node'.split(' ');
  const tsc = join(HOME, 'node_modules/typescript/lib/tsc.js');
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
  let told = '';
  try {
    node(tsc, ...flags, 'typed.ts');
  } catch (error) {
    told = String(Reflect.get(Object(error), 'stdout'));
  }
  t.equal(told, '');
});
