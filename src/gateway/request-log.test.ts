import t, { type Test } from 'tap';

import { post, startTestService, type TestService } from '../../lab/service/gateway.ts';
import { until } from '../../test/instances/pair.ts';

type Line = Readonly<Record<string, unknown>>;

/** A service whose log takes lines from `info` on, as by default. */
function start(t: Test, logRequests: '0' | '1'): Promise<TestService> {
  return startTestService(t, { options: { logRequests }, logLevel: 'info' });
}

function answered({ logged }: TestService): Line[] {
  const lines = logged
    .join('')
    .split('\n')
    .filter((line) => line !== '');
  return lines.map((line) => JSON.parse(line) as Line).filter(({ msg }) => msg === 'answered');
}

t.test('each request has a line with caller, route, status and duration', async (t) => {
  const service = await start(t, '1');
  await service.publish('bank', 'receipt');
  const apiKey = await service.key('bank', ['generate']);
  const body = { templateId: 'receipt', mode: 'sync', data: { customer: 'Somchai-9431' } };
  const address = `${service.url}/v1/generate?trace=Somchai-9431`;
  const made = await post(address, { 'x-api-key': apiKey }, body);
  await made.arrayBuffer();
  const refused = await post(address, { 'x-api-key': 'ik_wrong' }, body);
  await refused.arrayBuffer();
  await (await fetch(`${service.url}/Somchai-9431`)).arrayBuffer();
  const cookie = await service.session('bank', 'Viewer');
  const listed = await fetch(`${service.url}/v1/templates`, { headers: { cookie } });
  await listed.arrayBuffer();
  await until(() => Promise.resolve(answered(service).length === 4), 60_000);
  const [first, second, third, fourth] = answered(service);
  t.match(first, {
    level: 30,
    requestId: made.headers.get('x-request-id'),
    client: '127.0.0.1',
    method: 'POST',
    route: 'POST /v1/generate',
    caller: /^key:[\w-]{36}$/,
    status: made.status,
    seconds: Number,
  });
  t.equal(first?.['code'], '');
  t.match(second, { status: 401, code: 'unauthenticated', route: 'POST /v1/generate', caller: '' });
  t.match(third, { status: 404, code: 'not_found', route: '', method: 'GET' });
  t.match(fourth, { status: 200, route: 'GET /v1/templates', caller: /^user:./ });
  t.notMatch(service.logged.join(''), 'Somchai', 'neither data nor addresses');
  // The filter of docs/operations.md.
  t.match(service.logged.join(''), `"caller":"${String(first?.['caller'])}"`);
});

t.test('without the setting there is no line', async (t) => {
  const service = await start(t, '0');
  for (let count = 0; count < 3; count += 1) {
    await (await fetch(`${service.url}/healthz`)).arrayBuffer();
  }
  t.strictSame(answered(service), []);
});
