import t from 'tap';
import { DirectorySync } from './directory-sync.ts';
import type { FileSystem } from './disk.ts';

function settle(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** Folder syncs that the test ends one by one. */
function stage() {
  const begun: { folder: string; end: (error?: Error) => void }[] = [];
  const open = async (folder: string) => ({
    sync: () =>
      new Promise<void>((resolve, reject) => {
        begun.push({
          folder,
          end: (error) => (error === undefined ? resolve() : reject(error)),
        });
      }),
    close: async () => undefined,
  });
  const directories = new DirectorySync({ open: open as unknown as FileSystem['open'] });
  return { begun, directories };
}

await t.test(
  'callers that come during a sync share the next one, not the one under way',
  async (t) => {
    const { begun, directories } = stage();
    const first = directories.sync('/a');
    await settle();
    let done = 0;
    const later = [1, 2, 3].map(() => directories.sync('/a').then(() => (done += 1)));
    await settle();
    t.equal(begun.length, 1);
    begun[0]?.end();
    await first;
    await settle();
    t.equal(done, 0, 'the first sync may have begun before their rename');
    t.equal(begun.length, 2, 'one call for the three');
    begun[1]?.end();
    await Promise.all(later);
    t.equal(done, 3);
    await directories.settled();
  },
);

await t.test('a failure reaches the callers of that sync, not those of the next', async (t) => {
  const { begun, directories } = stage();
  const first = directories.sync('/a');
  await settle();
  const next = directories.sync('/a');
  const other = directories.sync('/b');
  await settle();
  begun[0]?.end(new Error('EIO'));
  await t.rejects(first, { message: 'EIO' });
  await settle();
  for (const call of begun.slice(1)) call.end();
  await t.resolves(Promise.all([next, other]));
  await directories.settled();
});
