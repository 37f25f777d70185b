import { openAsBlob } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { firstValuesOf } from '../../studio/src/runs/file/first-rows.ts';
import { partsOf, readRowFile } from '../../studio/src/runs/file/rows.ts';

const CHANGED = { name: 'ApiError', code: 'file_changed' };

t.test('a file that is rewritten after it was chosen is said to be so', async (t) => {
  // Node reads a Blob of a file as browsers do: NotReadableError once the file is another one.
  const path = join(t.testdir(), 'rows.csv');
  await writeFile(path, 'id,name\nA1,x\n');
  const sent = await openAsBlob(path);
  const rows = await readRowFile(sent, 'rows.csv');
  if (typeof rows !== 'object' || !('file' in rows)) throw new Error('not read');
  const parts = partsOf(rows);
  const first = await parts.next();
  await writeFile(path, 'id,name\nA1,other\nA2,y\n');
  t.equal(await first.value?.rows.text(), 'id,name\nA1,x\n', 'a part stays as it was read');
  await t.rejects(partsOf(rows).next(), CHANGED);
  await t.rejects(firstValuesOf(rows, 3), CHANGED);
  t.equal(await readRowFile(sent, 'rows.csv'), 'changed');
});

t.test('a fault of another kind is not taken for a changed file', async (t) => {
  const blob = { size: 1, slice: () => ({ arrayBuffer: () => Promise.reject(new RangeError()) }) };
  await t.rejects(readRowFile(blob as unknown as Blob, 'rows.csv'), RangeError);
});
