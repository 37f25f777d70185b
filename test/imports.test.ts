import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';

import { cyclesOf } from './cycles.ts';
import { HOME } from '../lab/home.ts';
import { importsOf, sourceFiles, valueImportsOf } from '../lab/source.ts';

/**
 * The arrows of docs/architecture.md. A part is a folder of src/; the innermost one counts. It may
 * import its own files, `FOR_ALL`, and the folders and files that are listed for it.
 */
const FOR_ALL = ['src/errors.ts', 'src/limits.ts', 'src/runtime/'];
const JOB = 'src/engine/job.ts';
/** `#engine` and `#engine/light`: nothing outside of the engine imports another file of it. */
const DOORS = ['src/engine/index.ts', 'src/engine/light.ts'];

/** `#client`: the client that callers get, over which commands call a service. */
const CLIENT = 'clients/node/src/index.ts';

/** The parts of the render path; none reads a clock, randomness or settings. */
const RENDERING: Readonly<Record<string, readonly string[]>> = {
  'src/engine/font/': [],
  'src/engine/image/': [],
  'src/engine/qr/': [],
  'src/engine/barcode/': [],
  'src/engine/svg/draw/': ['src/engine/svg/', 'src/engine/model/', 'src/engine/font/'],
  'src/engine/svg/': [],
  'src/engine/contract/': [
    JOB,
    'src/engine/image/',
    'src/engine/svg/parse.ts',
    'src/engine/svg/tree.ts',
    'src/engine/qr/capacity.ts',
  ],
  'src/engine/model/': [
    'src/engine/contract/types.ts',
    'src/engine/font/font.ts',
    'src/engine/image/image.ts',
    'src/engine/svg/tree.ts',
    'src/engine/barcode/barcode.ts',
  ],
  'src/engine/letterhead/': ['src/engine/model/letterhead.ts', 'src/engine/pdf/'],
  'src/engine/template/': [
    'src/expressions/index.ts',
    'src/engine/letterhead/',
    JOB,
    'src/engine/contract/',
    'src/engine/model/',
    'src/engine/font/',
    'src/engine/image/',
    'src/engine/svg/parse.ts',
    'src/engine/svg/tree.ts',
    'src/engine/svg/css.ts',
    'src/engine/qr/capacity.ts',
    'src/engine/barcode/',
  ],
  'src/engine/values/': [
    JOB,
    'src/engine/template/',
    'src/engine/contract/',
    'src/engine/model/',
    'src/engine/font/font.ts',
    'src/engine/svg/tree.ts',
    'src/engine/barcode/',
    // Barcodes are encoded as layout composes them, and kept for it.
    'src/engine/layout/scope.ts',
    'src/engine/layout/box/barcode-plan.ts',
  ],
  'src/engine/layout/': [
    JOB,
    'src/engine/contract/',
    'src/engine/model/',
    'src/engine/font/',
    'src/engine/image/image.ts',
    'src/engine/svg/tree.ts',
    'src/engine/svg/draw/draw-svg.ts',
    'src/engine/qr/qr.ts',
    'src/engine/barcode/',
  ],
  'src/engine/pdf/': [JOB, 'src/engine/model/', 'src/engine/font/', 'src/engine/image/image.ts'],
  'src/engine/merge/': ['src/engine/pdf/'],
};

const ALLOWED: Readonly<Record<string, readonly string[]>> = {
  'src/api/': ['src/store/runs/types.ts', 'src/store/store.ts', ...DOORS],
  'src/gateway/http/': [],
  'src/gateway/': [
    'src/api/',
    'src/workers/pool/pool.ts',
    ...DOORS,
    'src/store/store.ts',
    'src/store/rate/ledger.ts',
    'src/store/runs/types.ts',
    'src/runs/',
    'src/protect/protector.ts',
    'src/protect/signature-room.ts',
    'src/sign/signing.ts',
    // Only types of settings and log: values come in through options.
    'src/settings/config.ts',
    'src/settings/requests.ts',
    'src/log/log.ts',
  ],
  'src/protect/': DOORS,
  // Only the type of the log.
  'src/sign/': [...DOORS, 'src/log/log.ts'],
  'src/runs/': [
    'src/workers/pool/pool.ts',
    ...DOORS,
    'src/store/store.ts',
    'src/protect/protector.ts',
    'src/protect/signature-room.ts',
    'src/sign/signing.ts',
    'src/store/runs/',
    'src/log/log.ts',
  ],
  'src/store/': [],
  // The parts that it wires; nothing but commands imports it.
  'src/start/': [
    'src/gateway/',
    'src/log/log.ts',
    'src/protect/protector.ts',
    ...DOORS,
    'src/runs/',
    'src/settings/',
    'src/sign/',
    'src/store/',
    'src/telemetry/open.ts',
    'src/workers/',
  ],
  'src/expressions/': [],
  'src/log/': [],
  'src/settings/': [
    'src/gateway/callers/client-address.ts',
    'src/runtime/nearest.ts',
    'src/store/files/s3-address.ts',
    'src/store/reason.ts',
    'src/store/runs/bounds.ts',
  ],
  'src/telemetry/': ['src/gateway/tracing.ts', 'src/log/log.ts'],
  'src/runtime/': ['src/quiet.cjs', 'src/stripped.cjs'],
  'src/workers/pool/': DOORS,
  'src/workers/': DOORS,
  'src/engine/rows/': [JOB, 'src/engine/contract/types.ts', 'src/engine/pdf/'],
  ...RENDERING,
};

/** The part that a file belongs to: the first one in the list that holds it. */
function partOf(path: string): string | undefined {
  return Object.keys(ALLOWED).find((part) => path.startsWith(part));
}

const modules = sourceFiles('src/**/*.ts').filter(({ path }) => !path.endsWith('.test.ts'));

t.test('the parts exist', async (t) => {
  for (const part of Object.keys(ALLOWED)) t.ok(existsSync(join(HOME, part)), part);
  t.ok(modules.length > 20);
});

t.test('every import follows an arrow of docs/architecture.md', async (t) => {
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

t.test('no file imports itself through others, except types', async (t) => {
  const arrows = new Map(modules.map((module) => [module.path, valueImportsOf(module)]));
  const cycles = cyclesOf(arrows).map((cycle) => cycle.toSorted().join(' '));
  t.strictSame(cycles, []);
});

/** Modules whose types may refer to each other: more of them are read together or not at all. */
const TYPE_CYCLE_MAX = 3;

t.test('few files refer to each other, types included', async (t) => {
  const arrows = new Map(modules.map((module) => [module.path, importsOf(module)]));
  const cycles = cyclesOf(arrows).filter(({ length }) => length > TYPE_CYCLE_MAX);
  t.strictSame(
    cycles.map((cycle) => cycle.toSorted().join(' ')),
    [],
  );
});

/**
 * The floors of a part, lowest first: each imports only those before it. A floor is a folder or a
 * file of the part; a file that is a floor is not on that of its folder.
 */
const FLOORS: Readonly<Record<string, string>> = {
  'src/store/': `
    ids.ts terms.ts reason.ts clock.ts outage.ts mysql2.ts
    database/ leases.ts files/ encryption/ capacity/ rate/ removal/
    audit.ts idempotency.ts naming/ accounts/ approvals/ templates/ documents/ runs/
    seals/ sweep/ backup/
    store.ts open.ts`,
  'src/gateway/': `
    http/ descriptors.ts tracing.ts types.ts audit-actions.ts
    metrics/ callers/ body/ reply/ exchange.ts audit.ts conditions.ts
    openapi/ list-query.ts list-pages.ts template-cache.ts
    route.ts pdf-file.ts openapi/openapi.ts generate/ studio-files.ts
    routes/ routes.ts router.ts lifecycle.ts warm.ts listener.ts server.ts`,
};

for (const [part, list] of Object.entries(FLOORS)) {
  t.test(`each floor of ${part} imports only those below it`, async (t) => {
    const floors = list.trim().split(/\s+/);
    const inside = modules.filter(({ path }) => path.startsWith(part));
    for (const floor of floors) t.ok(existsSync(join(HOME, part, floor)), floor);
    for (const module of inside) {
      const own = floorOf(module.path, part, floors);
      t.not(own, -1, `${module.path} lies on a floor`);
      const wrong = importsOf(module)
        .filter((target) => target.startsWith(part))
        .filter((target) => floorOf(target, part, floors) > own);
      t.strictSame(wrong, [], module.path);
    }
  });
}

function floorOf(path: string, part: string, floors: readonly string[]): number {
  const held = floors.filter((floor) => path.startsWith(part + floor));
  const own = held.toSorted((one, other) => other.length - one.length)[0];
  return own === undefined ? -1 : floors.indexOf(own);
}

/**
 * Files that look inside the engine; the list only gets shorter. Benches time one stage, scripts
 * write the reference of its keys, its dictionary and its codes of deflate, and tests call one part of
 * it by itself.
 */
const INSIDERS = [
  /^bench\/micro\/(?:contract|engine|merge|qr)\.ts$/,
  // By `#engine/inside`: the clock that shows which node of a template takes the time.
  /^bench\/own\/stopwatch\.ts$/,
  /^scripts\/(?:generate|make-codes|make-kernels|make-words(?:\.test)?)\.ts$/,
  /^lab\/pages\/key-reference\.ts$/,
  /^src\/gateway\/openapi\/openapi\.test\.ts$/,
  /^test\/(?:amounts|fuzz\/targets|letterhead|thai)\//,
  /^test\/(?:cost\/families|syntax\/documents)\.ts$/,
  /^lab\/service\/render-fake\.ts$/,
  /^test\/hostile\/(?:borrower|decode-budget\.test)\.ts$/,
  // The Studio's completion and its texts are compared with what the engine knows.
  /^test\/studio\/assist\.test\.ts$/,
  /^test\/key-reference\.test\.ts$/,
];

t.test('the engine is entered by its doors', async (t) => {
  const outside = sourceFiles('{src,lab,tools,test,bench,scripts}/**/*.ts').filter(
    ({ path }) => !path.startsWith('src/engine/'),
  );
  const inside = outside.filter((module) =>
    importsOf(module).some((target) => target.startsWith('src/engine/') && !DOORS.includes(target)),
  );
  const paths = inside.map(({ path }) => path);
  t.strictSame(
    paths.filter((path) => !INSIDERS.some((pattern) => pattern.test(path))),
    [],
  );
  for (const pattern of INSIDERS) {
    t.ok(
      paths.some((path) => pattern.test(path)),
      `${pattern} still looks inside`,
    );
  }
  for (const { path, text } of outside)
    t.notMatch(text, /'[./]+engine\/(?:index|light)\.ts'/, path);
});

t.test('the engine knows no other part', async (t) => {
  for (const module of modules.filter(({ path }) => path.startsWith('src/engine/'))) {
    const wrong = importsOf(module)
      .filter((target) => target.startsWith('src/') && !target.startsWith('src/engine/'))
      .filter((target) => target !== 'src/expressions/index.ts')
      .filter((target) => !FOR_ALL.some((place) => target.startsWith(place)));
    t.strictSame(wrong, [], module.path);
  }
});

t.test('threads alone load the whole engine; the main thread loads no stage', async (t) => {
  const whole = modules.filter((module) => valueImportsOf(module).includes(DOORS[0] ?? ''));
  t.strictSame(
    whole.map(({ path }) => path),
    ['src/workers/render.ts'],
  );
  const light = new Set(reachedFrom('src/engine/light.ts'));
  for (const start of ['src/start/main.ts', 'src/cli.ts', 'src/commands/templates.ts']) {
    const reached = reachedFrom(start).filter((path) => path.startsWith('src/engine/'));
    t.strictSame(
      reached.filter((path) => !light.has(path)),
      [],
      start,
    );
  }
  const stages =
    /^(?:src\/engine\/(?:font\/(?!rejected)|layout|svg|values|merge)|harfbuzzjs|sharp)/;
  t.strictSame(
    [...light].filter((path) => stages.test(path)),
    [],
  );
});

/** The modules that are loaded with this one. */
function reachedFrom(path: string): readonly string[] {
  const known = new Map(modules.map((module) => [module.path, module]));
  const reached = new Set([path]);
  for (const one of reached) {
    const module = known.get(one);
    if (module !== undefined) for (const target of valueImportsOf(module)) reached.add(target);
  }
  return [...reached];
}

t.test('threads know nothing of HTTP, rows, settings or the command line', async (t) => {
  const outside = /^src\/(?:gateway|store|commands|settings|log|start|cli)/;
  const libraries = /^(?:kysely|mysql2|undici|pino|commander|prom-client|node:https?$)/;
  for (const module of modules.filter(({ path }) => /^src\/(?:engine|workers)\//.test(path))) {
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
  const pure = modules.filter(({ path }) =>
    Object.keys(RENDERING).some((part) => path.startsWith(part)),
  );
  for (const { path, text } of pure) {
    const found = impure.filter((pattern) => pattern.test(text)).map(String);
    t.strictSame(found, [], path);
  }
});

/** They name commands of tools/. */
const TOOL_CALLERS = ['src/cli.ts', 'src/commands/templates.ts'];

t.test('commands alone call a service, by the door of its client', async (t) => {
  const callers = sourceFiles('{src,lab,tools,bench,scripts}/**/*.ts').filter((module) =>
    importsOf(module).some((target) => target.startsWith('clients/')),
  );
  for (const module of callers) {
    t.match(module.path, /^(?:src\/commands|lab|tools|bench|scripts)\//);
    const wrong = importsOf(module).filter(
      (target) => target.startsWith('clients/') && target !== CLIENT,
    );
    t.strictSame(wrong, [], module.path);
    t.notMatch(module.text, /'[./]+clients\/node/, module.path);
  }
  for (const { path, text } of sourceFiles('clients/node/src/**/*.ts')) {
    t.strictSame(
      importsOf({ path, text }).filter((target) => !/^(?:node:|clients\/node\/src\/)/.test(target)),
      [],
      path,
    );
  }
});

t.test('nothing of the service imports tests, benches, tools or what they share', async (t) => {
  for (const module of modules) {
    const imported = /^(?:test|bench|lab|scripts|tools)\//;
    const wrong = importsOf(module).filter((target) => imported.test(target));
    // Commands of tools/ are loaded when they are called, where the folder is present.
    const called = TOOL_CALLERS.includes(module.path)
      ? wrong.filter((target) => valueImportsOf(module).includes(target))
      : wrong;
    t.strictSame(called, [], module.path);
  }
});

/** Rooms beside `src/`, and those of them that each may import. */
const ROOMS: Readonly<Record<string, readonly string[]>> = {
  lab: [],
  tools: ['lab'],
  bench: ['lab'],
  scripts: ['lab'],
  test: ['lab', 'tools'],
};

t.test('benches, tests, tools and scripts share lab/ and never import each other', async (t) => {
  for (const [room, allowed] of Object.entries(ROOMS)) {
    for (const module of sourceFiles(`${room}/**/*.{ts,mjs,cjs}`)) {
      const wrong = importsOf(module).filter((target) => {
        const other = target.split('/')[0] ?? '';
        return other in ROOMS && other !== room && !allowed.includes(other);
      });
      t.strictSame(wrong, [], module.path);
    }
  }
});

t.test('a tool imports no other tool', async (t) => {
  for (const module of sourceFiles('tools/**/*.{ts,mjs,cjs}')) {
    const own = module.path.split('/').slice(0, 2).join('/');
    const wrong = importsOf(module).filter(
      (target) => target.startsWith('tools/') && !target.startsWith(`${own}/`),
    );
    t.strictSame(wrong, [], module.path);
  }
});

t.test('docs/architecture.md and this test name every folder of src/', async (t) => {
  const page = readFileSync(join(HOME, 'docs/architecture.md'), 'utf8');
  const parents = ['src/engine/', 'src/workers/'];
  for (const folder of [
    ...folders('src'),
    ...parents.flatMap((parent) => folders(parent.slice(0, -1))),
  ]) {
    if (parents.includes(folder)) continue;
    t.ok(page.includes(folder), folder);
    t.ok(folder === 'src/commands/' || folder in ALLOWED, `${folder} is listed here`);
  }
});

t.test('the reader of imports distinguishes types from values', async (t) => {
  const text = `import type { A } from './a.ts';\nimport { type B, c } from './b.ts';
import { type D, type E } from './d.ts';\nimport f, { type G } from './f.ts';
export type { H } from './h.ts';\nexport { i } from './i.ts';\nimport * as j from './j.ts';\n`;
  t.strictSame(valueImportsOf({ path: 'src/x.ts', text }), [
    'src/b.ts',
    'src/f.ts',
    'src/i.ts',
    'src/j.ts',
  ]);
});

t.test('cycles that share modules are found as one', async (t) => {
  const arrows = { a: ['b'], b: ['c', 'd'], c: ['b'], d: ['e'], e: ['f'], f: ['d', 'b'], g: ['a'] };
  const cycles = cyclesOf(new Map(Object.entries(arrows)));
  t.strictSame(
    cycles.map((cycle) => cycle.toSorted().join('')),
    ['bcdef'],
  );
  t.strictSame(cyclesOf(new Map(Object.entries({ a: ['b'], b: ['c'], c: [] }))), []);
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
