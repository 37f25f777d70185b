import t from 'tap';
import { noPool, startTestService } from '../../lab/service/gateway.ts';

interface Listed {
  readonly templates?: readonly { readonly templateId: string }[];
  readonly keys?: readonly { readonly name: string }[];
  readonly next: string | null;
}

t.test('a list without a limit has 1,000 entries at most, and says where it goes on', async (t) => {
  const service = await startTestService(t, { parts: { pool: noPool } });
  const cookie = await service.session('bank', 'Viewer');
  const reads: number[] = [];
  const { templates } = service.store;
  const summary = { name: 'n', latestVersion: 1, hasDraft: false, updatedAtMs: 0 };
  /** A team with endless templates. */
  const page: typeof templates.page = async (_team, after, countMax) => {
    reads.push(countMax);
    const first = Number(after) + 1;
    const items = Array.from({ length: countMax }, (_, index) => {
      return { ...summary, templateId: String(first + index), archivedAtMs: null };
    });
    return { items, next: String(Number(after) + countMax) };
  };
  t.intercept(templates, 'page', { value: page });
  const list = async (query: string): Promise<Listed> => {
    const reply = await fetch(`${service.url}/v1/templates${query}`, { headers: { cookie } });
    return (await reply.json()) as Listed;
  };
  const first = await list('');
  t.same([first.templates?.length, first.next, reads], [1_000, '1000', [200, 200, 200, 200, 200]]);
  const second = await list('?after=1000');
  t.same([second.templates?.[0]?.templateId, second.next], ['1001', '2000']);
  const none: typeof templates.page = async (_team, after) => {
    reads.push(1);
    return { items: [], next: `${after}x` };
  };
  t.intercept(templates, 'page', { value: none });
  reads.length = 0;
  t.match(await list('?search=nothing'), { templates: [], next: 'xxxxx' }, 'a search ends, too');
});

t.test('templates and keys are listed whole, or in pages with limit', async (t) => {
  const service = await startTestService(t, { parts: { pool: noPool } });
  const cookie = await service.session('bank', 'Admin');
  const list = async (path: string): Promise<Listed> => {
    const reply = await fetch(`${service.url}/v1/${path}`, { headers: { cookie } });
    t.equal(reply.status, 200, path);
    return (await reply.json()) as Listed;
  };
  t.same(await list('templates'), { templates: [], next: null });
  const ids = ['a', 'b & c', 'ใบเสร็จ'];
  for (const id of ids) await service.draft('bank', id);
  const whole = await list('templates');
  t.same([whole.templates?.map(({ templateId }) => templateId), whole.next], [ids, null]);

  const first = await list('templates?limit=2');
  t.same(first.templates, whole.templates?.slice(0, 2));
  const rest = await list(`templates?limit=2&after=${encodeURIComponent(first.next ?? '')}`);
  t.same(rest, { templates: whole.templates?.slice(2), next: null });

  const found = await list('templates?search=B%20%26&limit=2');
  t.same(found, { templates: whole.templates?.slice(1, 2), next: null });
  t.same(await list('templates?search=%20'), whole, 'an empty search finds all');
  t.same(await list('templates?published=false&search='), whole);
  t.same(await list('templates?published=true'), { templates: [], next: null });

  const exactly = `templates?templateId=${encodeURIComponent('b & c')}`;
  t.same(await list(exactly), { templates: whole.templates?.slice(1, 2), next: null });
  for (const free of ['b', 'A', '', '%20a']) {
    t.same(await list(`templates?templateId=${free}`), { templates: [], next: null }, free);
  }

  const before = (await list('keys')).keys ?? [];
  const { keys } = service.store;
  const made = { teamId: 'bank', rateLimitPerMinute: null };
  await keys.add({ ...made, name: 'one', scopes: ['generate'] });
  await keys.add({ ...made, name: 'sync', scopes: ['identity-sync'] });
  await keys.add({ ...made, name: 'two', scopes: ['generate'] });
  const names: string[] = [];
  for (let next: string | null = ''; next !== null;) {
    const page: Listed = await list(`keys?limit=1&after=${next}`);
    names.push(...(page.keys ?? []).map(({ name }) => name));
    ({ next } = page);
  }
  const added = names.slice(0, names.length - before.length);
  t.same(
    added.toSorted(),
    ['one', 'two'],
    'the newest come first, the key of the sync is left out',
  );

  const wrongs = ['keys?after=x', 'keys?limit=0', 'templates?limit=201', 'templates?limit='];
  const long = `templates?search=${'x'.repeat(256)}`;
  for (const wrong of [...wrongs, long, 'templates?published=yes']) {
    const reply = await fetch(`${service.url}/v1/${wrong}`, { headers: { cookie } });
    t.equal(reply.status, 400, wrong);
  }
});
