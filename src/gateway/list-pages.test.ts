import t from 'tap';
import { noPool, startTestService } from '../../test/fixtures/gateway.ts';

interface Listed {
  readonly templates?: readonly { readonly templateId: string }[];
  readonly keys?: readonly { readonly name: string }[];
  readonly next: string | null;
}

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
