import { rmSync } from 'node:fs';
import { join } from 'node:path';

import { temporaryFolder } from '../../../test/store/dialects.ts';
import { addDocument } from '../../../test/store/samples.ts';
import { openStore } from '../open.ts';
import t from 'tap';

const HOUR_MS = 3_600_000;

t.test('the sweep counts the files that have a row, and their bytes', async (t) => {
  const folder = await temporaryFolder(t);
  const wall = { nowMs: Date.now(), startMs: performance.now() };
  const store = await openStore({
    databaseUrl: `sqlite:${join(folder, 'rows.db')}`,
    filesUrl: `file:${join(folder, 'files')}`,
    clock: { wallMs: () => wall.nowMs, monotonicMs: () => wall.nowMs },
  });
  t.teardown(() => store.close());
  await store.migrate();
  t.equal(store.figures().stored, null, 'not known before the first sweep');
  await addDocument(store, new Uint8Array(1_000), wall.nowMs);
  await addDocument(store, new Uint8Array(200), wall.nowMs + HOUR_MS);
  await store.documents.sweep(wall.nowMs);
  t.strictSame(store.figures().stored, {
    document: { files: 2, bytes: 1_200 },
    run: { files: 0, bytes: 0 },
  });
  // The first one expires, an hour after it was made.
  wall.nowMs += HOUR_MS + 1;
  await store.documents.sweep(wall.nowMs);
  t.match(store.figures().stored, { document: { files: 1, bytes: 200 } });
  rmSync(join(folder, 'files'), { recursive: true });
  await store.documents.sweep(wall.nowMs).catch(() => undefined);
  t.match(store.figures().stored, { document: { files: 0, bytes: 0 } });
});
