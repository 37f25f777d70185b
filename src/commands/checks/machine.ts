import { spawnSync } from 'node:child_process';
import { availableParallelism, totalmem } from 'node:os';

import { nearestSetting, SETTINGS, unknownSettings } from '../../settings/config.ts';
import { connectionsMax, readDescriptorsMax } from '../../gateway/http/descriptors.ts';
import { loadUws } from '../../gateway/http/uws.ts';
import { counted } from '../console/output.ts';
import type { Examination } from './examination.ts';
import { fault, ok, type Verdict, warning } from './finding.ts';

const MEGABYTE = 1_048_576;
const GIGABYTE = 1_073_741_824;
const QPDF_MS_MAX = 5_000;
/** With fewer descriptors, fewer than 2,000 connections can be served. */
const DESCRIPTORS_MIN = 4_096;
/** Memory of the main process, without renderers and bodies. */
export const MAIN_PROCESS_MB = 256;

export function checkSettings(): Verdict {
  const unknown = unknownSettings(process.env);
  if (unknown.length === 0) return ok('every INTAGLIO_ variable is a setting');
  const hints = unknown.flatMap((name) => {
    const near = nearestSetting(name);
    return near === null ? [] : [`${near} for ${name}`];
  });
  return warning(
    `${unknown.join(', ')} ${unknown.length === 1 ? 'is not a setting' : 'are not settings'}: ignored`,
    `${hints.length === 0 ? '' : `write ${hints.join(', ')}, or `}compare the names with docs/settings.md`,
  );
}

export function checkProgram(): Verdict {
  const header = process.report.getReport() as { header?: { glibcVersionRuntime?: string } };
  const libc = header.header?.glibcVersionRuntime;
  const detail = `Node ${process.versions.node}, ${libc === undefined ? 'no glibc' : `glibc ${libc}`}`;
  try {
    loadUws();
    return ok(detail);
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    return fault(
      `${detail}: ${error.message}`,
      'run it on Debian 11 or later, or an equivalent system',
    );
  }
}

export function checkDescriptors(): Verdict {
  const descriptorsMax = readDescriptorsMax();
  const connections = connectionsMax(descriptorsMax);
  const detail = `${descriptorsMax} files may be open: ${connections} connections`;
  if (descriptorsMax >= DESCRIPTORS_MIN) return ok(detail);
  return warning(detail, 'raise the limit: ulimit -n 32768, or LimitNOFILE= of the unit');
}

/** Compares the memory with what renderers, a spare one, bodies and the main process may use. */
export function checkMemory({ config }: Examination): Verdict {
  const { poolThreads, workerMemoryMb, bodyMemoryMb } = config;
  const neededMb = (poolThreads + 1) * workerMemoryMb + bodyMemoryMb + MAIN_PROCESS_MB;
  const needed = neededMb * MEGABYTE;
  const limit = process.constrainedMemory();
  const available = limit > 0 ? Math.min(limit, totalmem()) : totalmem();
  const detail = `${gigabytes(available)} GB; at most ${gigabytes(needed)} GB are used`;
  if (needed <= available) return ok(detail);
  const { poolThreads: threads, workerMemoryMb: heap } = SETTINGS;
  return warning(
    detail,
    `lower ${threads.variable} or ${heap.variable}, or give it more memory: beyond its limit the` +
      ' system kills the service (exit code 137)',
  );
}

function gigabytes(bytes: number): string {
  return (bytes / GIGABYTE).toFixed(1);
}

export function checkProcessors({ config: { poolThreads } }: Examination): Verdict {
  const cores = availableParallelism();
  const detail = `${counted(cores, 'core')}, ${counted(poolThreads, 'renderer')}`;
  if (poolThreads <= cores) return ok(detail);
  return warning(detail, `set ${SETTINGS.poolThreads.variable} to ${cores} or less`);
}

export function checkQpdf({ config }: Examination): Verdict {
  const run = spawnSync(config.qpdf, ['--version'], { timeout: QPDF_MS_MAX, encoding: 'utf8' });
  if (run.status === 0) return ok(run.stdout.split('\n', 1)[0] ?? '');
  return warning(
    `${config.qpdf} does not run: a request for protection gets 503`,
    `install qpdf, or name it in ${SETTINGS.qpdf.variable}`,
  );
}
