import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join, resolve } from 'node:path';
import t, { type Test } from 'tap';
import { SERVICE_FLAGS, SERVICE_VARIABLES } from '../lab/flags.ts';
import { HOME } from '../lab/home.ts';

/**
 * The wrapper with scripts in place of `node` and `npm`: its decisions, their order, and the
 * arguments that it passes on. Nothing is downloaded.
 */
const WRAPPER = resolve(import.meta.dirname, '../intaglio');
const ARCH = process.arch === 'arm64' ? 'arm64' : 'x64';
const PACKAGE = `node-${process.platform}-${ARCH}`;

interface Checkout {
  readonly home: string;
  readonly bin: string;
  readonly run: (args?: readonly string[]) => { code: number | null; out: string; err: string };
  readonly calls: () => string[];
}

/**
 * A node that prints its version for `--version`, and otherwise its arguments. It keeps its variables
 * in a file of its home folder.
 */
function fakeNode(version: string): string {
  return `#!/bin/sh
[ "$1" != --version ] || { echo v${version}; exit 0; }
[ ! -w "$HOME" ] || env >"$HOME/variables"
for arg; do printf '[%s]' "$arg"; done
[ -z "$FAKE_SLEEP" ] || { echo; exec sleep 30; }
exit "\${FAKE_EXIT:-0}"
`;
}

/** An npm that records how it was called, and leaves the files that the real one would leave. */
function fakeNpm(home: string, fetched: string): string {
  return `#!/bin/sh
[ "$1" = ci ] || exit 1
case $PWD in
  */.runtime/part.*)
    echo "node under $(node --version)" >>'${home}/calls'
    cmp -s package-lock.json '${home}/deploy/node/package-lock.json' || exit 1
    bin=node_modules/${PACKAGE}/bin
    mkdir -p "$bin" && cp '${fetched}' "$bin/node" ;;
  *)
    echo "npm $1 under $(node --version)" >>'${home}/calls'
    sleep "\${FAKE_CI_SECONDS:-0}"
    mkdir -p node_modules && cp package-lock.json node_modules/.package-lock.json ;;
esac
`;
}

function script(path: string, text: string): void {
  writeFileSync(path, text);
  chmodSync(path, 0o755);
}

function checkout(t: Test, own: string, fetched = '22.23.0', glibc = '2.38'): Checkout {
  const node = { 'package.json': '{}', 'package-lock.json': '{"lock":"of node"}' };
  const tree = { src: {}, deploy: { node } };
  const root = t.testdir({ 'a checkout': tree, bin: {}, elsewhere: {} });
  const home = join(root, 'a checkout');
  const bin = join(root, 'bin');
  copyFileSync(WRAPPER, join(home, 'intaglio'));
  writeFileSync(join(home, 'package-lock.json'), '{"lock":1}');
  utimesSync(join(home, 'package-lock.json'), 1, 1);
  script(join(root, 'fetched'), fakeNode(fetched));
  if (own !== '') script(join(bin, 'node'), fakeNode(own));
  script(join(bin, 'getconf'), `#!/bin/sh\necho glibc ${glibc}\n`);
  script(join(bin, 'npm'), fakeNpm(home, join(root, 'fetched')));
  const env = { PATH: `${bin}:/usr/bin:/bin`, HOME: root };
  return {
    home,
    bin,
    run: (args = []) => {
      const done = spawnSync(join(home, 'intaglio'), args, { cwd: root, env, encoding: 'utf8' });
      return { code: done.status, out: done.stdout, err: done.stderr };
    },
    calls: () =>
      existsSync(join(home, 'calls'))
        ? readFileSync(join(home, 'calls'), 'utf8').trimEnd().split('\n')
        : [],
  };
}

t.test('a fitting node on PATH is used; dependencies are installed once', async (t) => {
  const { home, run, calls } = checkout(t, '22.22.2');
  const { code, out } = run(['keys', 'add', '--name', 'two words']);
  t.equal(code, 0);
  const flags = SERVICE_FLAGS.map((flag) => `[${flag.replace(HOME, home)}]`).join('');
  const call = `[${home}/src/cli.ts][keys][add][--name][two words]`;
  t.equal(out, flags + call, 'with the flags that the bench measures the service with');
  const set = readFileSync(join(home, '..', 'variables'), 'utf8').split('\n');
  for (const [name, value] of Object.entries(SERVICE_VARIABLES)) {
    t.ok(set.includes(`${name}=${value}`), `${name} as in the bench`);
  }
  t.strictSame(calls(), ['npm ci under v22.22.2']);
  t.equal(run().err, '', 'the second start is silent');
  t.equal(calls().length, 1, 'and installs nothing');
});

for (const own of [
  '20.20.2',
  '22.21.9',
  '22.22.1',
  '23.5.0',
  '18.0.0',
  '24.1.0',
  '24.14.0',
  '22.x',
]) {
  t.test(`node ${own} does not fit: another is fetched once`, async (t) => {
    const { home, run, calls } = checkout(t, own);
    t.equal(run().code, 0);
    t.strictSame(calls(), [`node under v${own}`, 'npm ci under v22.23.0']);
    t.equal(run().code, 0);
    t.equal(calls().length, 2, 'the second start does not call npm');
    t.strictSame(readdirSync(join(home, '.runtime')), ['node'], 'nothing is left over');
  });
}

for (const own of ['22.22.2', '22.23.0', '24.14.1', '24.15.0', '26.0.0']) {
  t.test(`node ${own} fits`, async (t) => {
    const { run, calls } = checkout(t, own);
    t.equal(run().code, 0);
    t.strictSame(calls(), [`npm ci under v${own}`]);
  });
}

const linux = { skip: process.platform === 'linux' ? false : 'only Linux has glibc' };
t.test('node 24 and 26 need glibc 2.38, for the HTTP server', linux, async (t) => {
  for (const own of ['24.14.1', '26.0.0']) {
    const { run, calls } = checkout(t, own, '22.23.0', '2.36');
    t.equal(run().code, 0);
    t.strictSame(calls(), [`node under v${own}`, 'npm ci under v22.23.0']);
  }
});

t.test('the fetched Node is pinned by version and digest on every platform that has one', (t) => {
  const lock = JSON.parse(readFileSync(join(HOME, 'deploy/node/package-lock.json'), 'utf8')) as {
    packages: Record<string, { version?: string; integrity?: string }>;
  };
  const wrapper = readFileSync(WRAPPER, 'utf8');
  const named = [...wrapper.matchAll(/package=(node-[a-z0-9-]+)/g)].map(([, name]) => name);
  const pinned = Object.entries(lock.packages).filter(([path]) => path !== '');
  const names = pinned.map(([path]) => path.replace('node_modules/', ''));
  t.strictSame(new Set(names), new Set(named));
  for (const [path, { version, integrity }] of pinned) {
    t.match(version, /^22\.(?:2[3-9]|[3-9]\d)\.\d+$/, path);
    t.match(integrity, /^sha512-/, path);
  }
  t.end();
});

t.test('the manifest asks for the same Node as the wrapper', async (t) => {
  const manifest = JSON.parse(readFileSync(join(HOME, 'package.json'), 'utf8')) as {
    engines: { node: string };
  };
  t.equal(manifest.engines.node, '^22.22.2 || ^24.14.1 || ^26.0.0');
});

t.test('SIGUSR1 of log rotation neither opens a debugger nor ends the process', async (t) => {
  const echo = "process.on('message', () => process.send(1))";
  const args = [...SERVICE_FLAGS, '-e', echo];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'pipe', 'ipc'] });
  t.teardown(() => child.kill('SIGKILL'));
  let err = '';
  child.stderr?.on('data', (chunk: Buffer) => {
    err += chunk.toString();
  });
  const ask = async (): Promise<void> => {
    child.send(1);
    await once(child, 'message');
  };
  await ask();
  child.kill('SIGUSR1');
  await ask();
  const ended = once(child, 'exit');
  child.disconnect();
  t.strictSame(await ended, [0, null]);
  t.notMatch(err, 'Debugger');
});

t.test('a fetched node that does not fit is refused and not kept', async (t) => {
  const { home, run } = checkout(t, '20.0.0', '22.1.0');
  const { code, err } = run();
  t.equal(code, 1);
  t.match(err, /older than 22\.22\.2/);
  t.strictSame(readdirSync(join(home, '.runtime')), []);
});

t.test('a changed lock file installs again; a touched one does not', async (t) => {
  const { home, run, calls } = checkout(t, '22.22.2');
  const lock = join(home, 'package-lock.json');
  run();
  const later = Date.now() / 1000 + 60;
  utimesSync(lock, later, later);
  run();
  t.equal(calls().length, 1, 'same content');
  writeFileSync(lock, '{"lock":2}');
  utimesSync(lock, later + 60, later + 60);
  run();
  t.equal(calls().length, 2, 'other content');
});

t.test('works through symbolic links from any folder', async (t) => {
  const { home, bin, run } = checkout(t, '22.22.2');
  run();
  symlinkSync(join(home, 'intaglio'), join(bin, 'link'));
  symlinkSync('link', join(bin, 'intaglio'));
  const done = spawnSync('intaglio', ['--version'], {
    cwd: '/',
    env: { PATH: `${bin}:/usr/bin:/bin` },
    encoding: 'utf8',
  });
  t.ok(done.stdout.includes(`[${home}/src/cli.ts]`), done.stdout);
});

t.test('the exit code is that of node', async (t) => {
  const { home, bin, run } = checkout(t, '22.22.2');
  run();
  const env = { PATH: `${bin}:/usr/bin:/bin`, FAKE_EXIT: '7' };
  t.equal(spawnSync(join(home, 'intaglio'), { env }).status, 7);
});

t.test('node replaces the process of the wrapper, so signals reach it', async (t) => {
  const { home, bin, run } = checkout(t, '22.22.2');
  run();
  const env = { PATH: `${bin}:/usr/bin:/bin`, FAKE_SLEEP: '1' };
  const child = spawn(join(home, 'intaglio'), { env, stdio: ['ignore', 'pipe', 'inherit'] });
  await new Promise((ready) => child.stdout.once('data', ready));
  const ended = new Promise((end) => child.once('exit', (_, signal) => end(signal)));
  child.kill('SIGTERM');
  t.equal(await ended, 'SIGTERM');
});

t.test('starts at the same time install once', async (t) => {
  const { home, bin, calls } = checkout(t, '20.0.0');
  const env = { PATH: `${bin}:/usr/bin:/bin`, FAKE_CI_SECONDS: '0.5' };
  const start = async (): Promise<unknown> =>
    new Promise((end) => spawn(join(home, 'intaglio'), { env, stdio: 'ignore' }).once('exit', end));
  t.strictSame(await Promise.all([start(), start(), start()]), [0, 0, 0]);
  t.equal(calls().length, 2);
});

t.test('the lock of a start that was killed is taken over', async (t) => {
  const { home, run, calls } = checkout(t, '20.0.0');
  const gone = spawnSync('/bin/true').pid;
  mkdirSync(join(home, '.runtime/lock'), { recursive: true });
  mkdirSync(join(home, '.runtime/part.1'));
  writeFileSync(join(home, '.runtime/lock/pid'), `${gone}\n`);
  t.equal(run().code, 0);
  t.equal(calls().length, 2);
  t.strictSame(readdirSync(join(home, '.runtime')), ['node']);
});

const root = { skip: process.getuid?.() === 0 ? false : 'only root can become another user' };
t.test('another user is silent in a folder that only root may enter', root, async (t) => {
  const { home, bin, run } = checkout(t, '22.22.2');
  t.equal(run().code, 0);
  const cwd = join(home, 'of root');
  mkdirSync(cwd, { mode: 0o700 });
  const env = { PATH: `${bin}:/usr/bin:/bin` };
  const nobody = { uid: 65_534, gid: 65_534 };
  const done = spawnSync(join(home, 'intaglio'), { cwd, env, encoding: 'utf8', ...nobody });
  t.strictSame([done.status, done.stderr], [0, '']);
});

t.test('without npm it says what is needed', async (t) => {
  const { home } = checkout(t, '20.0.0');
  const tools = join(home, 'tools');
  mkdirSync(tools);
  for (const tool of [
    'dirname',
    'uname',
    'mkdir',
    'rm',
    'cat',
    'readlink',
    'find',
    'cmp',
    'cp',
    'sh',
  ]) {
    symlinkSync(
      existsSync(`/bin/${tool}`) ? `/bin/${tool}` : `/usr/bin/${tool}`,
      join(tools, tool),
    );
  }
  const done = spawnSync(join(home, 'intaglio'), { env: { PATH: tools }, encoding: 'utf8' });
  t.equal(done.status, 1);
  t.match(done.stderr, /npm/);
});
