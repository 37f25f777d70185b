import { readdirSync, readFileSync } from 'node:fs';
import { errorCode } from '../../src/runtime/error-code.ts';

/** USER_HZ: ticks a second in /proc/<pid>/stat. 100 on every Linux that Node runs on. */
const TICKS_PER_SECOND = 100;

interface ProcessTimes {
  readonly parent: number;
  readonly cpuMs: number;
}

/** Reads /proc/<pid>/stat; null when the process is gone. */
function readTimes(pid: number): ProcessTimes | null {
  let stat: string;
  try {
    stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
  } catch (error) {
    // The process ended between listing and reading /proc.
    if (isProcessGone(error)) return null;
    throw error;
  }
  // proc(5) numbers the fields from 1; the name, in brackets, is field 2. Read here: 4, the parent,
  // and 14 to 17, user and system time of the process and of the children that it has reaped.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const ticks = [11, 12, 13, 14].reduce((sum, i) => sum + Number(fields[i]), 0);
  return { parent: Number(fields[1]), cpuMs: (ticks * 1000) / TICKS_PER_SECOND };
}

/** All living descendants of a process. */
function descendantsOf(root: number): ProcessTimes[] {
  const times = new Map<number, ProcessTimes>();
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    const read = readTimes(Number(name));
    if (read !== null) times.set(Number(name), read);
  }
  const found: ProcessTimes[] = [];
  for (const read of times.values()) {
    let ancestor = read.parent;
    while (ancestor > 1 && ancestor !== root) ancestor = times.get(ancestor)?.parent ?? 0;
    if (ancestor === root) found.push(read);
  }
  return found;
}

/** CPU time of all living descendants of a process, and of the children that these have reaped. */
export function descendantsCpuMs(root: number = process.pid): number {
  return descendantsOf(root).reduce((sum, { cpuMs }) => sum + cpuMs, 0);
}

export function descendantsCount(root: number): number {
  return descendantsOf(root).length;
}

/** Open descriptors of one process. */
export function descriptorsCount(pid: number): number {
  return readdirSync(`/proc/${pid}/fd`).length;
}

/** CPU time of one process so far, with that of the children it has reaped; 0 when it is gone. */
export function processCpuMs(pid: number): number {
  return readTimes(pid)?.cpuMs ?? 0;
}

/** Resident memory of a process in MB; 0 when it is gone. */
export function processRssMb(pid: number): number {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'latin1');
    return Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1] ?? 0) / 1024;
  } catch (error) {
    if (isProcessGone(error)) return 0;
    throw error;
  }
}

function isProcessGone(error: unknown): boolean {
  const code = errorCode(error);
  return code === 'ENOENT' || code === 'ESRCH';
}
