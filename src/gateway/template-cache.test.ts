import t from 'tap';
import type { Store } from '../store/store.ts';
import { TemplateCache } from './template-cache.ts';

const SOURCE = Buffer.from('{}');

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
