import { statSync, type BigIntStats } from 'node:fs';
import { stat } from 'node:fs/promises';
import { errorCode } from './error-code.ts';

/** Poll interval. */
const LOOK_MS = 1_000;

/**
 * Calls `changed` after one of the files was replaced or written, and was the same in the next
 * poll, so that no file is read half written. Call this before reading the files: it reports
 * changes since this call. It polls because orchestrators replace a symbolic link above the files,
 * which watching would miss. The result stops it.
 */
export function watchFiles(
  paths: readonly string[],
  changed: () => void,
  lookMs: number = LOOK_MS,
): () => void {
  let known = paths.map(stateNow).join('\n');
  let last = known;
  let isLooking = false;
  const look = async (): Promise<void> => {
    // Do not pile up calls to a disk that hangs.
    if (isLooking) return;
    isLooking = true;
    const now = (await Promise.all(paths.map(stateOf))).join('\n');
    isLooking = false;
    if (now !== known && now === last) {
      known = now;
      changed();
    }
    last = now;
  };
  const timer = setInterval(() => void look(), lookMs);
  timer.unref();
  return () => clearInterval(timer);
}

function stateNow(path: string): string {
  try {
    return described(statSync(path, { bigint: true }));
  } catch (error) {
    return errorCode(error);
  }
}

async function stateOf(path: string): Promise<string> {
  try {
    return described(await stat(path, { bigint: true }));
  } catch (error) {
    return errorCode(error);
  }
}

function described({ dev, ino, size, mtimeNs }: BigIntStats): string {
  return `${dev} ${ino} ${size} ${mtimeNs}`;
}
