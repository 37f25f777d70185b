import { readdirSync, readFileSync } from 'node:fs';

/** USER_HZ: ticks a second in /proc/<pid>/stat. 100 on every Linux that Node runs on. */
const TICKS_PER_SECOND = 100;

interface ProcessTimes {
  readonly parent: number;
  readonly cpuMs: number;
}

/** proc(5): the fields after the name in brackets; 4 parent, 14 to 17 user, system, reaped children. */
function readTimes(pid: number): ProcessTimes | null {
  let stat: string;
  try {
    stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
  } catch (error) {
    // The process ended between listing and reading /proc.
    const code = error instanceof Error && 'code' in error ? error.code : '';
    if (code === 'ENOENT' || code === 'ESRCH') return null;
    throw error;
  }
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
  for (const [pid, read] of times) {
    let at = pid;
    while (at > 1 && at !== root) at = times.get(at)?.parent ?? 0;
    if (at === root && pid !== root) found.push(read);
  }
  return found;
}

/** CPU time of all living descendants of a process and of those they have reaped. */
export function childrenCpuMs(root: number = process.pid): number {
  return descendantsOf(root).reduce((sum, { cpuMs }) => sum + cpuMs, 0);
}

export function childrenCount(root: number): number {
  return descendantsOf(root).length;
}

/** Open descriptors of one process. */
export function descriptorsCount(pid: number): number {
  return readdirSync(`/proc/${pid}/fd`).length;
}

/** User and system time of one process so far. */
export function processCpuMs(pid: number): number {
  return readTimes(pid)?.cpuMs ?? 0;
}

/** Resident memory of a process in MB; 0 when it is gone. */
export function processRssMb(pid: number): number {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'latin1');
    return Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1] ?? 0) / 1024;
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : '';
    if (code === 'ENOENT' || code === 'ESRCH') return 0;
    throw error;
  }
}
