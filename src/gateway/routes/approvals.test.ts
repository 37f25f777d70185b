import t from 'tap';
import type { TestService } from '../../../lab/service/gateway.ts';
import { post, startFakePool, startTestService } from '../../../lab/service/gateway.ts';

const pool = startFakePool(new Int32Array(new SharedArrayBuffer(4)));
t.teardown(() => pool.close(0));

type Headers = Record<string, string>;
const OPTIONS = { publishApprovals: true };

/** Two Admins and an Editor of a service whose publications take two people. */
async function setUp(t: Parameters<typeof startTestService>[0]) {
  const service = await startTestService(t, { parts: { pool }, options: OPTIONS });
  const cookie = async (role: 'Admin' | 'Editor'): Promise<Headers> => ({
    cookie: await service.session('bank', role),
  });
  const [admin, other, editor] = [
    await cookie('Admin'),
    await cookie('Admin'),
    await cookie('Editor'),
  ];
  return { service, admin, other, editor };
}

function address({ url }: TestService, tail: string): string {
  return `${url}/v1/templates/receipt${tail}`;
}

function save(service: TestService, who: Headers, extra: object): Promise<Response> {
  const draft = { templateId: 'receipt', name: 'Receipt', fields: [], ...extra };
  return post(address(service, '/draft'), who, draft, 'PUT');
}

/** What the check of the present draft compares, with every change confirmed. */
async function seenBy(service: TestService, who: Headers): Promise<object> {
  const checked = await fetch(address(service, '/draft/check'), { headers: who });
  if (!checked.ok) return {};
  const draft = checked.headers.get('etag')?.slice(1, -1);
  const { published, changes } = (await checked.json()) as Comparison;
  return { compared: { draft, published, changes: changes.map(({ id }) => id) } };
}

interface Comparison {
  readonly published: string | null;
  readonly changes: readonly { readonly id: string; readonly path: string }[];
}

/** Publishes the present draft; answers the status. */
async function publish(service: TestService, who: Headers): Promise<number> {
  const body = await seenBy(service, who);
  return (await post(address(service, '/publish'), who, body)).status;
}

async function json(answer: Response): Promise<Record<string, unknown>> {
  return (await answer.json()) as Record<string, unknown>;
}

t.test('four eyes: a rollback by one Admin alone is refused', async (t) => {
  const options = { publishApprovals: true };
  const service = await startTestService(t, { parts: { pool }, options });
  await service.publish('bank', 'receipt', { n: 1 });
  await service.publish('bank', 'receipt', { n: 2 });
  const one = { cookie: await service.session('bank', 'Admin') };
  const other = { cookie: await service.session('bank', 'Admin') };
  const refused = await post(address(service, '/rollback'), one, { version: 1 });
  t.match(await json(refused), { code: 'forbidden', error: /two Admins/ });
  t.equal((await post(address(service, '/rollback'), one, { version: 9 })).status, 404);
  const earlier = await json(await fetch(address(service, '/versions/1'), { headers: one }));
  await save(service, one, earlier);
  t.equal(await publish(service, one), 403);
  t.equal(await publish(service, other), 201);
  const records = (await service.audit()).filter(({ action }) => action.startsWith('templates.'));
  t.match(
    records.filter(({ action }) => action !== 'templates.draft'),
    [
      { action: 'templates.rollback', outcome: 'denied', code: 'forbidden', version: 1 },
      { action: 'templates.publish', outcome: 'denied' },
      { action: 'templates.publish', outcome: 'succeeded', version: 3 },
    ],
  );
});

t.test(
  'four eyes: an Admin other than the last editor publishes, and the audit records it',
  async (t) => {
    const service = await startTestService(t, {
      parts: { pool },
      options: { publishApprovals: true },
    });
    const author = { cookie: await service.session('bank', 'Admin') };
    const approver = { cookie: await service.session('bank', 'Admin') };
    t.match(await json(await fetch(`${service.url}/v1/session`, { headers: author })), {
      userId: 'user-1',
      role: 'Admin',
      publishApprovals: true,
    });
    await save(service, author, { n: 1 });
    const own = await post(address(service, '/publish'), author, {});
    t.equal(own.status, 403);
    t.match(await json(own), {
      code: 'forbidden',
      error: /You contributed to this draft: another Admin/,
    });
    t.equal(await publish(service, approver), 201);
    const records = (await service.audit()).filter(({ action }) => action === 'templates.publish');
    t.match(records, [
      { principal: 'user:user-1', outcome: 'denied', code: 'forbidden', version: 1 },
      { principal: 'user:user-2', outcome: 'succeeded', version: 1 },
    ]);
  },
);

t.test('a save of a colleague frees no contributor', async (t) => {
  const { service, admin, other, editor } = await setUp(t);
  await save(service, admin, { n: 1 });
  t.equal((await save(service, editor, { n: 1 })).status, 200, 'the same bytes');
  t.equal(await publish(service, admin), 403);
  t.equal((await save(service, editor, { n: 1, comma: true })).status, 200);
  t.equal(await publish(service, admin), 403, 'a changed comma');
  const state = (await (await fetch(address(service, ''), { headers: admin })).json()) as object;
  t.match(state, { draft: { contributors: ['user:user-1', 'user:user-3'] } });
  t.equal(await publish(service, other), 201);
  const records = (await service.audit()).filter(({ action }) => action === 'templates.publish');
  t.match(records, [
    { principal: 'user:user-1', outcome: 'denied', contributors: [] },
    { principal: 'user:user-1', outcome: 'denied' },
    { principal: 'user:user-2', contributors: ['user:user-1', 'user:user-3'] },
  ]);
});

t.test('a draft says whether an active Admin may approve it', async (t) => {
  const { service, admin, other, editor } = await setUp(t);
  const hasApprover = async (): Promise<unknown> => {
    const { draft } = await json(await fetch(address(service, ''), { headers: editor }));
    return (draft as { hasApprover: boolean }).hasApprover;
  };
  await save(service, admin, { n: 1 });
  t.equal(await hasApprover(), true, 'the other Admin');
  await save(service, other, { n: 2 });
  t.equal(await hasApprover(), false, 'both changed it');
  const { draft } = await json(await fetch(address(service, ''), { headers: editor }));
  const { hash } = draft as { hash: string };
  await post(address(service, '/approval'), editor, { draft: hash });
  const list = await json(await fetch(`${service.url}/v1/approvals`, { headers: editor }));
  t.match(list, { approvals: [{ state: 'open', hasApprover: false }] });
  const third = await service.session('bank', 'Admin');
  t.equal(await hasApprover(), true, 'a further Admin');
  const users = `${service.url}/v1/users`;
  t.equal((await post(`${users}/user-4/deactivate`, { cookie: third }, {})).status, 400);
  t.equal((await post(`${users}/user-4/deactivate`, admin, {})).status, 200);
  t.equal(await hasApprover(), false, 'one who is not active decides nothing');
});

t.test('whoever restores an earlier version as the draft contributes to it', async (t) => {
  const { service, admin, other } = await setUp(t);
  await service.publish('bank', 'receipt', { n: 1 });
  await service.publish('bank', 'receipt', { n: 2 });
  const earlier = await fetch(address(service, '/versions/1'), { headers: admin });
  const body = await earlier.text();
  await post(address(service, '/draft'), admin, body, 'PUT');
  t.equal(await publish(service, admin), 403);
  t.equal(await publish(service, other), 201);
});

t.test('publishing twice and while others save publishes no own change', async (t) => {
  const { service, admin, other, editor } = await setUp(t);
  await save(service, editor, { n: 0 });
  const statuses = await Promise.all([publish(service, other), publish(service, other)]);
  t.equal(statuses.filter((status) => status === 201).length, 1, 'a draft is published once');
  for (let n = 1; n <= 5; n += 1) {
    await save(service, editor, { n });
    await Promise.all([
      save(service, admin, { n, own: true }),
      publish(service, admin),
      save(service, editor, { n, own: true, again: true }),
      publish(service, admin),
    ]);
  }
  const by = (await service.store.templates.history('bank', 'receipt')).filter(
    ({ publishedBy }) => publishedBy === 'user:user-1',
  );
  for (const { version } of by) {
    const file = await service.store.templates.version('bank', 'receipt', version);
    t.notMatch(Buffer.from(file?.source ?? []).toString(), /own/, 'of the other person only');
  }
});

t.test('each change of the template has to be confirmed, whatever samples show', async (t) => {
  const { service, other, editor } = await setUp(t);
  await service.publish('bank', 'receipt', { document: { content: ['Thank you'] } });
  const waiver = { if: 'legal', text: 'The customer waives every right: {{legal}}' };
  await save(service, editor, {
    document: { content: ['Thank you', waiver] },
    fields: [{ name: 'legal', type: 'text' }],
  });
  const checked = await fetch(address(service, '/draft/check'), { headers: other });
  const draft = checked.headers.get('etag')?.slice(1, -1);
  const { published, changes } = (await checked.json()) as Comparison;
  const paths = changes.map(({ path }) => path);
  t.ok(paths.includes('document.content[1]'), 'the hidden node is a change');
  t.ok(paths.some((path) => path.startsWith('fields[0]')));
  const send = async (seen: readonly string[] | undefined): Promise<Response> =>
    post(address(service, '/publish'), other, { compared: { draft, published, changes: seen } });
  const all = changes.map(({ id }) => id);
  for (const seen of [undefined, [], all.slice(1), all.map((id) => `${id.slice(1)}x`)]) {
    const refused = await send(seen);
    t.equal(refused.status, 400);
    t.match(await refused.json(), { error: /compared\.changes/, fields: [{ reason: /line \d/ }] });
  }
  t.equal((await send(all)).status, 201);
});
