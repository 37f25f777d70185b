import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

import { HOME } from '../../lab/home.ts';

/**
 * Runs a program without the variables of the test runner; returns its standard output and error.
 */
export async function runProgram(
  program: string,
  cwd: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv = { PATH: process.env['PATH'] },
): Promise<{ readonly code: number; readonly out: string }> {
  const child = spawn(program, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
  let out = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => (out += text));
  }
  const [code] = (await once(child, 'close')) as [number];
  return { code, out };
}

/** The reason why tests of the Python client are skipped, or false. */
export function withoutPython(): string | false {
  const has = spawnSync('python3', ['--version']).status === 0;
  return has ? false : 'python3 is not installed: the Python client is not tested';
}

/** Lets Python find the client, and keeps it from writing compiled files. */
export const PYTHON_ENV: Readonly<Record<string, string>> = {
  PATH: process.env['PATH'] ?? '',
  PYTHONPATH: join(HOME, 'clients/python'),
  PYTHONDONTWRITEBYTECODE: '1',
  PYTHONIOENCODING: 'utf-8',
};

/** Installs the built package for Node in a folder, for the programs there and below. */
export async function installNode(folder: string): Promise<void> {
  const kit = join(HOME, 'clients/node');
  const installed = join(folder, 'node_modules/intaglio-client');
  mkdirSync(installed, { recursive: true });
  cpSync(join(kit, 'package.json'), join(installed, 'package.json'));
  // Not bin/tsc: it has no file extension, and the hooks of the test runner cannot load such a
  // file.
  const tsc = join(HOME, 'node_modules/typescript/lib/tsc.js');
  const compile = [tsc, '-p', kit, '--outDir', join(installed, 'dist')];
  const built = await runProgram(process.execPath, HOME, compile);
  if (built.code !== 0) throw new Error(built.out);
}

/** The reason why tests of the Java client are skipped, or false. */
export function withoutJava(): string | false {
  const has = spawnSync('javac', ['--version']).status === 0;
  return has ? false : 'default-jdk-headless is not installed: the Java client is not tested';
}

const KIT = join(HOME, 'clients/java');

/** The name of the client's jar. */
export const JAR = 'intaglio-client-0.1.0';

/**
 * Builds the client, and the programs of the tests over it, in a folder; returns the class path.
 * `isWhole`: with sources and Javadoc.
 */
export async function buildJava(folder: string, isWhole = false): Promise<string> {
  const env = { PATH: process.env['PATH'] ?? '' };
  const jars = join(folder, 'jars');
  const classes = join(folder, 'classes');
  const built = await runProgram(
    join(KIT, 'build.sh'),
    KIT,
    [...(isWhole ? [] : ['--jar-only']), jars],
    env,
  );
  if (built.code !== 0) throw new Error(built.out);
  const programs = join(HOME, 'test/clients/java');
  const path = join(jars, `${JAR}.jar`);
  const files = readdirSync(programs).map((name) => join(programs, name));
  const words = ['-J-XX:+UseSerialGC', '-J-XX:TieredStopAtLevel=1', '--release', '17'];
  const where = ['-encoding', 'UTF-8', '-cp', path, '-d', classes];
  const compiled = await runProgram('javac', HOME, [...words, ...where, ...files], env);
  if (compiled.code !== 0) throw new Error(compiled.out);
  return `${path}:${classes}`;
}

/**
 * Options of a JVM that runs for seconds: it starts soon, and uses one thread beside its own. `name`:
 * a program of the tests.
 */
export function javaArgs(classPath: string, name?: string): string[] {
  const options = ['-XX:+UseSerialGC', '-XX:TieredStopAtLevel=1', '-Xshare:auto', '-Xmx1g'];
  const program = name === undefined ? [] : [`intaglio.client.${name}`];
  return [...options, '-cp', classPath, ...program];
}
