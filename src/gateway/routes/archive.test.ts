import t from 'tap';
import type { TestService } from '../../../lab/service/gateway.ts';
import { post, startFakePool, startTestService } from '../../../lab/service/gateway.ts';

const pool = startFakePool(new Int32Array(new SharedArrayBuffer(4)));
t.teardown(() => pool.close(0));

const RUN = { templateId: 'receipt', idField: 'refNo' };

type Headers = Record<string, string>;

function send({ url }: TestService, who: Headers, tail: string, body: object = {}) {
  return post(`${url}/v1/templates/receipt/${tail}`, who, body);
}

async function get({ url }: TestService, who: Headers, path: string): Promise<unknown> {
  return (await fetch(`${url}${path}`, { headers: who })).json();
}

/** The codes of a status that the description of the API names. */
async function describedCodes(
  { url }: TestService,
  path: string,
  status: number,
): Promise<readonly string[]> {
  const { paths } = (await (await fetch(`${url}/openapi.json`)).json()) as {
    paths: Record<string, { post: { responses: Record<number, Described> } }>;
  };
  const described = paths[path]?.post.responses[status]?.content['application/json'];
  return Object.keys(described?.examples ?? {}).toSorted();
}

interface Described {
  readonly content: { readonly 'application/json': { readonly examples: object } };
}

t.test('an archived template refuses new documents, and gives back what it made', async (t) => {
  const service = await startTestService(t, { parts: { pool }, runs: true });
  const cookie = async (role: 'Admin' | 'Editor'): Promise<Headers> => ({
    cookie: await service.session('bank', role),
  });
  const [admin, editor] = [await cookie('Admin'), await cookie('Editor')];
  const key = {
    'x-api-key': await service.key('bank', [
      'generate',
      'documents:read',
      'templates:read',
      'runs',
    ]),
  };
  await service.publish('bank', 'receipt');
  const generate = (extra: object = {}): Promise<Response> => {
    const body = { templateId: 'receipt', mode: 'async', data: { customer: 'a' }, ...extra };
    return post(`${service.url}/v1/generate`, key, body);
  };
  const made = (await (await generate()).json()) as { documentId: string; sha256: string };
  const begun = await post(`${service.url}/v1/runs`, key, RUN);
  const { runId } = (await begun.json()) as { runId: string };
  t.equal((await send(service, editor, 'archive')).status, 403, 'Admins archive');
  for (const _ of [1, 2]) {
    const archived = await send(service, admin, 'archive');
    t.match([archived.status, await archived.json()], [200, { archived: true }]);
  }
  const refused = await generate();
  t.match(
    [refused.status, await refused.json()],
    [409, { code: 'template_archived', error: /archived/ }],
  );
  // A pinned version is looked up again after 3 seconds at the latest.
  let pinned = await generate({ version: 1 });
  while (pinned.status === 201) pinned = await generate({ version: 1 });
  t.equal(pinned.status, 409);
  const run = await post(`${service.url}/v1/runs`, key, RUN);
  t.match([run.status, await run.json()], [409, { code: 'template_archived' }]);
  for (const action of ['start', 'resume']) {
    const answer = await post(`${service.url}/v1/runs/${runId}/${action}`, key, {});
    t.match([answer.status, await answer.json()], [409, { code: 'template_archived' }], action);
    await service.store.runs.move(runId, { from: ['receiving'], to: 'paused' });
    const codes = await describedCodes(service, `/v1/runs/{id}/${action}`, 409);
    t.same(codes, ['run_conflict', 'session_changed', 'template_archived'], action);
  }
  t.match(await get(service, admin, '/v1/templates'), { templates: [] });
  t.match(await get(service, admin, '/v1/templates?archived=true'), {
    templates: [{ templateId: 'receipt', archivedAt: String }],
  });
  t.match(await get(service, admin, '/v1/templates?templateId=receipt'), {
    templates: [{ templateId: 'receipt', archivedAt: String }],
  });
  t.match(await get(service, admin, '/v1/templates?archived=1'), { code: 'bad_request' });
  t.match(await get(service, key, `/v1/documents/${made.documentId}`), { version: 1 });
  const verified = await post(`${service.url}/v1/verify`, key, { sha256: made.sha256 });
  t.match(await verified.json(), { issued: true });
  t.match(await get(service, admin, '/v1/templates/receipt'), {
    archivedAt: String,
    versions: [{ version: 1 }],
  });
  t.equal((await send(service, admin, 'rollback', { version: 1 })).status, 409);
  await service.draft('bank', 'receipt', { n: 2 });
  t.equal((await send(service, admin, 'publish')).status, 409);
  const draft = '0'.repeat(64);
  t.equal((await send(service, editor, 'approval', { draft })).status, 409);
  t.equal((await send(service, admin, 'unarchive')).status, 200);
  t.equal((await generate()).status, 201);
  const records = (await service.audit()).filter(({ action }) => action.includes('archive'));
  t.match(records, [
    { action: 'templates.archive', outcome: 'succeeded', templateId: 'receipt' },
    { action: 'templates.unarchive', outcome: 'succeeded', principal: 'user:user-1' },
  ]);
  const rival = { cookie: await service.session('rival', 'Admin') };
  t.equal((await send(service, rival, 'archive')).status, 404);
  t.match((await service.audit()).at(-1), { teamId: 'rival', outcome: 'denied' });
});
