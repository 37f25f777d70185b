import { existsSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { ensureFolder } from './folder.ts';

t.test('a folder is made with those above it', async (t) => {
  const path = join(t.testdir(), 'a', 'b', 'ผลลัพธ์ ตุลา');
  t.equal(ensureFolder(path, 0o700), true);
  t.equal(ensureFolder(path), false, 'it is there');
  t.equal(statSync(path).mode & 0o777, 0o700);
});

t.test('a folder that cannot be made is refused at once', async (t) => {
  const file = join(t.testdir(), 'file');
  writeFileSync(file, '');
  t.throws(() => ensureFolder(file), { code: 'EEXIST' });
  t.throws(() => ensureFolder(join(file, 'a', 'b')), { code: 'ENOTDIR' });
  // The system answers ENOENT there, though /proc exists.
  if (existsSync('/proc/self')) t.throws(() => ensureFolder('/proc/none/a'), { code: 'ENOENT' });
});
