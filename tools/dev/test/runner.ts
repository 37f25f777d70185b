import { spawn, type ChildProcess } from 'node:child_process';
import { performance } from 'node:perf_hooks';

import { HOME } from '../../../src/settings/config.ts';
import { meterChildren } from './cpu-time.ts';
import { tallyFile, type FileReport } from './tally.ts';
import { limitTime, WALL_MS_MAX } from './time-limit.ts';

/** Files that were asked to end are killed after this time. */
const GRACE_MS = 5_000;

/** Test files, in the order they start in, and how they run. */
export interface FileRun {
  readonly files: readonly string[];
  /** How many files run at a time. */
  readonly jobs: number;
  /** How long a file may take on a machine that does nothing else; then it is stopped. */
  readonly quietMsMax: number;
  /** Variables of the environment that the tests get in place of those of this process. */
  readonly env: Readonly<Record<string, string>>;
  readonly onFile: (report: FileReport) => void;
}

/**
 * Runs the files and returns how many ended. Each is run as `node FILE`, as a person would run it.
 * `tap run` puts module loader hooks into NODE_OPTIONS, so that each service that a test starts loads
 * its modules through a thread of hooks and takes twice the CPU to start. SIGHUP, SIGINT and SIGTERM
 * go to the files that run, and no further one starts.
 */
export async function runFiles(run: FileRun): Promise<number> {
  let endedCount = 0;
  const waiting = run.files.values();
  const running = new Set<ChildProcess>();
  const takeCpuSeconds = meterChildren();
  let isInterrupted = false;
  const stop = (signal: NodeJS.Signals): void => {
    isInterrupted = true;
    for (const child of running) endBySignal(child, signal);
  };
  const lane = async (): Promise<void> => {
    for (const file of waiting) {
      if (isInterrupted) return;
      const report = await runFile(file, run, running, takeCpuSeconds);
      endedCount += 1;
      run.onFile(report);
    }
  };
  process.on('SIGHUP', stop).on('SIGINT', stop).on('SIGTERM', stop);
  try {
    await Promise.all(Array.from({ length: run.jobs }, lane));
  } finally {
    process.off('SIGHUP', stop).off('SIGINT', stop).off('SIGTERM', stop);
  }
  return endedCount;
}

async function runFile(
  file: string,
  { env, quietMsMax }: FileRun,
  running: Set<ChildProcess>,
  takeCpuSeconds: () => number | undefined,
): Promise<FileReport> {
  const startedMs = performance.now();
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', file], {
    cwd: HOME,
    env: { ...process.env, ...env, TAP_TIMEOUT: String(WALL_MS_MAX / 1000) },
    stdio: ['ignore', 'pipe', 'inherit'],
    // It leads a process group, so that the services it starts can be killed with it.
    detached: true,
  });
  running.add(child);
  const tally = tallyFile(file);
  child.stdout.on('data', (chunk: Uint8Array) => tally.write(chunk));
  let isOver = false;
  const endLimit = limitTime(quietMsMax, () => {
    isOver = true;
    // Tap names the test that runs, unless its event loop stands still.
    endBySignal(child, 'SIGTERM');
  });
  try {
    let cpuSeconds: number | undefined;
    // A process of the group that outlives the file would keep its output open: 'close' comes later.
    child.once('exit', () => {
      cpuSeconds = takeCpuSeconds();
      killGroup(child);
    });
    const end = await new Promise<string>((ended, failed) => {
      child.once('error', failed);
      child.once('close', (code, signal) => ended(signal ?? String(code)));
    });
    const durationMs = performance.now() - startedMs;
    const exit = isOver ? `${end}: it took too long and was stopped` : end;
    return tally.end(exit, durationMs, cpuSeconds);
  } finally {
    endLimit();
    running.delete(child);
  }
}

function endBySignal(child: ChildProcess, signal: NodeJS.Signals): void {
  child.kill(signal);
  const killing = setTimeout(() => killGroup(child), GRACE_MS);
  child.once('exit', () => clearTimeout(killing));
}

/** Kills the file, if it still runs, and every process that it left behind. */
function killGroup({ pid }: ChildProcess): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
  }
}
