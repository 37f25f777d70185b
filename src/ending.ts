import { setTimeout as delay } from 'node:timers/promises';

/**
 * How the process ends. `process.exit` waits for libuv's threads, so a file call that a hung disk
 * holds keeps the process, and its port, for as long as the disk hangs.
 */

/** Calls that run in libuv's threads, as `process.getActiveResourcesInfo` names them. */
const THREAD_CALL = /^(?:FSReq|FileHandle|GetAddrInfo)/;
/** Time for a call under way at the end to come back. */
const THREAD_CALL_MS_MAX = 200;

/** Ends the process without waiting for anything. */
export function endAtOnce(): never {
  process.kill(process.pid, 'SIGKILL');
  // The kernel spares process 1 of a container its own SIGKILL, but not this.
  return process.abort();
}

/** Ends the process with this exit code; at once, and without it, when a file call hangs. */
export async function endProcess(code: number): Promise<never> {
  const endMs = performance.now() + THREAD_CALL_MS_MAX;
  while (process.getActiveResourcesInfo().some((name) => THREAD_CALL.test(name))) {
    if (performance.now() > endMs) endAtOnce();
    await delay(1);
  }
  return process.exit(code);
}
