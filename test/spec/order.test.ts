import t from 'tap';
import { noProtector, post, startTestService } from '../../lab/service/gateway.ts';
import type { TestService } from '../../lab/service/gateway.ts';
import { readTable } from './tables.ts';

/**
 * A request that each fault changes. With all faults from number N on, the service must refuse the
 * request for fault N.
 */
interface Sent {
  path: string;
  headers: Record<string, string>;
  body: Record<string, unknown>;
  /** Appended to the JSON text. */
  tail: string;
  options: Record<string, unknown>;
}

interface Callers {
  readonly limited: string;
  readonly reader: string;
}

type Fault = (sent: Sent, callers: Callers) => void;

const FAULTS: readonly Fault[] = [
  (sent) => (sent.path = '/v1/nowhere'),
  (sent) => (sent.headers['x-api-key'] = 'ik_wrong'),
  (sent, { reader }) => (sent.headers['x-api-key'] = reader),
  (sent, { limited }) => (sent.headers['x-api-key'] = limited),
  (sent) => (sent.body['padding'] = 'x'.repeat(1_048_576)),
  (sent) => (sent.tail = ' trailing'),
  (sent) => (sent.options['bulkOutput'] = 'zip'),
  (sent) => (sent.body['unknown'] = 1),
  (sent) => (sent.body['templateId'] = 'absent'),
  (sent) => (sent.options['protection'] = { userPassword: 'x' }),
  // Number 11, overloaded, is a state of the service, not of the request.
  () => undefined,
  (sent) => (sent.body['data'] = { do: 'invalid' }),
  (sent) => (sent.options['attach'] = ['absent']),
];
const OVERLOADED_PLACE = 11;

function call(service: TestService, from: number, good: string, callers: Callers, pad: string) {
  const sent: Sent = {
    path: '/v1/generate',
    headers: { 'x-api-key': good },
    body: { templateId: 'receipt', mode: 'sync', data: { customer: 'a' } },
    tail: '',
    options: {},
  };
  for (const fault of FAULTS.slice(from).toReversed()) fault(sent, callers);
  const body = JSON.stringify({ ...sent.body, options: sent.options }) + sent.tail + pad;
  return post(service.url + sent.path, sent.headers, body);
}

// Long bodies are parsed only partly, which must not change the order.
for (const [size, pad] of [
  ['short', ''],
  ['long', ' '.repeat(70_000)],
] as const) {
  t.test(`the order of refusals, ${size} bodies`, async (t) => {
    const service = await startTestService(t, { parts: { protector: noProtector } });
    await service.publish('bank', 'receipt');
    const good = await service.key('bank', ['generate']);
    const limited = await service.key('bank', ['generate'], 1);
    const callers = { limited, reader: await service.key('bank', ['documents:read']) };
    const rows = readTable('Order of refusals on generate');
    t.equal(rows.length, FAULTS.length);
    await call(service, FAULTS.length, limited, callers, '');
    const busy = [0, 1, 2, 3, 4].map((n) =>
      post(
        `${service.url}/v1/generate`,
        { 'x-api-key': good },
        { templateId: 'receipt', mode: 'sync', data: { do: n === 0 ? 'wait' : '' } },
      ),
    );
    while (service.pool.stats().queued < 4) await new Promise((resolve) => setImmediate(resolve));
    for (const { place, code = '' } of rows) {
      const number = Number(place);
      if (number === OVERLOADED_PLACE + 1) {
        service.open();
        await Promise.all(busy);
      }
      const answer = await call(service, number - 1, good, callers, pad);
      t.match(await answer.json(), { code }, `place ${number}: ${code}`);
    }
    t.equal((await call(service, FAULTS.length, good, callers, pad)).status, 200);
  });
}
