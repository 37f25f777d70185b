import { spawn, type ChildProcess } from 'node:child_process';
import { performance } from 'node:perf_hooks';

import { HOME } from '../../../config.ts';
import { tallyFile, type FileReport } from './tally.ts';

/** A file has this long before tap fails it: long enough for the slowest one on a busy machine. */
const FILE_TIMEOUT_S = 1_500;
/** A file that tap could not fail, because its event loop stands still, is killed this much later. */
const KILL_AFTER_MS = 30_000;
/** Files that were asked to end by a signal are killed after this time. */
const GRACE_MS = 5_000;

/** Test files, in the order they start in, and how they run. */
export interface FileRun {
  readonly files: readonly string[];
  /** How many files run at a time. */
  readonly jobs: number;
  /** PATH of the tests. */
  readonly path: string;
  readonly onFile: (report: FileReport) => void;
}

/**
 * Runs the files and returns how many ended. Each is run as `node FILE`, as a person would run it.
 * `tap run` puts module loader hooks into NODE_OPTIONS, so that each service that a test starts loads
 * its modules through a thread of hooks and takes twice the CPU to start. SIGINT and SIGTERM go to
 * the files that run, and no further one starts.
 */
export async function runFiles(run: FileRun): Promise<number> {
  let endedCount = 0;
  const waiting = run.files.values();
  const running = new Set<ChildProcess>();
  let interrupted = false;
  const stop = (signal: NodeJS.Signals): void => {
    interrupted = true;
    for (const child of running) endBySignal(child, signal);
  };
  const lane = async (): Promise<void> => {
    for (const file of waiting) {
      if (interrupted) return;
      const report = await runFile(file, run.path, running);
      endedCount += 1;
      run.onFile(report);
    }
  };
  process.on('SIGINT', stop).on('SIGTERM', stop);
  try {
    await Promise.all(Array.from({ length: run.jobs }, lane));
  } finally {
    process.off('SIGINT', stop).off('SIGTERM', stop);
  }
  return endedCount;
}

async function runFile(
  file: string,
  path: string,
  running: Set<ChildProcess>,
): Promise<FileReport> {
  const startedMs = performance.now();
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', file], {
    cwd: HOME,
    env: { ...process.env, PATH: path, TAP_TIMEOUT: String(FILE_TIMEOUT_S) },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  running.add(child);
  const tally = tallyFile(file);
  child.stdout.on('data', (chunk: Uint8Array) => tally.write(chunk));
  const overdue = setTimeout(
    () => void child.kill('SIGKILL'),
    FILE_TIMEOUT_S * 1000 + KILL_AFTER_MS,
  );
  try {
    const end = await new Promise<string>((ended, failed) => {
      child.once('error', failed);
      child.once('close', (code, signal) => ended(signal ?? String(code)));
    });
    return tally.end(end, performance.now() - startedMs);
  } finally {
    clearTimeout(overdue);
    running.delete(child);
  }
}

function endBySignal(child: ChildProcess, signal: NodeJS.Signals): void {
  child.kill(signal);
  const killing = setTimeout(() => void child.kill('SIGKILL'), GRACE_MS);
  child.once('exit', () => clearTimeout(killing));
}
