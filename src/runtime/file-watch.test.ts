import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';

import { temporaryFolder } from '../../test/store/dialects.ts';
import { until } from '../../test/instances/pair.ts';
import { watchFiles } from './file-watch.ts';

const LOOK_MS = 10;

t.test('another mode is a change, as a file that root made readable afterwards', async (t) => {
  const path = join(await temporaryFolder(t), 'key');
  writeFileSync(path, 'key', { mode: 0o600 });
  let changes = 0;
  t.teardown(watchFiles([path], () => (changes += 1), LOOK_MS));
  chmodSync(path, 0o640);
  await until(() => Promise.resolve(changes === 1), 60_000);
  t.equal(changes, 1);
});

t.test('a change that could not be used is reported until it can', async (t) => {
  const path = join(await temporaryFolder(t), 'key');
  writeFileSync(path, 'one');
  let changes = 0;
  const change = (): void => {
    changes += 1;
  };
  t.teardown(watchFiles([path], change, LOOK_MS, () => changes === 0 || changes >= 3));
  writeFileSync(path, 'another');
  await until(() => Promise.resolve(changes >= 3), 60_000);
  // Used now: nothing is reported before the next change.
  writeFileSync(path, 'a third one');
  await until(() => Promise.resolve(changes > 3), 60_000);
  t.equal(changes, 4);
});
