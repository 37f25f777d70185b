import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';

import { HOME, importsOf, sourceFiles } from './source.ts';

/**
 * The arrows of docs/architecture.md. A part is a folder or a file of src/; what is not listed for
 * it, it may not import. Its own files and `FOR_ALL` are always allowed.
 */
const FOR_ALL = [
  'src/errors.ts',
  'src/limits.ts',
  'src/memory.ts',
  'src/turns.ts',
  'src/within.ts',
  'src/thread-flags.ts',
];
const JOBS = ['src/workers/pool/pool.ts', 'src/workers/job.ts'];
const STAGES = ['contract', 'template', 'layout', 'pdf', 'post'].map(
  (name) => `src/workers/${name}/`,
);
const FONT = 'src/workers/font/';
const BARCODE = 'src/workers/barcode/';

const ALLOWED: Readonly<Record<string, readonly string[]>> = {
  'src/gateway/http/': [],
  'src/gateway/': [
    ...JOBS,
    'src/store/store.ts',
    // Protection runs in a process of its own, beside the threads, and is asked for from here.
    'src/workers/post/protect.ts',
    // Types of settings and log only: values come in through options.
    'src/config.ts',
    'src/log.ts',
  ],
  'src/store/': [],
  [FONT]: [],
  [BARCODE]: [],
  // A stage: job messages, what stands left of it, and the fonts.
  ...Object.fromEntries(
    STAGES.map((stage, index) => [
      stage,
      ['src/workers/job.ts', ...STAGES.slice(0, index), ...(index === 0 ? [] : [FONT, BARCODE])],
    ]),
  ),
};

/** The longest part that holds the file. */
function partOf(path: string): string | undefined {
  return Object.keys(ALLOWED).find((part) => path.startsWith(part));
}

const modules = sourceFiles('src/**/*.ts').filter(({ path }) => !path.endsWith('.test.ts'));

t.test('the parts exist', async (t) => {
  for (const part of Object.keys(ALLOWED)) t.ok(existsSync(join(HOME, part)), part);
  t.ok(modules.length > 20);
});

t.test('every import goes along an arrow of docs/architecture.md', async (t) => {
  for (const module of modules) {
    const part = partOf(module.path);
    if (part === undefined) continue;
    const allowed = [part, ...FOR_ALL, ...(ALLOWED[part] ?? [])];
    const wrong = importsOf(module)
      .filter((target) => target.startsWith('src/') || target.startsWith('test/'))
      .filter((target) => !allowed.some((place) => target.startsWith(place)));
    t.strictSame(wrong, [], module.path);
  }
});

t.test('threads know nothing of HTTP, rows, settings or the command line', async (t) => {
  const outside = /^src\/(?:gateway|store|commands|config|log|main|cli)/;
  const libraries = /^(?:kysely|mysql2|undici|pino|commander|prom-client|node:https?$)/;
  for (const module of modules.filter(({ path }) => path.startsWith('src/workers/'))) {
    const wrong = importsOf(module).filter(
      (target) => outside.test(target) || libraries.test(target),
    );
    t.strictSame(wrong, [], module.path);
  }
});

t.test('rendering reads no clock, no randomness and no environment', async (t) => {
  const impure = [
    /\bDate\.now\b/,
    /\bnew Date\(\s*\)/,
    /\bMath\.random\b/,
    /\bprocess\.env\b/,
    /\brandom(?:UUID|Bytes|Int)\b/,
    /\bgetRandomValues\b/,
    /\bperformance\.now\b/,
    /\bfetch\(/,
  ];
  const pure = modules
    .filter(({ path }) => [...STAGES, FONT, BARCODE].some((part) => path.startsWith(part)))
    // Runs qpdf: a process has time limits and an environment.
    .filter(({ path }) => !path.startsWith('src/workers/post/protect'));
  for (const { path, text } of pure) {
    const found = impure.filter((pattern) => pattern.test(text)).map(String);
    t.strictSame(found, [], path);
  }
});

t.test('only tests import from test/, and nothing of the service imports benches', async (t) => {
  for (const module of modules) {
    const wrong = importsOf(module).filter((target) => /^(?:test|bench)\//.test(target));
    t.strictSame(wrong, [], module.path);
  }
});

t.test('docs/architecture.md names every folder of src/', async (t) => {
  const page = readFileSync(join(HOME, 'docs/architecture.md'), 'utf8');
  for (const folder of [...folders('src'), ...folders('src/workers')]) {
    if (folder !== 'src/workers/') t.ok(page.includes(folder), folder);
  }
});

t.test('the reader of imports sees each form', async (t) => {
  const text = `import a, {\n  b,\n} from './a.ts';\nimport type { C } from '../c.ts';
export * from './d.ts';\nimport 'tap';\nconst e = await import('./e.ts');
new Worker(new URL('./f.ts', import.meta.url));\n`;
  t.strictSame(importsOf({ path: 'src/x/y.ts', text }).toSorted(), [
    'src/c.ts',
    'src/x/a.ts',
    'src/x/d.ts',
    'src/x/e.ts',
    'src/x/f.ts',
    'tap',
  ]);
});

function folders(path: string): string[] {
  return readdirSync(join(HOME, path), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => `${path}/${entry.name}/`);
}
