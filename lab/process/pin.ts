import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { cpus } from 'node:os';

const TASKSET = '/usr/bin/taskset';

const canPin = existsSync(TASKSET);

/** A command line that keeps all threads of the process on one core; null leaves it as it is. */
export function pinned(
  command: readonly [string, ...string[]],
  core: number | null,
): readonly [string, ...string[]] {
  return core === null || !canPin ? command : [TASKSET, '-c', String(core), ...command];
}

/** Pins this process and the children it starts from now on to one core; null removes the pin. */
export function pinThisProcess(core: number | null): void {
  const cores = core === null ? `0-${cpus().length - 1}` : String(core);
  if (canPin) execFileSync(TASKSET, ['-acp', cores, String(process.pid)], { stdio: 'ignore' });
}
