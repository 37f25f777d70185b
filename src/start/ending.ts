/*
 * Two ways to end the process that do not wait for a hung disk. `process.exit` waits for libuv's
 * threads, so a file call that hangs would keep the process and its port.
 */

import { setTimeout as delay } from 'node:timers/promises';

/** Matches names, in `process.getActiveResourcesInfo`, of calls that run in libuv's threads. */
const THREAD_CALL = /^(?:FSReq|FileHandle|GetAddrInfo)/;
/** How long the end of the process waits for such calls. */
const THREAD_CALL_MS_MAX = 200;

/** Ends the process without waiting for anything. */
export function endAtOnce(): never {
  process.kill(process.pid, 'SIGKILL');
  // The kernel does not let process 1 of a container kill itself by SIGKILL, but abort works.
  return process.abort();
}

/** Ends the process with this exit code; when a file call hangs, by SIGKILL. */
export async function endProcess(code: number): Promise<never> {
  const endMs = performance.now() + THREAD_CALL_MS_MAX;
  while (process.getActiveResourcesInfo().some((name) => THREAD_CALL.test(name))) {
    if (performance.now() > endMs) endAtOnce();
    await delay(1);
  }
  return process.exit(code);
}
