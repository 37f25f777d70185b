import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { temporaryFolder } from '../../store/dialects.ts';
import { flip } from './flips.ts';
import { startPool } from './scene.ts';

/** The long form is run.ts. */
const FLIPS = 10;

await t.test('a flipped bit reaches no reader, and something names it', async (t) => {
  const folder = await temporaryFolder(t);
  const pool = await startPool();
  t.teardown(() => pool.close(0));
  for (const [seed, key] of [null, new Uint8Array(32).fill(7)].entries()) {
    const own = join(folder, String(seed));
    await mkdir(own);
    for await (const made of flip({ folder: own, count: FLIPS, seed, key, pool })) {
      const isSaid = made.outcome !== 'SILENT' && made.outcome !== 'UNNAMED';
      t.ok(isSaid, JSON.stringify(made));
    }
  }
});
