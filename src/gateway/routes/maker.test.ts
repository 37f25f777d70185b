import t from 'tap';
import { post } from '../../../lab/service/gateway.ts';
import { callerOf, rows } from '../../../test/fixtures/runs/caller.ts';

interface Line {
  readonly documentId: string;
}

t.test('whoever may read a document learns who made it', async (t) => {
  const { service, make, put, act, reach, get } = await callerOf(t);
  const { store, url } = service;
  const viewer = { cookie: await service.session('bank', 'Viewer') };
  const person = {
    userId: 'somchai',
    displayName: 'สมชาย',
    teamId: 'bank',
    role: 'Editor',
  } as const;
  await store.users.add(person);
  const session = await store.sessions.add(person.userId, Date.now() + 3_600_000);
  const editor = { cookie: session.ok ? `intaglio_session=${session.value.token}` : '' };
  const key = { 'x-api-key': await service.key('bank', ['generate', 'documents:read']) };
  const makerOf = async (documentId: string, headers: Record<string, string>) => {
    const answer = await fetch(`${url}/v1/documents/${documentId}`, { headers });
    return ((await answer.json()) as { madeBy?: object }).madeBy;
  };
  const body = { templateId: 'receipt', mode: 'async', data: { customer: 'a', total: '1.05' } };
  const made = async (headers: Record<string, string>): Promise<string> =>
    ((await (await post(`${url}/v1/generate`, headers, body)).json()) as Line).documentId;

  // Requests that arrive together share a pack and often a millisecond.
  const ids = await Promise.all([made(editor), made(key), made(editor), made(key), made(key)]);
  const makers = await Promise.all(ids.map((id) => makerOf(id, viewer)));
  const byUser = { principal: 'user:somchai', name: 'สมชาย' };
  const byKey = { principal: /^key:[-0-9a-f]{36}$/, name: 'test' };
  t.match(makers, [byUser, byKey, byUser, byKey, byKey]);
  t.equal(await makerOf(ids[0] ?? '', key), undefined, 'systems are spared the look-up');

  const run = await make();
  await put(run, 1, rows(3));
  await act(run, 'start');
  await reach(run, 'done');
  t.match(await (await fetch(run, { headers: viewer })).json(), { createdBy: byKey.principal });
  const nameOfCreator = async (headers: Record<string, string>) =>
    ((await (await fetch(run, { headers })).json()) as { createdByName?: string }).createdByName;
  t.equal(await nameOfCreator(viewer), 'test', 'a Viewer cannot list keys');
  t.equal(await nameOfCreator(key), undefined, 'systems are spared the look-up');
  const [line = ''] = (await (await get(`${run}/manifest`)).text()).split('\n');
  const { documentId } = JSON.parse(line) as Line;
  t.match(await makerOf(documentId, viewer), { principal: /^key:/, runId: run.slice(-36) });
});
