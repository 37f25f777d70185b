import { setImmediate as nextTurn } from 'node:timers/promises';
import t from 'tap';
import { CommitUnknown } from '../database/database-fault.ts';
import type { Vault } from '../encryption/vault.ts';
import { StorageUnavailable } from '../terms.ts';
import { EXPIRY_SPREAD_MS, PACK_DOCUMENTS_MAX, Packing, type Place } from './packing.ts';

interface Write {
  readonly id: string;
  readonly kind: string;
  /** The first byte of each document. */
  readonly documents: readonly (number | undefined)[];
  end(this: void, error?: Error): Promise<void>;
}

interface Scene {
  readonly writes: Write[];
  readonly removed: string[];
  /** Stores a document; resolves with its place when the test has let its row be committed. */
  put(this: void, number: number, bytes?: number, expiresAtMs?: number): Promise<Place>;
  /** Ends the commits that are under way, with this error if one is given. */
  commit(this: void, error?: Error): Promise<void>;
}

/** Packing over a vault whose writes end when the test says so. */
function sceneOf(): Scene {
  const writes: Write[] = [];
  const removed: string[] = [];
  let commits: PromiseWithResolvers<void>[] = [];
  const vault = {
    put: (id: string, bytes: Uint8Array | readonly Uint8Array[], kind: string) => {
      const { promise, resolve, reject } = Promise.withResolvers<null>();
      const pieces = bytes instanceof Uint8Array ? [bytes] : bytes;
      const end = async (error?: Error): Promise<void> => {
        if (error === undefined) resolve(null);
        else reject(error);
        await nextTurn();
      };
      writes.push({ id, kind, documents: pieces.map(([first]) => first), end });
      return promise;
    },
    remove: (id: string) => {
      removed.push(id);
      return Promise.resolve();
    },
  };
  // The two methods that packing calls.
  const packing = new Packing(vault as unknown as Vault, () => 0);
  return {
    writes,
    removed,
    put(number, bytes = 100, expiresAtMs = 0) {
      const pdf = Buffer.alloc(bytes, number);
      return packing.store({ documentId: `d${number}`, expiresAtMs, pdf }, async (place) => {
        const commit = Promise.withResolvers<void>();
        commits.push(commit);
        await commit.promise;
        return place;
      });
    },
    async commit(error) {
      for (const { resolve, reject } of commits) {
        if (error === undefined) resolve();
        else reject(error);
      }
      commits = [];
      await nextTurn();
    },
  };
}

await t.test('documents that arrive while a pack is being stored share the next one', async (t) => {
  const { writes, put, commit } = sceneOf();
  const first = put(1);
  await nextTurn();
  t.match(writes, [{ id: 'd1', kind: 'document' }], 'a document alone waits for nothing');
  const second = [put(2, 10), put(3, 20), put(4, 30)];
  await nextTurn();
  t.equal(writes.length, 1);
  await writes[0]?.end();
  t.match(writes[1], { kind: 'run', documents: [2, 3, 4] }, 'nor wait for its commit');
  const third = [put(5), put(6)];
  await writes[1]?.end();
  t.equal(writes.length, 2, 'a pack that is being committed holds up the next');
  await commit();
  t.match(await first, { pack: null, offset: 0 });
  const places = await Promise.all(second);
  t.strictSame(
    places.map(({ offset }) => offset),
    [0, 10, 30],
  );
  t.match(places[0]?.pack, { isStored: false, row: { kind: 'pack', run_id: '', bytes: 60 } });
  t.equal(new Set(places.map(({ pack }) => pack)).size, 1);
  t.match(writes[2], { documents: [5, 6] });
  await writes[2]?.end();
  await commit();
  await Promise.all(third);
  const last = put(7);
  await nextTurn();
  t.match(writes[3], { id: 'd7', kind: 'document' });
  await writes[3]?.end();
  await commit();
  await last;
});

await t.test('a long document does not wait for others, nor do they wait for it', async (t) => {
  const { writes, put, commit } = sceneOf();
  const added = [put(1, 300 * 1024), put(2), put(3, 300 * 1024)];
  await nextTurn();
  t.strictSame(
    writes.map(({ documents }) => documents[0]),
    [1, 3, 2],
  );
  for (const write of writes) await write.end();
  await commit();
  await Promise.all(added);
});

await t.test('a full pack does not wait for the one before it', async (t) => {
  const { writes, put, commit } = sceneOf();
  const added = [put(0)];
  await nextTurn();
  for (let n = 1; n <= PACK_DOCUMENTS_MAX; n += 1) added.push(put(n));
  await nextTurn();
  t.equal(writes.length, 2);
  t.equal(writes[1]?.documents.length, PACK_DOCUMENTS_MAX);
  for (let n = 1; n <= 40; n += 1) added.push(put(n, 200 * 1024));
  await nextTurn();
  const bytes = (writes[2]?.documents.length ?? 0) * 200 * 1024;
  t.ok(bytes > 3 * 1024 * 1024 && bytes <= 4 * 1024 * 1024, `${bytes} bytes`);
  for (let n = 0; n < writes.length; n += 1) {
    await writes[n]?.end();
    await commit();
  }
  await Promise.all(added);
});

await t.test('documents of a pack expire within a second', async (t) => {
  const { writes, put, commit } = sceneOf();
  const added = [1, 0, EXPIRY_SPREAD_MS, EXPIRY_SPREAD_MS + 1, 90_000, 90_001].map((ms, n) =>
    put(n, 100, ms),
  );
  await nextTurn();
  t.strictSame(
    writes.map(({ documents }) => documents),
    [[1, 0, 2], [3], [4, 5]],
  );
  for (const write of writes) await write.end();
  await commit();
  const expiries = (await Promise.all(added)).map(({ pack }) => pack?.row.expires_at_ms);
  t.strictSame(expiries, [1_000, 1_000, 1_000, undefined, 90_001, 90_001]);
});

for (const [error, isRemoved] of [
  [new StorageUnavailable('no row'), true],
  [new CommitUnknown('in doubt'), false],
] as const) {
  await t.test(`the commits fail: ${error.message}`, async (t) => {
    const { writes, removed, put, commit } = sceneOf();
    const added = Promise.allSettled([put(1), put(2), put(3)]);
    await nextTurn();
    await writes[0]?.end();
    await commit(error);
    for (const result of await added) t.match(result, { reason: error });
    t.strictSame(removed, isRemoved ? [writes[0]?.id] : []);
    const next = put(4);
    await nextTurn();
    await writes[1]?.end();
    await commit();
    t.match(await next, { pack: null });
  });
}

await t.test('when a write fails, its documents fail, and the next ones are written', async (t) => {
  const { writes, put, commit } = sceneOf();
  const added = Promise.allSettled([put(1), put(2)]);
  await nextTurn();
  const next = put(3);
  await writes[0]?.end(new StorageUnavailable('full'));
  for (const result of await added) t.match(result, { reason: { message: 'full' } });
  await writes[1]?.end();
  await commit();
  t.match(await next, { pack: null });
});
