import { execFileSync } from 'node:child_process';
import { appendFile, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { startFakeS3 } from '../../../lab/servers/fake-s3.ts';
import { SourceChanged } from '../terms.ts';
import { SourceFiles } from './source-files.ts';

/** An allowed folder beside one that is not allowed. */
async function foldersOf(t: Test): Promise<{ spool: string; secret: string }> {
  const root = await mkdtemp(join(tmpdir(), 'intaglio-sources-'));
  t.teardown(() => rm(root, { recursive: true, force: true }));
  const [spool, secret] = [join(root, 'spool'), join(root, 'spool-secret')];
  await Promise.all([mkdir(join(spool, 'october'), { recursive: true }), mkdir(secret)]);
  await writeFile(join(spool, 'october', 'rows.csv'), 'id\nA\n');
  await writeFile(join(secret, 'keys.csv'), 'secret');
  return { spool, secret };
}

async function opened(files: SourceFiles, teamId: string, path: string): Promise<string> {
  const file = await files.open(teamId, path);
  if (typeof file === 'string') return file;
  const bytes = await file.read(0, file.bytes);
  await file.close();
  return Buffer.from(bytes).toString();
}

t.test('only files below an allowed folder are read', async (t) => {
  const { spool, secret } = await foldersOf(t);
  await symlink(join(secret, 'keys.csv'), join(spool, 'link.csv'));
  await symlink(secret, join(spool, 'folder'));
  await symlink(join(spool, 'october', 'rows.csv'), join(spool, 'inside.csv'));
  await symlink(join(spool, 'loop.csv'), join(spool, 'loop.csv'));
  execFileSync('mkfifo', [join(spool, 'pipe.csv')]);
  const files = new SourceFiles([`${spool}/`], 1_000);
  const of = (path: string): Promise<string> => opened(files, 'bank', path);
  t.equal(await of(join(spool, 'october', 'rows.csv')), 'id\nA\n');
  t.equal(await of(join(spool, 'inside.csv')), 'id\nA\n', 'a link that stays inside');
  for (const path of [
    join(secret, 'keys.csv'),
    `${spool}/../spool-secret/keys.csv`,
    `${spool}//october/rows.csv`,
    `${spool}/./october/rows.csv`,
    `${spool}/october/`,
    `${spool}/october/rows.csv\0.txt`,
    join(spool, 'link.csv'),
    join(spool, 'folder', 'keys.csv'),
    join(spool, 'loop.csv'),
    spool,
    'october/rows.csv',
    '/etc/passwd',
    '/proc/self/environ',
    's3://bucket/rows.csv',
    '',
  ]) {
    t.equal(await of(path), 'outside', JSON.stringify(path));
  }
  t.equal(await of(join(spool, 'none.csv')), 'absent');
  t.equal(await of(join(spool, 'october')), 'no_file');
  t.equal(await of(join(spool, 'pipe.csv')), 'no_file', 'a FIFO does not block');
});

t.test('the folder of a team is closed to other teams', async (t) => {
  const { spool } = await foldersOf(t);
  const path = join(spool, 'october', 'rows.csv');
  const files = new SourceFiles([`bank=${spool}`], 1_000);
  t.equal(await opened(files, 'bank', path), 'id\nA\n');
  t.equal(await opened(files, 'rival', path), 'off');
  t.equal(await opened(new SourceFiles([], 1_000), 'bank', path), 'off');
});

t.test('a file that changes while it is read is noticed', async (t) => {
  const { spool } = await foldersOf(t);
  const path = join(spool, 'october', 'rows.csv');
  const file = await new SourceFiles([spool], 1_000).open('bank', path);
  if (typeof file === 'string') throw new Error(file);
  t.teardown(() => file.close());
  await file.read(0, 2);
  await appendFile(path, 'B\n');
  await t.rejects(file.read(2, 1_000), SourceChanged);
});

t.test('objects below an allowed prefix are read unless they change meanwhile', async (t) => {
  const s3 = await startFakeS3();
  t.teardown(() => s3.stop());
  const files = new SourceFiles([s3.url], 5_000);
  t.teardown(() => files.close());
  const put = (body: Buffer): void => {
    s3.objects.set('documents/ตุลาคม 1.csv', { body, modifiedAtMs: 0 });
  };
  put(Buffer.alloc(3_000_000, 'a'));
  s3.objects.set('other/rows.csv', { body: Buffer.from('secret'), modifiedAtMs: 0 });
  const path = 's3://bucket/documents/ตุลาคม 1.csv';
  t.equal((await opened(files, 'bank', path)).length, 3_000_000);
  t.equal(await opened(files, 'bank', 's3://bucket/documents/none.csv'), 'absent');
  for (const other of ['s3://bucket/other/rows.csv', 's3://bucket/documents/../other/rows.csv']) {
    t.equal(await opened(files, 'bank', other), 'outside', other);
  }
  const file = await files.open('bank', path);
  if (typeof file === 'string') throw new Error(file);
  put(Buffer.alloc(3_000_000, 'b'));
  await t.rejects(file.read(2_000_000, 100), SourceChanged);
});
