import { readFileSync, statSync } from 'node:fs';
import { Worker } from 'node:worker_threads';
import { unreadable } from '../../../src/commands/console/failure.ts';
import type { Profile } from '../rules.ts';
import type { Examination } from './examine.ts';

export const FILE_BYTES_MAX = 128 * 1_048_576;

/** What judging one file may take. */
export interface JudgeLimits {
  readonly seconds: number;
  readonly memoryMb: number;
}
export const JUDGE_LIMITS: JudgeLimits = { seconds: 120, memoryMb: 2_048 };

/** Judges a file within a bound of size, time and memory. */
export async function judgeFile(
  path: string,
  profiles: readonly Profile[],
  limits: JudgeLimits = JUDGE_LIMITS,
): Promise<Examination> {
  let bytes: Buffer;
  try {
    const stat = statSync(path);
    if (!stat.isFile()) return refused('it is no file');
    if (stat.size > FILE_BYTES_MAX) {
      return refused(`it has ${stat.size} bytes; at most ${FILE_BYTES_MAX} are read`);
    }
    bytes = readFileSync(path);
  } catch (error) {
    return refused(unreadable(path, error).message.replace(`cannot read ${path}: `, ''));
  }
  if (!bytes.subarray(0, 1_024).includes('%PDF-')) return refused('it is no PDF');
  return judgeBytes(bytes, profiles, limits);
}

function refused(reason: string): Examination {
  return { claimed: [], unknown: [], levels: [], unreadable: reason };
}

function judgeBytes(
  bytes: Buffer,
  profiles: readonly Profile[],
  { seconds, memoryMb }: JudgeLimits,
): Promise<Examination> {
  const worker = new Worker(new URL('./thread.ts', import.meta.url), {
    workerData: { bytes: new Uint8Array(bytes), profiles },
    resourceLimits: { maxOldGenerationSizeMb: memoryMb },
  });
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      void worker.terminate();
      resolve(refused(`judging it takes more than ${seconds} s`));
    }, seconds * 1_000);
    worker.once('message', resolve);
    worker.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'ERR_WORKER_OUT_OF_MEMORY') {
        resolve(refused(`judging it takes more than ${memoryMb} MB of memory`));
      } else reject(error);
    });
    worker.once('exit', () => clearTimeout(timer));
  });
}
