import t from 'tap';
import { post } from '../../lab/service/gateway.ts';
import { startOptionsService } from './service.ts';

t.test('a body whose data is not JSON is told the place in the whole body', async (t) => {
  const service = await startOptionsService(t);
  const headers = { 'x-api-key': await service.key('bank', ['generate']) };
  // A long body is moved to the renderer, which finds the fault.
  for (const note of ['x', 'x'.repeat(200_000)]) {
    const body = `{"templateId":"letter","mode":"sync",\n"data":{"note":"${note}",}}`;
    const refused = await post(`${service.url}/v1/generate`, headers, body);
    t.equal(refused.status, 400);
    const place = `line 2, column ${18 + note.length}`;
    const error = `The body is not valid JSON (${place}). There must be no comma after the last entry.`;
    t.match(await refused.json(), { code: 'bad_request', error });
  }
  const body = '{"templateId":"letter","mode":"sync","data":[]}';
  const other = await post(`${service.url}/v1/generate`, headers, body);
  t.match(
    await other.json(),
    { error: 'data must be an object.' },
    'other faults stay as they are',
  );
});
