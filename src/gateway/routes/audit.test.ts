import t from 'tap';
import { post, startTestService } from '../../../lab/service/gateway.ts';

t.test('the audit can be asked for all actions but one', async (t) => {
  const service = await startTestService(t);
  await service.publish('bank', 'receipt');
  const cookie = await service.session('bank', 'Admin');
  const key = { 'x-api-key': await service.key('bank', ['generate']) };
  service.open();
  const order = { templateId: 'receipt', mode: 'sync', data: { customer: 'a' } };
  await (await post(`${service.url}/v1/generate`, key, order)).arrayBuffer();
  await post(`${service.url}/v1/keys`, { cookie }, { name: 'core', scopes: ['generate'] });
  const actions = async (query: string): Promise<readonly string[]> => {
    const reply = await fetch(`${service.url}/v1/audit?${query}`, { headers: { cookie } });
    const { records = [] } = (await reply.json()) as { records?: { action: string }[] };
    return records.map(({ action }) => action);
  };
  t.strictSame(await actions(''), ['keys.create', 'generate']);
  t.strictSame(await actions('without=generate'), ['keys.create']);
  t.strictSame(await actions('without=keys.create'), ['generate']);
});

t.test('the audit tells what was done to a user or key, beside what they did', async (t) => {
  const service = await startTestService(t);
  const cookie = await service.session('bank', 'Admin');
  service.open();
  const send = async (path: string, body: object): Promise<Record<string, unknown>> => {
    const reply = await post(`${service.url}/v1/${path}`, { cookie }, body);
    return (await reply.json()) as Record<string, unknown>;
  };
  const user = { displayName: 'A', email: '', role: 'Viewer' };
  // The id of one is the beginning of the other's; a note may begin with anything.
  for (const userId of ['ann', 'ann2', '😀']) await send('users', { ...user, userId });
  await send('users/ann/role', { role: 'Editor' });
  await send('users/ann2/deactivate', {});
  await send('users/ann/sign-out', {});
  const { keyId = '' } = await send('keys', { name: 'desk', scopes: ['generate'] });
  const [any] = await service.store.audit.list({ teamId: 'bank', countMax: 1 });
  if (any === undefined) throw new Error('no record');
  const { auditId, ...others } = any;
  t.type(auditId, 'string');
  const note = { ...others, action: 'templates.publish', detail: 'user ann, of course' };
  await service.store.audit.add(note);
  await service.store.audit.add({ ...note, action: 'templates.draft', principal: 'user:ann' });
  await service.store.audit.add({
    ...note,
    action: 'sessions.link',
    detail: 'user ann; by malee through sudo',
  });
  const found = async (query: string): Promise<readonly string[]> => {
    const reply = await fetch(`${service.url}/v1/audit?${query}`, { headers: { cookie } });
    const { records = [] } = (await reply.json()) as { records?: { action: string }[] };
    return records.map(({ action }) => action).toSorted();
  };
  const ofAnn = [
    'sessions.link',
    'templates.draft',
    'users.create',
    'users.role',
    'users.sign-out',
  ];
  t.strictSame(await found('involves=user:ann'), ofAnn);
  t.strictSame(await found('involves=user:ann&action=users.role'), ['users.role']);
  t.strictSame(await found('involves=user:ann2'), ['users.create', 'users.deactivate']);
  t.strictSame(await found(`involves=user:${encodeURIComponent('😀')}`), ['users.create']);
  t.strictSame(await found(`involves=key:${String(keyId)}`), ['keys.create']);
  t.strictSame(await found('involves=user:nobody'), []);
  t.strictSame(await found('involves=ann'), []);
  t.strictSame(await found('principal=user:ann'), ['templates.draft'], 'only what ann did');
});
