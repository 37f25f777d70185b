import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { SERVICE_FLAGS } from '../../lab/flags.ts';
import { NODE_ARGS } from '../../lab/service/command-line.ts';
import { endsWithThis, guarded } from '../../lab/process/guard.ts';

type Environment = Readonly<Record<string, string>>;

interface Ended {
  readonly code: number | null;
  readonly seconds: string;
  /** What it said on the way. */
  readonly progress: string;
}

/** Runs `migrate` to its end, also that of another checkout, and describes it. */
export async function migrate(env: Environment, home?: string): Promise<string> {
  const { code, seconds, progress } = await run(env, home, null);
  return `migrate ended with ${code} in ${seconds} s${progress}`;
}

/** Kills `migrate` after this time, unless it has ended. */
export async function migrateKilled(env: Environment, ms: number): Promise<string> {
  const { code, seconds, progress } = await run(env, undefined, ms);
  return code === null
    ? `migrate was killed after ${seconds} s${progress}`
    : `migrate ended with ${code} in ${seconds} s, before it was killed`;
}

async function run(
  env: Environment,
  home: string | undefined,
  killMs: number | null,
): Promise<Ended> {
  const script = home === undefined ? NODE_ARGS : [...SERVICE_FLAGS, join(home, 'src/cli.ts')];
  const [program, ...words] = guarded([process.execPath, ...script, 'migrate']);
  const startMs = performance.now();
  const child = spawn(program, words, { env, stdio: ['ignore', 'ignore', 'pipe'] });
  endsWithThis(child);
  const err: Buffer[] = [];
  child.stderr.on('data', (chunk: Buffer) => err.push(chunk));
  const ended = once(child, 'close');
  if (killMs !== null) {
    await Promise.race([pause(killMs), ended]);
    child.kill('SIGKILL');
  }
  await ended;
  const lines = Buffer.concat(err).toString().trim().split('\n');
  const last = lines.at(-1) ?? '';
  return {
    code: child.exitCode,
    seconds: ((performance.now() - startMs) / 1_000).toFixed(1),
    progress: last === '' ? '' : `; ${lines.length} lines, the last: ${last}`,
  };
}
