import t from 'tap';
import { callerOf, MAKE, rows } from '../../../../test/fixtures/runs/caller.ts';
import { post } from '../../../../lab/service/gateway.ts';

const KEYS = 6;

t.test('however many keys call for a team, two of its changes of runs are under way', async (t) => {
  const { service } = await callerOf(t, { runs: false });
  const keys = await Promise.all(Array.from({ length: KEYS }, () => service.key('bank', ['runs'])));
  const { runs } = service.store;
  let underWay = 0;
  let most = 0;
  for (const name of ['create', 'addPart', 'start'] as const) {
    const change = runs[name].bind(runs) as (...args: unknown[]) => Promise<unknown>;
    const value = async (...args: unknown[]): Promise<unknown> => {
      underWay += 1;
      most = Math.max(most, underWay);
      const result = await change(...args);
      underWay -= 1;
      return result;
    };
    t.intercept(runs, name, { value });
  }
  const makeRun = async (key: string): Promise<readonly number[]> => {
    const headers = { 'x-api-key': key };
    const made = await post(`${service.url}/v1/runs`, headers, MAKE);
    const { runId } = (await made.json()) as { runId: string };
    const url = `${service.url}/v1/runs/${runId}`;
    const put = { ...headers, 'content-type': 'application/x-ndjson' };
    const part = await fetch(`${url}/parts/1`, { method: 'PUT', headers: put, body: rows(3) });
    const started = await post(`${url}/start`, headers, {});
    return [made.status, part.status, started.status];
  };
  const answers = await Promise.all(keys.map(makeRun));
  t.same(
    answers,
    keys.map(() => [201, 201, 200]),
  );
  t.equal(most, 2);
});

t.test('a call of runs that is refused is told what is busy', async (t) => {
  const { service } = await callerOf(t, { runs: false });
  const { runs } = service.store;
  const create = runs.create.bind(runs);
  const held = Promise.withResolvers<undefined>();
  const value: typeof runs.create = async (...given) => {
    await held.promise;
    return create(...given);
  };
  t.intercept(runs, 'create', { value });
  const headers = { 'x-api-key': await service.key('bank', ['runs'], 1_000) };
  // Two are under way, 256 wait.
  const calls = Array.from({ length: 259 }, () => post(`${service.url}/v1/runs`, headers, MAKE));
  const refused = await Promise.race(calls);
  t.match(
    [refused.status, await refused.json()],
    [503, { code: 'overloaded', error: /^Too many calls that change runs wait for their turn/ }],
  );
  held.resolve(undefined);
  const statuses = (await Promise.all(calls)).map(({ status }) => status);
  t.equal(statuses.filter((status) => status === 201).length, 258);
});
