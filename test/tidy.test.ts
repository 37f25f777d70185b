import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import t from 'tap';

import { HOME } from '../lab/home.ts';
import { isWritten, sourceFiles, type SourceFile } from '../lab/source.ts';

/** Rules for the source that no linter checks. */
const LINES_MAX = 500;
/** Prettier wraps code at 100 columns; in prose a word may end a little later. */
const COLUMNS_MAX = 105;

/** Pages of prose. */
const PAGES = ['*.md', 'docs/**/*.md', 'clients/*/*.md'];

/** The most source files in one folder; tests, which lie beside what they test, are not counted. */
const FILES_MAX = 20;

const code = sourceFiles(
  '*.{cjs,ts}',
  '{src,lab,tools,test,bench,clients,packages,examples}/**/*.{ts,cjs,mjs}',
  'studio/**/*.{ts,tsx}',
);
const all = [
  ...code,
  ...sourceFiles('clients/**/*.{json,md,py,toml}'),
  ...sourceFiles('*.{json,md}', 'intaglio', '.ci/*', '.*.json', 'docs/**/*.md'),
  ...sourceFiles('templates/**/*.json'),
];

t.test('what is installed or generated is not read', async (t) => {
  const made = [
    'studio/dist/x.js',
    'studio/dist-1/x.js',
    'clients/node/dist/client.d.ts',
    'packages/engine/dist/quiet.cjs',
  ];
  for (const path of [...made, 'clients/python/build/lib/x.py', 'a/node_modules/b/c.ts']) {
    t.notOk(isWritten(path), path);
  }
  t.ok(isWritten('clients/node/src/client.ts'));
});

t.test('files are short enough to read', async (t) => {
  for (const { path, text } of code) {
    const count = text.split('\n').length - 1;
    t.ok(count <= LINES_MAX, `${path}: ${count} lines`);
  }
});

t.test('folders have few enough files', async (t) => {
  const counts = new Map<string, number>();
  for (const { path } of [...code, ...sourceFiles('scripts/**/*.ts')]) {
    if (path.endsWith('.test.ts')) continue;
    const folder = dirname(path);
    counts.set(folder, (counts.get(folder) ?? 0) + 1);
  }
  const crowded = [...counts].filter(([, count]) => count > FILES_MAX);
  t.strictSame(crowded, [], 'move a subject into its own folder');
});

/** Paths with line numbers where the pattern matches. */
function places(files: readonly SourceFile[], matches: (line: string) => boolean): string[] {
  return files.flatMap(({ path, text }) =>
    text
      .split('\n')
      .map((line, index) => (matches(line) ? `${path}:${index + 1}` : ''))
      .filter((place) => place !== ''),
  );
}

/** The width without combining marks, which take no column. */
function width(line: string): number {
  return line.replaceAll(/\p{M}/gu, '').length;
}

/** Whether the line could be broken: a literal or a list of words cannot. */
function isBreakable(line: string): boolean {
  return /^\s*(?:\/\/|\*)/.test(line) || /^[^'"`/]*[;(){}=][^'"`/]*$/.test(line);
}

t.test('no line of code is too long', async (t) => {
  t.strictSame(
    places(code, (line) => width(line) > COLUMNS_MAX && isBreakable(line)),
    [],
  );
});

t.test('no line of a page is too long, except in tables, examples and pictures', async (t) => {
  const pages = sourceFiles(...PAGES);
  const prose = pages.map(({ path, text }) => ({
    path,
    // Examples are emptied line by line, so that line numbers stay the same.
    text: text.replaceAll(/^ *```[^]*?^ *```/gm, (block) => block.replaceAll(/[^\n]+/g, '')),
  }));
  t.strictSame(
    places(prose, (line) => width(line) > COLUMNS_MAX && !/^ *(?:[|<]|`[^`]+`\.?$)/.test(line)),
    [],
  );
});

t.test('no comment marks unfinished work', async (t) => {
  // Joined here, so that the test does not find itself.
  const words = ['TO,DO', 'FIX,ME'].map((word) => word.replace(',', '')).join('|');
  const mark = new RegExp(`\\b(?:${words})\\b`);
  t.strictSame(
    places(code, (line) => mark.test(line)),
    [],
  );
});

t.test('nothing names a machine, a home folder or a package registry', async (t) => {
  const folders = ['work', 'root', 'home', 'Users'].join('|');
  const patterns = [
    new RegExp(`(?:^|[^\\w.$}])/(?:${folders})/\\w`),
    /https?:\/\/[\w.-]*(?:registry|artifactory|nexus|verdaccio)\b/i,
    /"resolv(?:ed)":/,
  ];
  t.strictSame(
    places(all, (line) => patterns.some((pattern) => pattern.test(line))),
    [],
  );
});

/** Names of libraries that look like names of our files. */
const LIBRARIES = new Set(['typst.ts']);

t.test('files named in comments and pages exist', async (t) => {
  const pages = sourceFiles(...PAGES);
  const names = sourceFiles('**/*.{cjs,mjs,ts,md,sh}').map(({ path }) => `/${path}`);
  const isThere = (name: string): boolean => names.some((path) => path.endsWith(`/${name}`));
  const missing = (line: string): boolean =>
    [...line.matchAll(/(?<![\w/.$}-])(?:[\w-]+\/)*[\w.-]+\.(?:cjs|mjs|ts|md|sh)(?![\w-])/g)].some(
      ([name]) => !LIBRARIES.has(name) && !isThere(name),
    );
  t.strictSame(places(pages, missing), []);
  t.strictSame(
    places(code, (line) => /^\s*(?:\/\/|\*|\/\*\*) /.test(line) && missing(line)),
    [],
  );
});

t.test('the product exports nothing that only tests use', async (t) => {
  // An export for tests is allowed if product code, in the same file or elsewhere, uses it, too.
  const files = [...code, ...sourceFiles('scripts/**/*.ts')].filter(isProduct);
  const words = new Map(files.map(({ path, text }) => [path, wordCounts(text)]));
  const unused = files
    .filter(({ path }) => path.startsWith('src/'))
    .flatMap(({ path, text }) =>
      [...text.matchAll(/^export (?:async )?(?:function\*?|class|const|let) (\w+)/gm)]
        .map((match) => match[1] ?? '')
        .filter((name) =>
          [...words].every(([file, counts]) => (counts.get(name) ?? 0) < (file === path ? 2 : 1)),
        )
        .map((name) => `${path}: ${name}`),
    );
  t.strictSame(unused, []);
});

function isProduct({ path }: SourceFile): boolean {
  return !/\.test\.ts$|\/fixtures(?:\.ts$|\/)/.test(path) && !path.startsWith('test/');
}

function wordCounts(text: string): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const [word] of text.matchAll(/\w+/g)) counts.set(word, (counts.get(word) ?? 0) + 1);
  return counts;
}

t.test(
  'a database file that others may write to is opened with a time to wait for them',
  async (t) => {
    // Without one, `database is locked` is thrown as soon as the service writes at the same moment.
    const without = code.flatMap(({ path, text }) =>
      [...text.matchAll(/new DatabaseSync\((?!':memory:'\))(?:[^()]|\([^()]*\))*\)/g)]
        .filter(([call]) => !/\btimeout\b/.test(call))
        .map(({ index }) => `${path}:${text.slice(0, index).split('\n').length}`),
    );
    t.strictSame(without, [], 'give it { timeout: 60_000 }');
  },
);

t.test('comments cite only pages that exist', async (t) => {
  // A number of the design refers to a page that readers of this repository do not have.
  t.strictSame(
    places([...sourceFiles(...PAGES), ...code], (line) => /(?:\*|\/\/).*[( ]design \d/.test(line)),
    [],
  );
});

t.test('folders named in comments and pages exist', async (t) => {
  const texts = [...sourceFiles(...PAGES), ...code];
  const missing = texts.flatMap(({ path, text }) =>
    text
      .split('\n')
      .filter((line) => path.endsWith('.md') || /^\s*(?:\/\/|\*|\/\*\*) /.test(line))
      .flatMap((line) => [
        ...line.matchAll(
          // "docs/s" is a unit.
          /(?<![\w/.$}@-])(?!docs\/s\b)(?:src|lab|tools|test|bench|scripts|docs|clients)(?:\/|(?:\/[\w-]+)+)(?![\w/{*$-]|\.\w)/g,
        ),
      ])
      .map(([folder]) => folder)
      .filter((folder) => !existsSync(join(HOME, folder)))
      .map((folder) => `${path}: ${folder}`),
  );
  t.strictSame(missing, []);
});

t.test('no console in the service', async (t) => {
  const service = code.filter(({ path }) => path.startsWith('src/') && !path.endsWith('.test.ts'));
  t.strictSame(
    places(service, (line) => /\bconsole\.\w+\(/.test(line)),
    [],
  );
});

/** SPDX expressions of licences that allow commercial use without disclosing one's own source. */
const LICENCES = new Set([
  '(MIT AND Zlib)',
  '(MIT OR CC0-1.0)',
  '(WTFPL OR MIT)',
  '0BSD',
  'Apache-2.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'BlueOak-1.0.0',
  'CC-BY-3.0',
  'CC-BY-4.0',
  'CC0-1.0',
  'ISC',
  'MIT',
  'MIT AND OFL-1.1',
  // A licence that applies only to changes of its own files.
  'MPL-2.0',
  'OFL-1.1',
  'Python-2.0',
  'Unlicense',
]);

/** Libraries that stay separate and replaceable, as their licences require. */
const LINKED = new Set([
  'Apache-2.0 AND LGPL-3.0-or-later',
  'Apache-2.0 AND LGPL-3.0-or-later AND MIT',
  'LGPL-3.0-or-later',
]);

interface Locked {
  readonly license?: string;
}

/** `error.message.startsWith(…)`, `/…/.test(error.message)`, `message === '…'` and the like. */
const READS_MESSAGE =
  /\bmessage\??\.(?:startsWith|endsWith|includes|match|search)\(|(?:test|exec)\([\w.?]*\bmessage\)|\.message [=!]==/;
/** Only the text of bwip-js's errors tells what is wrong. */
const MESSAGE_READERS = new Set(['src/engine/barcode/encode.ts']);

t.test('no decision depends on the text of an error', async (t) => {
  const product = sourceFiles('src/**/*.ts').filter(isProduct);
  const readers = product.filter(({ path }) => !MESSAGE_READERS.has(path));
  t.strictSame(
    places(readers, (line) => READS_MESSAGE.test(line)),
    [],
    'give the error a class or a code',
  );
});

t.test('dependencies', async (t) => {
  const lock = JSON.parse(readFileSync(join(HOME, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, Locked>;
  };
  const packages = Object.entries(lock.packages).filter(([path]) => path !== '');
  t.ok(packages.length > 100);
  t.test('have licences that allow commercial use', async (t) => {
    for (const [path, locked] of packages) {
      const licence = locked.license ?? licenceInFolder(path);
      const isLinked = path.startsWith('node_modules/@img/sharp-') && LINKED.has(licence);
      t.ok(isLinked || LICENCES.has(licence), `${path}: ${licence}`);
    }
  });
  t.test('are pinned to one version', async (t) => {
    const manifest = JSON.parse(readFileSync(join(HOME, 'package.json'), 'utf8')) as Record<
      'dependencies' | 'devDependencies',
      Record<string, string>
    >;
    const wanted = { ...manifest.dependencies, ...manifest.devDependencies };
    for (const [name, version] of Object.entries(wanted)) {
      t.match(version, /^(?:npm:@?[\w/-]+@)?\d+\.\d+\.\d+$/, name);
    }
  });
});

/** The licence of a package that names it only in a file. */
function licenceInFolder(path: string): string {
  for (const name of ['LICENSE', 'LICENSE.md', 'license']) {
    try {
      const text = readFileSync(join(HOME, path, name), 'utf8');
      return /^\s*(?:The )?MIT License/m.test(text) ? 'MIT' : `unknown text in ${name}`;
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error;
    }
  }
  return 'none';
}

t.test('package-lock.json names the optional binaries of every platform', async (t) => {
  // Otherwise `npm ci` refuses the lock file as incomplete, and a fresh clone does not start.
  const lock = JSON.parse(readFileSync(join(HOME, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, { version?: string; optionalDependencies?: Record<string, string> }>;
  };
  const paths = Object.keys(lock.packages);
  const missing = paths.flatMap((path) =>
    Object.entries(lock.packages[path]?.optionalDependencies ?? {})
      .filter(([name]) => {
        // Node looks for a package beside the one that needs it, then in each folder above.
        const folders = path
          .split('/node_modules/')
          .map((_, index, parts) => parts.slice(0, parts.length - index).join('/node_modules/'));
        const places = folders.map((folder) => `${folder}/node_modules/${name}`);
        return !places.concat(`node_modules/${name}`).some((place) => paths.includes(place));
      })
      .map(([name]) => `${path}: ${name}`),
  );
  t.strictSame(missing, []);
});
