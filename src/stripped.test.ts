import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, utimesSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import t, { type Test } from 'tap';

const SRC = import.meta.dirname;
const { keptPath } = createRequire(import.meta.url)('./stripped.cjs') as {
  readonly keptPath: (source: Uint8Array) => string;
};

/** Prints the text of the other source and whether Node's compiler was loaded, in the process. */
const STARTS = `import { Worker } from 'node:worker_threads';
  import { told } from './text.ts';
  const source = \`import(\${JSON.stringify(new URL('text.ts', import.meta.url).href)})
    .then((m) => console.log(m.told))\`;
  const { moduleLoadList } = process as unknown as { moduleLoadList: string[] };
  console.log(told, moduleLoadList.some((name) => name.includes('amaro')));
  new Worker(source, { eval: true });`;

/** A folder like the service's, with a source that starts. */
function copyOf(t: Test): string {
  const home = t.testdir({ 'package.json': '{"type":"module"}', src: { 'start.ts': STARTS } });
  for (const name of ['quiet.cjs', 'stripped.cjs'])
    cpSync(join(SRC, name), join(home, 'src', name));
  return home;
}

function flags(home: string): string[] {
  return ['quiet', 'stripped'].flatMap((name) => ['--require', join(home, `src/${name}.cjs`)]);
}

function run(home: string, told: string): string {
  writeFileSync(join(home, 'src/text.ts'), told);
  const args = [...flags(home), join(home, 'src/start.ts')];
  const { stdout, stderr } = spawnSync(process.execPath, args, { env: {} });
  return stdout.toString() + stderr.toString();
}

const keptBy = (home: string): string =>
  join(home, 'node_modules/.cache/stripped', process.version);

t.test('a source is stripped once and then loaded without Node’s compiler', async (t) => {
  const home = copyOf(t);
  const told = "export const told: string = 'one';";
  t.equal(run(home, told), 'one true\none\n', 'the first start strips');
  t.equal(readdirSync(keptBy(home)).length, 2);
  t.equal(run(home, told), 'one false\none\n', 'the second does not');
  const changed = "export const told: string = 'changed';";
  t.equal(
    run(home, changed),
    'changed true\nchanged\n',
    'a source that was changed is stripped again',
  );
});

t.test('as a program it keeps all sources, and removes old ones that no source has', async (t) => {
  const home = copyOf(t);
  const told = "export const told: string = 'kept';";
  writeFileSync(join(home, 'src/text.ts'), told);
  mkdirSync(keptBy(home), { recursive: true });
  const [recent, old] = ['recent', 'old'].map((name) => join(keptBy(home), name));
  for (const path of [recent, old]) writeFileSync(path!, '');
  utimesSync(old!, 1, 1);
  const keep = (): string => {
    const args = ['--no-warnings', join(home, 'src/stripped.cjs')];
    return spawnSync(process.execPath, args, { env: {} }).stderr.toString();
  };
  t.equal(keep(), '');
  const kept = readdirSync(keptBy(home));
  t.equal(kept.length, 3);
  t.ok(kept.includes('recent'));
  t.equal(run(home, told), 'kept false\nkept\n', 'no start strips');
  const path = keptPath(Buffer.from(told)).split('/').at(-1)!;
  writeFileSync(join(keptBy(home), path), "export const told = 'from the cache';");
  keep();
  t.match(run(home, told), /^from the cache false/, 'what is kept is not made again');
});

t.test('a start without the right to write strips what it needs', async (t) => {
  const home = copyOf(t);
  // Root may write everywhere, but not below a file.
  writeFileSync(join(home, 'node_modules'), '');
  const told = "export const told: string = 'read-only';";
  t.equal(run(home, told), 'read-only true\nread-only\n');
  t.equal(run(home, told), 'read-only true\nread-only\n');
});

t.test('a fault in a source is named with its file', async (t) => {
  const home = copyOf(t);
  const out = run(home, 'export const told: = 1;');
  t.match(out, /text\.ts/);
  t.match(out, /SyntaxError/);
  t.equal(existsSync(keptBy(home)) && readdirSync(keptBy(home)).length > 1, false);
});
