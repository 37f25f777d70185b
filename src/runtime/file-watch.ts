import { statSync, type BigIntStats } from 'node:fs';
import { stat } from 'node:fs/promises';
import { errorCode } from './error-code.ts';

const POLL_MS = 1_000;

/**
 * Calls `onChange` when one of the files was replaced or written, or got another owner or mode. A
 * change is reported when two polls in a row see the same state, so that no file is read half written.
 * Changes count from this call on, so call it before reading the files. While `isUsed` returns false,
 * because the last change could not be read, each poll reports it again: whether a file can be read
 * also depends on the folders above it. Returns a function that stops it.
 *
 * It polls because orchestrators replace a symbolic link above the files, which watching would miss.
 */
export function watchFiles(
  paths: readonly string[],
  onChange: () => void,
  pollMs: number = POLL_MS,
  isUsed: () => boolean = () => true,
): () => void {
  let reported = paths.map(stateOfSync).join('\n');
  let previous = reported;
  let isPolling = false;
  const poll = async (): Promise<void> => {
    // Do not pile up calls to a disk that hangs.
    if (isPolling) return;
    isPolling = true;
    const current = (await Promise.all(paths.map(stateOf))).join('\n');
    isPolling = false;
    if (current === previous && (current !== reported || !isUsed())) {
      reported = current;
      onChange();
    }
    previous = current;
  };
  const timer = setInterval(() => void poll(), pollMs);
  timer.unref();
  return () => clearInterval(timer);
}

function stateOfSync(path: string): string {
  try {
    return describe(statSync(path, { bigint: true }));
  } catch (error) {
    return errorCode(error);
  }
}

async function stateOf(path: string): Promise<string> {
  try {
    return describe(await stat(path, { bigint: true }));
  } catch (error) {
    return errorCode(error);
  }
}

function describe({ dev, ino, size, mtimeNs, mode, uid, gid }: BigIntStats): string {
  return `${dev} ${ino} ${size} ${mtimeNs} ${mode} ${uid} ${gid}`;
}
