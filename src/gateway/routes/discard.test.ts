import t from 'tap';
import { startFakePool, startTestService } from '../../../lab/service/gateway.ts';

const pool = startFakePool(new Int32Array(new SharedArrayBuffer(4)));
t.teardown(() => pool.close(0));

type Headers = Record<string, string>;
type Json = Record<string, unknown>;

t.test('a draft is discarded, and nothing that was published', async (t) => {
  const service = await startTestService(t, { parts: { pool } });
  const cookie = async (team: string, role: 'Admin' | 'Editor' | 'Viewer'): Promise<Headers> => ({
    cookie: await service.session(team, role),
    'sec-fetch-site': 'same-origin',
  });
  const editor = await cookie('bank', 'Editor');
  const viewer = await cookie('bank', 'Viewer');
  const get = async (path: string): Promise<Json> => {
    return (await (await fetch(service.url + path, { headers: editor })).json()) as Json;
  };
  const stateOf = () => get('/v1/templates/receipt');
  const discard = async (who: Headers, hash: string): Promise<[number, Json]> => {
    const headers: Headers = hash === '' ? who : { ...who, 'if-match': `"${hash}"` };
    const address = `${service.url}/v1/templates/receipt/draft`;
    const reply = await fetch(address, { method: 'DELETE', headers });
    return [reply.status, (await reply.json()) as Json];
  };
  const draftHash = async (): Promise<string> => {
    return ((await stateOf())['draft'] as { hash: string }).hash;
  };

  await service.draft('bank', 'receipt', { n: 1 });
  t.match(await discard(editor, await draftHash()), [200, { removed: true }], 'never published');
  t.match(await stateOf(), { code: 'not_found' });
  t.match(await get('/v1/templates'), { templates: [] });

  await service.draft('bank', 'receipt', { n: 1 });
  await service.publish('bank', 'receipt');
  const before = await stateOf();
  await service.draft('bank', 'receipt', { n: 2 });
  const older = await draftHash();
  await service.draft('bank', 'receipt', { n: 3 });
  t.match(await discard(editor, older), [412], 'a newer draft stays');
  t.match(await discard(editor, ''), [400, { error: /If-Match/ }], 'which draft has to be said');
  t.match(await discard(editor, 'no-hash'), [400]);
  const newest = await draftHash();
  t.match(await discard(viewer, newest), [403]);
  const from = { 'sec-fetch-site': 'cross-site' };
  t.match(await discard({ ...editor, ...from }, newest), [403], 'a page of another site');
  const key = { 'x-api-key': await service.key('bank', ['generate']) };
  t.match(await discard(key, newest), [403, { code: 'draft_requires_user' }]);
  t.strictSame(await discard(editor, newest), [200, { templateId: 'receipt', removed: false }]);
  const after = await stateOf();
  t.equal(after['draft'], null);
  t.strictSame(after['versions'], before['versions']);
  t.equal(after['name'], before['name'], 'the name is that of the version in use');
  t.match(await discard(editor, newest), [412], 'it is gone');
  t.match(await discard(await cookie('rival', 'Editor'), newest), [404]);
  const records = (await service.audit()).filter(({ action }) => action === 'templates.discard');
  const done = { teamId: 'bank', outcome: 'succeeded', templateId: 'receipt' };
  t.match(records, [done, done, { teamId: 'rival', outcome: 'denied', code: 'not_found' }]);
});
