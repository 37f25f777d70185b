import t from 'tap';
import { post, startTestService } from '../../../lab/service/gateway.ts';

const LONG = 'x'.repeat(200_000);

t.test('a job that the full pool refuses leaves no body to the garbage collector', async (t) => {
  const service = await startTestService(t, { pool: { queueMax: 1 } });
  await service.publish('bank', 'receipt');
  const headers = { 'x-api-key': await service.key('bank', ['generate']) };
  const call = (data: object): Promise<Response> =>
    post(`${service.url}/v1/generate`, headers, { templateId: 'receipt', mode: 'sync', data });
  const held = [call({ do: 'wait' })];
  while (service.pool.stats().running < 1) await new Promise((done) => setImmediate(done));
  held.push(call({}));
  while (service.pool.stats().queued < 1) await new Promise((done) => setImmediate(done));
  const text = JSON.stringify({ templateId: 'receipt', mode: 'sync', data: { note: LONG } });
  const allocate = Buffer.allocUnsafeSlow.bind(Buffer);
  const bodies: Buffer[] = [];
  t.capture(Buffer, 'allocUnsafeSlow', (bytes) => {
    const made = allocate(bytes);
    if (bytes === text.length) bodies.push(made);
    return made;
  });
  const refused = await post(`${service.url}/v1/generate`, headers, text);
  t.equal(refused.status, 503);
  t.match(await refused.json(), { code: 'overloaded' });
  t.not(bodies.length, 0);
  t.ok(bodies.every(({ byteLength }) => byteLength === 0));
  service.open();
  for (const answer of await Promise.all(held)) t.equal(answer.status, 200);
});
