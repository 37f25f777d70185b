import { setImmediate } from 'node:timers/promises';
import t from 'tap';
import { StorageUnavailable, type Store } from '../store/store.ts';
import { TemplateCache } from './template-cache.ts';

const SOURCE = Buffer.from('{}');

/** A look-up that nobody waits for has ended by then: its source is copied in slices. */
async function renewed(): Promise<void> {
  for (let turns = 0; turns < 10; turns += 1) await setImmediate();
}

/** A store with versions 1 to `usable.length` that counts its calls. */
function storeWith(usable: boolean[]): { store: Store; asked: () => number } {
  let asked = 0;
  const published = (teamId: string, templateId: string, wanted: number | null): unknown => {
    asked += 1;
    const version = wanted ?? usable.lastIndexOf(true) + 1;
    if (usable[version - 1] !== true) return { found: false, why: 'absent' };
    const value = { teamId, templateId, version, status: 'published', hash: 'h', source: SOURCE };
    return { found: true, value };
  };
  return { store: { templates: { published } } as unknown as Store, asked: () => asked };
}

t.test('an unpublished version is not used for longer than 3 s', async (t) => {
  let now = 1_000;
  const usable = [true, true];
  const { store, asked } = storeWith(usable);
  const cache = new TemplateCache(store, 1_000_000, () => now);
  t.match(await cache.published('bank', 'note', 2), { found: true });
  t.match(await cache.published('bank', 'note', null), { value: { shared: { version: 2 } } });
  const before = asked();
  t.match(await cache.published('bank', 'note', 2), { found: true });
  t.equal(asked(), before, 'asked for once in 3 s');
  usable[1] = false;
  now += 1_001;
  const latest = await cache.published('bank', 'note', null);
  t.match(latest, { value: { shared: { version: 1 } } }, 'the latest lags 1 s at most');
  now += 2_000;
  t.strictSame(await cache.published('bank', 'note', 2), { found: false, why: 'absent' });
  t.match(await cache.published('bank', 'note', 1), { found: true });
});

t.test('a crowd asks once, and who calls steadily never waits', async (t) => {
  let now = 1_000;
  const usable = [true];
  const { store, asked } = storeWith(usable);
  const cache = new TemplateCache(store, 1_000_000, () => now);
  const look = (version: number | null) => cache.published('bank', 'note', version);
  await Promise.all(Array.from({ length: 256 }, () => look(null)));
  t.equal(asked(), 1);
  now += 700;
  await look(null);
  t.equal(asked(), 1, 'still fresh');
  now += 100;
  const misses = cache.misses;
  await Promise.all(Array.from({ length: 256 }, () => look(null)));
  t.equal(asked(), 2, 'looked up once, ahead of its end');
  now += 900;
  usable.push(true);
  t.match(await look(null), { value: { shared: { version: 1 } } }, 'used while it is renewed');
  await renewed();
  t.match(await look(null), { value: { shared: { version: 2 } } });
  t.equal(cache.misses, misses, 'nobody waited');
  now += 400;
  usable[1] = false;
  await look(2);
  now += 2_300;
  t.match(await look(2), { found: true }, 'used while it is looked up');
  await renewed();
  t.match(await look(2), { found: false }, 'and no longer once that is known');
});

t.test('a look-up that began before a publication here says nothing of the latest', async (t) => {
  let version = 1;
  const waiting: (() => void)[] = [];
  const published = async (teamId: string, templateId: string): Promise<unknown> => {
    const value = { teamId, templateId, version, status: 'published', hash: 'h', source: SOURCE };
    await new Promise<void>((resolve) => waiting.push(resolve));
    return { found: true, value };
  };
  const cache = new TemplateCache({ templates: { published } } as unknown as Store, 1_000_000);
  const before = cache.published('bank', 'note', null);
  version = 2;
  cache.forgetLatest('bank', 'note');
  const after = cache.published('bank', 'note', null);
  t.equal(waiting.length, 2, 'it does not join the one under way');
  for (const resolve of waiting.toReversed()) resolve();
  t.match(await before, { value: { shared: { version: 1 } } });
  t.match(await after, { value: { shared: { version: 2 } } });
  t.match(await cache.published('bank', 'note', null), { value: { shared: { version: 2 } } });
});

t.test('an outage while it is renewed is told to nobody', async (t) => {
  let now = 1_000;
  let isDown = false;
  const { store } = storeWith([true]);
  const published = async (...given: [string, string, null]): Promise<unknown> => {
    if (isDown) throw new StorageUnavailable('away');
    return store.templates.published(...given);
  };
  const templates = { published };
  const cache = new TemplateCache({ templates } as unknown as Store, 1_000_000, () => now);
  await cache.published('bank', 'note', null);
  isDown = true;
  now += 800;
  t.match(await cache.published('bank', 'note', null), { found: true });
  now += 300;
  await t.rejects(cache.published('bank', 'note', null), { name: 'StorageUnavailable' });
});

t.test('a version in use keeps its shared memory', async (t) => {
  let now = 1_000;
  const { store } = storeWith([true]);
  const cache = new TemplateCache(store, 1_000_000, () => now);
  const first = await cache.published('bank', 'note', 1);
  now += 60_000;
  const again = await cache.published('bank', 'note', 1);
  t.ok(first.found && again.found && first.value === again.value, 'the same object');
  t.equal(cache.count, 1);
});

t.test('the source of a draft is read once, and its hash each time', async (t) => {
  let hash = 'a';
  let read = 0;
  const templates = {
    draftHash: () => ({ found: true, value: { hash, version: 3 } }),
    draft: (teamId: string, templateId: string) => {
      read += 1;
      const value = { teamId, templateId, version: 3, status: 'draft', hash, source: SOURCE };
      return { found: true, value };
    },
  };
  const cache = new TemplateCache({ templates } as unknown as Store, 1_000_000);
  const look = async (): Promise<unknown> => {
    const draft = await cache.draft('bank', 'note');
    return draft.found ? draft.value : null;
  };
  t.match(await look(), { status: 'draft', shared: { hash: 'a', templateId: 'note', version: 3 } });
  t.match(await look(), { status: 'draft', shared: { hash: 'a', templateId: 'note', version: 3 } });
  t.equal(read, 1);
  hash = 'b';
  t.match(await look(), { shared: { hash: 'b' } }, 'saved by another instance');
  t.equal(read, 2);
  hash = 'c';
  const source = new SharedArrayBuffer(2);
  cache.keepDraft({ hash, source, templateId: 'note', version: 0 });
  t.match(await look(), { shared: { hash: 'c', version: 3, source } }, 'saved by this instance');
  t.equal(read, 2);
});
