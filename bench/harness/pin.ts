import { existsSync } from 'node:fs';

const TASKSET = '/usr/bin/taskset';

const canPin = existsSync(TASKSET);

/** A command line that keeps all threads of the process on one core; null leaves it as it is. */
export function pinned(
  command: readonly [string, ...string[]],
  core: number | null,
): readonly [string, ...string[]] {
  return core === null || !canPin ? command : [TASKSET, '-c', String(core), ...command];
}
