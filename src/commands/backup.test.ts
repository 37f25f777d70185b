import { join } from 'node:path';
import t from 'tap';

import { environment, intaglio } from '../../lab/service/command-line.ts';
import { folderOf, setUpNote } from '../../test/fixtures/note.ts';

t.test('a backup of an empty database says so, and names the database', async (t) => {
  const folder = folderOf(t);
  const env = environment(folder);
  await intaglio(env, 'doctor');
  const empty = await intaglio(env, 'backup', join(folder, 'empty'));
  t.equal(empty.code, 0, 'a restore keeps an empty database aside, too');
  t.match(
    empty.err,
    /^intaglio: this backup holds no team and no document\. The database is sqlite:/,
  );
  t.match(empty.err, /set INTAGLIO_DATABASE_URL as it has it\.$/m);
  await setUpNote(folder);
  t.equal((await intaglio(env, 'backup', join(folder, 'full'))).err, '');
});

t.test('a folder that cannot be written is named with the reason, in one line', async (t) => {
  const folder = folderOf(t);
  await setUpNote(folder);
  for (const place of ['/dev/null/backup', '/proc/backup']) {
    const { code, out, err } = await intaglio(environment(folder), 'backup', place);
    t.equal(code, 1, place);
    t.equal(out, '');
    t.match(err, new RegExp(`^intaglio: cannot write ${place}: .*name another folder\\n$`));
  }
});
