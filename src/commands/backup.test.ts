import t from 'tap';

import { environment, intaglio } from '../../lab/service/command-line.ts';
import { folderOf, setUpNote } from '../../test/fixtures/note.ts';

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
