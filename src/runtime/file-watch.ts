import { statSync, type BigIntStats } from 'node:fs';
import { stat } from 'node:fs/promises';
import { errorCode } from './error-code.ts';

/** How often the files are looked at. */
const LOOK_MS = 1_000;

/**
 * Calls `changed` when one of the files was replaced or written, once they have stayed the same for one
 * further look, so that no file is read half written. What the files are when this is called counts as
 * known: call it before they are read. Files are looked at instead of watched, because orchestrators
 * replace a symbolic link above them. Calling the result ends it.
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
    // A disk that hangs gets one question, not one a second.
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
