import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

import { HOME } from '../../../lab/home.ts';
import type { Adapter, Done } from './judge.ts';

const FOLDER = join(HOME, 'test/clients/conformance');

/** A program that gets the tasks on its standard input, and writes a line of JSON for each. */
export function adapterOf(
  program: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): Adapter {
  return async (tasks) => {
    const child = spawn(program, args, { cwd: FOLDER, env, stdio: ['pipe', 'pipe', 'pipe'] });
    let out = '';
    let err = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => (out += text));
    child.stderr.setEncoding('utf8').on('data', (text: string) => (err += text));
    child.stdin.end(JSON.stringify(tasks));
    const [code] = (await once(child, 'close')) as [number | null];
    if (code !== 0) throw new Error(`${program} ended with ${code}: ${err}`);
    // Each adapter writes what Done says.
    return out
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Done);
  };
}
