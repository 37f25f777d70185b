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
