import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { endsWithThis, guarded } from '../../lab/process/guard.ts';
import type { Acknowledged, Place } from './invariants.ts';

const WRITER = fileURLToPath(new URL('writer.ts', import.meta.url));
const START_MS_MAX = 300_000;

/**
 * Runs the writer, kills it `afterMs` after its first acknowledgement, and returns everything that
 * it acknowledged. `before` runs just before the kill; power cuts are made there. The writer is
 * stopped (SIGSTOP) first, as a power cut stops the processor: an fsync that meets the shutdown of
 * ext4 half way can report success, and the writer would acknowledge it after the cut.
 */
export async function writeUntilKilled(
  place: Place,
  afterMs: number,
  before: () => void = () => undefined,
): Promise<Acknowledged[]> {
  const [program, ...args] = guarded([
    process.execPath,
    '--disable-warning=ExperimentalWarning',
    WRITER,
    place.databaseUrl,
    join(place.folder, 'files'),
    place.encryptionKey ?? '',
  ]);
  const writer = spawn(program, args, {
    stdio: ['ignore', 'pipe', 'ignore'],
    env: { PATH: process.env['PATH'], NODE_OPTIONS: process.env['NODE_OPTIONS'] },
  });
  endsWithThis(writer);
  const acknowledged: Acknowledged[] = [];
  const guard = setTimeout(() => writer.kill('SIGKILL'), START_MS_MAX);
  const lines = createInterface({ input: writer.stdout });
  lines.on('line', (line) => {
    const [documentId = '', sha256 = ''] = line.split(' ');
    // The last line may be truncated; then it does not count as acknowledged.
    if (sha256.length !== 64) return;
    if (acknowledged.length === 0) {
      setTimeout(() => {
        writer.kill('SIGSTOP');
        before();
        writer.kill('SIGKILL');
      }, afterMs);
    }
    acknowledged.push({ documentId, sha256 });
  });
  await Promise.all([once(writer, 'exit'), once(lines, 'close')]);
  clearTimeout(guard);
  if (acknowledged.length === 0) throw new Error('the writer acknowledged nothing');
  return acknowledged;
}
