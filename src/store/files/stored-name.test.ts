import { mkdir, readFile, rename, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';

import { startFakeS3 } from '../../../lab/servers/fake-s3.ts';
import { temporaryFolder } from '../../../test/store/dialects.ts';
import { uuidv7 } from '../ids.ts';
import { openFiles } from '../open.ts';

const PDF = '%PDF-1.7 %%EOF';
const NO_IDS = ['abcdefgh/../../../../victim/letter', '..', '', '01a21c47-5fda-7000-9fc3', 'x\0y'];

t.test('a file store takes ids alone, so a changed row leads nowhere else', async (t) => {
  const folder = await temporaryFolder(t);
  await mkdir(join(folder, 'victim'));
  const victim = join(folder, 'victim', 'letter.pdf');
  await writeFile(victim, 'untouched');
  const server = await startFakeS3();
  t.teardown(() => server.stop());
  for (const filesUrl of [`file:${join(folder, 'a', 'files')}`, server.url]) {
    const files = openFiles({ filesUrl });
    await files.put(uuidv7(Date.now()), Buffer.from(PDF));
    for (const id of NO_IDS) {
      await t.rejects(files.put(id, Buffer.from(PDF)), RangeError);
      await t.rejects(files.open(id), RangeError);
      await t.rejects(files.remove(id), RangeError);
    }
    await files.close();
  }
  t.equal(await readFile(victim, 'utf8'), 'untouched');
});

t.test('a link in the place of a file is not followed', async (t) => {
  const folder = await temporaryFolder(t);
  const files = openFiles({ filesUrl: `file:${join(folder, 'files')}` });
  t.teardown(() => files.close());
  const id = uuidv7(Date.now());
  await files.put(id, Buffer.from(PDF));
  const path = join(folder, 'files', id.slice(0, 5), id.slice(5, 8), `${id}.pdf`);
  await rename(path, join(folder, 'elsewhere'));
  await symlink(join(folder, 'elsewhere'), path);
  await t.rejects(files.open(id), { name: 'FileMissing' });
});
