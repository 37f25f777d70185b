import { execFileSync } from 'node:child_process';
import { cpus, loadavg, release, totalmem } from 'node:os';
import { HOME } from './home.ts';
import { busyMachine } from '../src/runtime/busy-machine.ts';

/** The machine and the commit that a report's figures were measured on. */
export interface Machine {
  readonly cpu: string;
  readonly cores: number;
  readonly memoryGb: number;
  readonly kernel: string;
  readonly node: string;
  /** One-minute load average before the bench; above 0.5, other processes were running. */
  readonly loadBefore: number;
  /** `loadBefore` makes the times too long, and the ratios rough. */
  readonly busy: boolean;
  readonly at: string;
  readonly commit: string;
  /** The working tree differed from the commit. */
  readonly modified: boolean;
}

/** A warning that the load average makes the figures doubtful; null on a quiet machine. */
export function busyWarning(load: number): string | null {
  const busy = busyMachine(load);
  return busy === null ? null : `${busy}: times are too long, and ratios are rough`;
}

function git(...args: string[]): string | null {
  try {
    const options = { cwd: HOME, encoding: 'utf8', stdio: 'pipe' } as const;
    return execFileSync('git', args, options).trim();
  } catch (error) {
    // No git, or no repository: a release unpacked from an archive has no commit to name.
    if (error instanceof Error && ('status' in error || 'code' in error)) return null;
    throw error;
  }
}

export function describeMachine(): Machine {
  const processors = cpus();
  const loadBefore = loadavg()[0] ?? 0;
  return {
    cpu: processors[0]?.model.trim() ?? 'unknown',
    cores: processors.length,
    memoryGb: Math.round(totalmem() / 2 ** 30),
    kernel: release(),
    node: process.version,
    loadBefore,
    busy: busyWarning(loadBefore) !== null,
    at: new Date().toISOString(),
    commit: git('rev-parse', '--short=12', 'HEAD') ?? 'unknown',
    modified: (git('status', '--porcelain', '--', 'src', 'bench', 'lab') ?? '') !== '',
  };
}
