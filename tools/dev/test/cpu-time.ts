import { readFileSync } from 'node:fs';

/** Linux tells programs times in hundredths of a second, on every platform (proc(5)). */
const TICKS_PER_SECOND = 100;
/** Places of cutime and cstime in /proc/self/stat behind the name (proc(5), fields 16 and 17). */
const CHILDREN_USER = 13;
const CHILDREN_SYSTEM = 14;

/**
 * Returns a function that tells the seconds of CPU, user and system, of the children that ended since
 * its last call, with the processes that they had waited for. The system adds them when it has a child
 * waited for: called at the event `exit` of each child, it tells what that child took. Undefined
 * where the system does not say.
 */
export function meterChildren(): () => number | undefined {
  let before = childrenTicks();
  return () => {
    const now = childrenTicks();
    if (now === undefined || before === undefined) return undefined;
    const ticks = now - before;
    before = now;
    return ticks / TICKS_PER_SECOND;
  };
}

function childrenTicks(): number | undefined {
  if (process.platform !== 'linux') return undefined;
  const stat = readFileSync('/proc/self/stat', 'latin1');
  // The name, in parentheses, may hold spaces.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return Number(fields[CHILDREN_USER]) + Number(fields[CHILDREN_SYSTEM]);
}
