import { execFileSync, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  copyFileSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import t from 'tap';

import { HOME } from '../../lab/home.ts';
import { environment, serveFrom } from '../../lab/service/command-line.ts';

/**
 * The image of deploy/Containerfile as a folder: the files that .dockerignore lets through and the
 * packages that `npm prune --omit=dev` leaves. No image is built: that needs a base from a registry.
 */
const CONTAINERFILE = readFileSync(join(HOME, 'deploy/Containerfile'), 'utf8');

/** A pattern of .dockerignore, and everything below what it names; unlike globs it finds `.npmrc`. */
function patternOf(line: string): RegExp {
  const source = line
    .replaceAll('.', '\\.')
    .replaceAll(/\*\*\/|\*/g, (part) => (part === '*' ? '[^/]*' : '(?:.+/)?'));
  return new RegExp(`^${source}(?:/.*)?$`);
}

/** Whether a path of the checkout is copied: the last line of .dockerignore that fits decides. */
function isCopied(path: string): boolean {
  const lines = readFileSync(join(HOME, '.dockerignore'), 'utf8').split('\n');
  let copied = true;
  for (const line of lines.filter((one) => one !== '' && !one.startsWith('#'))) {
    const isException = line.startsWith('!');
    if (patternOf(isException ? line.slice(1) : line).test(path)) copied = isException;
  }
  return copied;
}

function link(path: string, home: string): void {
  mkdirSync(dirname(join(home, path)), { recursive: true });
  linkSync(join(HOME, path), join(home, path));
}

/** Links the files of a package, without the packages below it, which are listed themselves. */
function linkPackage(path: string, home: string): void {
  for (const entry of readdirSync(join(HOME, path), { withFileTypes: true })) {
    const below = join(path, entry.name);
    if (entry.name === 'node_modules') continue;
    if (entry.isDirectory()) linkPackage(below, home);
    else if (entry.isFile()) link(below, home);
  }
}

/** The packages that are not for development only, and are installed on this platform. */
function packagesOfProduction(): readonly string[] {
  const text = readFileSync(join(HOME, 'package-lock.json'), 'utf8');
  const { packages } = JSON.parse(text) as {
    packages: Record<string, { dev?: boolean; devOptional?: boolean }>;
  };
  return Object.entries(packages)
    .filter(([path, { dev, devOptional }]) => path !== '' && dev !== true && devOptional !== true)
    .map(([path]) => path)
    .filter((path) => existsSync(join(HOME, path)));
}

function buildImage(home: string): void {
  const tracked = execFileSync('git', ['ls-files', '-z'], { cwd: HOME, encoding: 'utf8' });
  for (const path of tracked.split('\0').filter((one) => one !== '' && isCopied(one))) {
    if (existsSync(join(HOME, path)) && !lstatSync(join(HOME, path)).isSymbolicLink()) {
      link(path, home);
    }
  }
  for (const path of packagesOfProduction()) linkPackage(path, home);
  // What npm and the wrapper leave behind: the packages are up to date.
  copyFileSync(join(HOME, 'package-lock.json'), join(home, 'node_modules/.package-lock.json'));
  mkdirSync(join(home, '.runtime/node/bin'), { recursive: true });
  symlinkSync(process.execPath, join(home, '.runtime/node/bin/node'));
}

t.test('the folder that becomes the image', async (t) => {
  const home = join(t.testdir(), 'image');
  buildImage(home);
  const run = (...args: readonly string[]): { status: number | null; said: string } => {
    const { status, stdout, stderr } = spawnSync(join(home, 'intaglio'), args, {
      cwd: home,
      encoding: 'utf8',
      env: { PATH: '/usr/bin:/bin' },
    });
    return { status, said: stdout + stderr };
  };

  await t.test('has nothing for development', async (t) => {
    const copied = /^!(\S+)/gm;
    t.ok([...readFileSync(join(HOME, '.dockerignore'), 'utf8').matchAll(copied)].length > 5);
    for (const name of ['bench', 'tools', 'test', 'lab', 'scripts', 'clients/java', '.git']) {
      t.notOk(existsSync(join(home, name)), name);
    }
    for (const name of ['tap', 'typescript', 'vite', 'prettier', 'oxlint']) {
      t.ok(existsSync(join(HOME, 'node_modules', name)), `${name} is a package of this checkout`);
      t.notOk(existsSync(join(home, 'node_modules', name)), name);
    }
    const files = readdirSync(join(home, 'src'), { recursive: true, encoding: 'utf8' });
    t.ok(files.length > 500);
    t.strictSame(
      files.filter((path) => path.endsWith('.test.ts')),
      [],
    );
  });

  await t.test('starts by its entry point, and says what it lacks', async (t) => {
    t.match(CONTAINERFILE, 'ENTRYPOINT ["./intaglio"]\nCMD ["serve"]');
    t.match(run('--version'), { status: 0, said: /^\d+\.\d+\.\d+\n$/ });
    t.match(run('bench', 'engine'), { status: 1, said: /bench is a tool, and this installation/ });
  });

  await t.test('serves: a document is rendered, and the health check passes', async (t) => {
    const folder = t.testdir();
    const env = environment(folder);
    const words = (...args: readonly string[]): string =>
      execFileSync(join(home, 'intaglio'), args, { env, encoding: 'utf8' });
    words('teams', 'add', 'retail', '--name', 'Retail');
    const added = words('keys', 'add', '--team', 'retail', '--scope', 'generate', '--json');
    const { apiKey } = JSON.parse(added) as { apiKey: string };
    const template = join(home, 'templates/receipt.json');
    words('templates', 'draft', template, '--team', 'retail');
    words('templates', 'publish', 'receipt', '--team', 'retail');

    const { url, child } = await serveFrom(t, env, home);
    const { samples } = JSON.parse(readFileSync(template, 'utf8')) as {
      samples: readonly { data: object }[];
    };
    const response = await fetch(`${url}/v1/generate`, {
      method: 'POST',
      headers: { 'x-api-key': apiKey, 'content-type': 'application/json' },
      body: JSON.stringify({ templateId: 'receipt', mode: 'sync', data: samples[0]?.data }),
    });
    t.equal(response.status, 200);
    t.match(Buffer.from(await response.arrayBuffer()).toString('latin1', 0, 8), /^%PDF-/);

    const check = /HEALTHCHECK [^]*?CMD (\[.*\])$/m.exec(CONTAINERFILE)?.[1] ?? '[]';
    const [program = '', ...args] = JSON.parse(check) as readonly string[];
    const healthOf = (port: string): number | null =>
      spawnSync(join(home, program), args, { cwd: home, env: { INTAGLIO_PORT: port } }).status;
    t.equal(healthOf(new URL(url).port), 0);
    const ended = once(child, 'exit');
    child.kill('SIGTERM');
    await ended;
    t.equal(healthOf(new URL(url).port), 1, 'of a service that has ended');
  });
});
