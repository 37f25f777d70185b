import t from 'tap';
import type { TestService } from '../../../../lab/service/gateway.ts';
import { post, startFakePool, startTestService } from '../../../../lab/service/gateway.ts';

const pool = startFakePool(new Int32Array(new SharedArrayBuffer(4)));
t.teardown(() => pool.close(0));

type Headers = Record<string, string>;
type Answer = { readonly status: number; readonly body: Record<string, unknown> };

/** An Editor (user-1), two Admins (user-2, user-3) and a Viewer, with a draft of the Editor. */
async function setUp(t: Parameters<typeof startTestService>[0]) {
  const options = { publishApprovals: true };
  const service = await startTestService(t, { parts: { pool }, options });
  const cookie = async (role: 'Admin' | 'Editor' | 'Viewer'): Promise<Headers> => ({
    cookie: await service.session('bank', role),
  });
  const editor = await cookie('Editor');
  const [admin, other] = [await cookie('Admin'), await cookie('Admin')];
  const viewer = await cookie('Viewer');
  const hash = await save(service, editor, 1);
  return { service, editor, admin, other, viewer, hash };
}

async function save({ url }: TestService, who: Headers, n: number): Promise<string> {
  const draft = { templateId: 'receipt', name: 'Receipt', fields: [], n };
  const saved = await post(`${url}/v1/templates/receipt/draft`, who, draft, 'PUT');
  return saved.headers.get('etag')?.slice(1, -1) ?? '';
}

async function send(
  { url }: TestService,
  who: Headers,
  tail: string,
  body: object,
): Promise<Answer> {
  const answer = await post(`${url}/v1/templates/receipt${tail}`, who, body);
  return { status: answer.status, body: (await answer.json()) as Answer['body'] };
}

/** Publishes the present draft with every change confirmed. */
async function publish(service: TestService, who: Headers, extra: object = {}): Promise<Answer> {
  const address = `${service.url}/v1/templates/receipt/draft/check`;
  const checked = await fetch(address, { headers: who });
  const draft = checked.headers.get('etag')?.slice(1, -1);
  const { published, changes } = (await checked.json()) as {
    readonly published: string | null;
    readonly changes: readonly { readonly id: string }[];
  };
  const compared = { draft, published, changes: changes.map(({ id }) => id) };
  return send(service, who, '/publish', { compared, ...extra });
}

async function get({ url }: TestService, who: Headers, path: string): Promise<Answer['body']> {
  return (await (await fetch(`${url}${path}`, { headers: who })).json()) as Answer['body'];
}

/** Returns the requests that this user may decide. */
async function inbox(service: TestService, who: Headers): Promise<unknown> {
  return (await get(service, who, '/v1/approvals?waiting=true'))['approvals'];
}

t.test('a request, its way back to the author, and the note of the version', async (t) => {
  const { service, editor, admin, other, viewer, hash } = await setUp(t);
  const note = 'The address of the branch.\nSecond line.';
  const asked = await send(service, editor, '/approval', { draft: hash, note });
  t.match(asked, { status: 200, body: { state: 'open', askedBy: 'user:user-1', note } });
  const waiting = [{ templateId: 'receipt', version: 1, contributors: ['user:user-1'], note }];
  t.match(await inbox(service, admin), [{ ...waiting[0], mayDecide: true }]);
  t.same(await inbox(service, editor), []);
  t.match(await get(service, editor, '/v1/approvals'), { approvals: [{ mayDecide: false }] });
  t.match(await get(service, viewer, '/v1/approvals'), { code: 'forbidden' });
  const comment = 'The postcode is the old one.';
  const back = await send(service, admin, '/approval/send-back', { draft: hash, comment });
  t.match(back, { status: 200, body: { state: 'sent_back', decidedBy: 'user:user-2', comment } });
  t.match(await get(service, editor, '/v1/templates/receipt'), {
    approval: { state: 'sent_back', comment },
  });
  t.same(await inbox(service, admin), []);
  const refused = await publish(service, other);
  t.match(refused, { status: 409, body: { code: 'approval_conflict', error: /sent back/ } });
  const second = await save(service, editor, 2);
  t.match(await get(service, editor, '/v1/templates/receipt'), {
    approval: { state: 'sent_back', draft: hash, current: false },
  });
  await send(service, editor, '/approval', { draft: second, note: 'With the postcode.' });
  t.match(await publish(service, other), { status: 201, body: { version: 1 } });
  t.match(await get(service, editor, '/v1/templates/receipt'), {
    approval: null,
    versions: [
      { note: 'With the postcode.', authors: ['user:user-1'], publishedBy: 'user:user-3' },
    ],
  });
  const all = await service.audit();
  const published = all.filter(({ action, code }) => action === 'templates.publish' && code === '');
  t.match(published, [{ detail: 'With the postcode.', contributors: ['user:user-1'] }]);
  const records = all.filter(({ action }) => action.startsWith('approvals.'));
  t.match(records, [
    { action: 'approvals.ask', principal: 'user:user-1', version: 1, detail: /^The address/ },
    { action: 'approvals.send_back', principal: 'user:user-2', detail: comment },
    { action: 'approvals.ask', principal: 'user:user-1', detail: 'With the postcode.' },
  ]);
});

t.test('who contributed does not decide, and is recorded as denied', async (t) => {
  const { service, editor, admin, other } = await setUp(t);
  const hash = await save(service, admin, 2);
  await send(service, editor, '/approval', { draft: hash });
  t.same(await inbox(service, admin), []);
  t.match(await inbox(service, other), [{ contributors: ['user:user-1', 'user:user-2'] }]);
  const own = await send(service, admin, '/approval/send-back', { draft: hash, comment: 'No' });
  t.match(own, { status: 403, body: { error: /contributed/ } });
  const byEditor = await send(service, editor, '/approval/send-back', {
    draft: hash,
    comment: '-',
  });
  t.equal(byEditor.status, 403);
  t.match(
    (await service.audit()).filter(({ action }) => action === 'approvals.send_back'),
    [{ principal: 'user:user-2', outcome: 'denied', code: 'forbidden' }],
  );
});

t.test(
  'a change of the draft ends the request, and the second decision is told of the first',
  async (t) => {
    const { service, editor, admin, other, hash } = await setUp(t);
    await send(service, editor, '/approval', { draft: hash });
    const again = await send(service, editor, '/approval', { draft: hash });
    t.equal(again.status, 200, 'twice the same');
    const colleague = await send(service, admin, '/approval', { draft: hash });
    t.match(colleague, { status: 409, body: { error: /user:user-1 has asked/ } });
    const second = await save(service, editor, 2);
    t.same(await inbox(service, admin), []);
    t.match(await get(service, editor, '/v1/approvals'), { approvals: [{ state: 'outdated' }] });
    const late = await send(service, admin, '/approval/send-back', { draft: hash, comment: 'No' });
    t.match(late, { status: 412, body: { code: 'precondition_failed' } });
    await send(service, editor, '/approval', { draft: second });
    const comment = 'Why?';
    const both = await Promise.all(
      [admin, other].map((who) =>
        send(service, who, '/approval/send-back', { draft: second, comment }),
      ),
    );
    t.same(
      both.map(({ status }) => status).toSorted((a, b) => a - b),
      [200, 409],
    );
    const loser = both.find(({ status }) => status === 409);
    t.match(loser?.body, { error: /user:user-[23] has sent this draft back/ });
  },
);

t.test('a publication of another draft ends the request for good', async (t) => {
  const { service, editor, admin, other, hash } = await setUp(t);
  await send(service, editor, '/approval', { draft: hash, note: 'A note on the first draft.' });
  await save(service, editor, 2);
  t.match(await publish(service, admin), { status: 201, body: { version: 1 } });
  // The draft of version 2 is, byte for byte, what was asked about before version 1.
  t.equal(await save(service, other, 1), hash);
  t.match(await get(service, editor, '/v1/templates/receipt'), { approval: null });
  t.same(await inbox(service, admin), []);
  t.match(await publish(service, admin), { status: 201, body: { version: 2 } });
  const { versions } = await get(service, editor, '/v1/templates/receipt');
  t.match(versions, [
    { version: 2, note: '' },
    { version: 1, note: '' },
  ]);
});

t.test('a draft that was sent back binds no later version', async (t) => {
  const { service, editor, admin, other, hash } = await setUp(t);
  await send(service, editor, '/approval', { draft: hash });
  await send(service, admin, '/approval/send-back', { draft: hash, comment: 'No' });
  await save(service, editor, 2);
  t.match(await publish(service, admin), { status: 201 });
  t.equal(await save(service, other, 1), hash);
  t.match(await get(service, editor, '/v1/templates/receipt'), { approval: null });
  t.match(await publish(service, admin), { status: 201, body: { version: 2 } });
});

t.test('the inbox leaves out archived templates, which nobody can publish', async (t) => {
  const { service, editor, admin, hash } = await setUp(t);
  await send(service, editor, '/approval', { draft: hash });
  t.match(await send(service, admin, '/archive', {}), { status: 200 });
  t.same(await inbox(service, admin), []);
  t.match(await get(service, editor, '/v1/approvals'), { approvals: [] });
  t.match(await send(service, admin, '/unarchive', {}), { status: 200 });
  t.match(await inbox(service, admin), [{ templateId: 'receipt', mayDecide: true }]);
});

t.test('a role that is taken away while the samples are rendered publishes nothing', async (t) => {
  const { service, editor, admin, hash } = await setUp(t);
  await send(service, editor, '/approval', { draft: hash });
  const { templates } = service.store;
  const publishByRules = templates.publishByRules.bind(templates);
  // The last moment before the transaction.
  t.intercept(templates, 'publishByRules', {
    value: async (...names: Parameters<typeof publishByRules>) => {
      await service.store.users.change('user-2', { role: 'Viewer' });
      return publishByRules(...names);
    },
  });
  const refused = await publish(service, admin);
  t.match(refused, { status: 403, body: { code: 'forbidden', error: /taken away/ } });
  t.match(await get(service, editor, '/v1/templates/receipt'), {
    latestVersion: null,
    approval: { state: 'open' },
  });
  t.match((await service.audit()).at(-1), { action: 'templates.publish', outcome: 'denied' });
});

t.test('notes have bounds', async (t) => {
  const { service, editor, admin, hash } = await setUp(t);
  const draft = hash;
  const ask = (note: string) => send(service, editor, '/approval', { draft, note });
  t.equal((await ask('ก'.repeat(1_001))).status, 400);
  t.equal((await ask('a\u0000')).status, 400);
  t.equal((await ask('😀'.repeat(1_000))).status, 200);
  for (const comment of ['', ' \n ', 'x'.repeat(1_001)]) {
    const refused = await send(service, admin, '/approval/send-back', { draft, comment });
    t.match(refused, { status: 400, body: { error: /comment/ } }, JSON.stringify(comment));
  }
  t.equal((await send(service, editor, '/approval', { draft: 'x' })).status, 400);
  t.equal((await send(service, admin, '/publish', { note: 'x'.repeat(1_001) })).status, 400);
});

t.test('another team finds nothing, and that is recorded', async (t) => {
  const { service, hash } = await setUp(t);
  const rival = { cookie: await service.session('rival', 'Admin') };
  t.equal((await send(service, rival, '/approval', { draft: hash })).status, 404);
  t.same(await inbox(service, rival), []);
  const last = (await service.audit()).at(-1);
  t.match(last, { teamId: 'rival', action: 'approvals.ask', outcome: 'denied', code: 'not_found' });
});

t.test('a comment or note of which nothing can be seen is empty', async (t) => {
  const { service, editor, admin, hash } = await setUp(t);
  const unseen = '\u200b\u2060 \u00ad\n';
  const asked = await send(service, editor, '/approval', { draft: hash, note: unseen });
  t.match(asked, { status: 200, body: { note: '' } });
  for (const comment of [unseen, ' ', '\u2800', '']) {
    const back = await send(service, admin, '/approval/send-back', { draft: hash, comment });
    t.match(back, { status: 400, body: { code: 'bad_request', error: /comment/ } });
  }
  t.match(await inbox(service, admin), [{ state: 'open' }]);
  const back = await send(service, admin, '/approval/send-back', {
    draft: hash,
    comment: `${unseen}ก`,
  });
  t.match(back, { status: 200, body: { state: 'sent_back' } });
});

/** The audit record of the last publication. */
async function detail(service: TestService): Promise<unknown> {
  const all = await service.audit();
  return all.findLast(({ action, code }) => action === 'templates.publish' && code === '')?.detail;
}

t.test('the audit says whose sending back a publication overrules', async (t) => {
  const comment = 'The postcode is the old one.';
  const sentBack = async () => {
    const scene = await setUp(t);
    const { service, editor, admin, hash } = scene;
    await send(service, editor, '/approval', { draft: hash });
    await send(service, admin, '/approval/send-back', { draft: hash, comment });
    return scene;
  };
  const alone = await sentBack();
  t.match(await publish(alone.service, alone.other), { status: 409 });
  const again = await send(alone.service, alone.other, '/approval', { draft: alone.hash });
  t.match(again, { status: 200, body: { state: 'open', decidedBy: '', comment: '' } });
  t.match(await publish(alone.service, alone.other), { status: 201 });
  t.equal(await detail(alone.service), 'Published although user:user-2 sent it back.');

  const changed = await sentBack();
  await save(changed.service, changed.editor, 2);
  t.match(await publish(changed.service, changed.other), { status: 201 });
  t.equal(await detail(changed.service), 'Published although user:user-2 sent it back.');

  const asked = await sentBack();
  const newer = await save(asked.service, asked.editor, 2);
  await send(asked.service, asked.other, '/approval', { draft: newer, note: 'Mine.' });
  t.match(await publish(asked.service, asked.other), { status: 201 });
  t.equal(await detail(asked.service), 'Published although user:user-2 sent it back. Mine.');

  const second = await sentBack();
  await send(second.service, second.editor, '/approval', {
    draft: second.hash,
    note: 'It is new.',
  });
  t.match(await publish(second.service, second.other), { status: 201 });
  t.equal(await detail(second.service), 'It is new.', 'the author asked, another one decided');

  const own = await sentBack();
  await save(own.service, own.editor, 2);
  t.match(await publish(own.service, own.admin), { status: 201 });
  t.equal(await detail(own.service), '', 'who sent it back has decided anew');
});

t.test(
  'a request is withdrawn by whoever asked or by an Admin, and the audit has it',
  async (t) => {
    const { service, editor, admin, hash } = await setUp(t);
    const colleague = { cookie: await service.session('bank', 'Editor') };
    await send(service, editor, '/approval', { draft: hash });
    const refused = await send(service, colleague, '/approval/withdraw', { draft: hash });
    const error = 'user:user-1 asked for approval: only they or an Admin withdraw it.';
    t.match(refused, { status: 403, body: { code: 'forbidden', error } });
    t.match(await get(service, editor, '/v1/approvals'), { approvals: [{ state: 'open' }] });
    const own = await send(service, editor, '/approval/withdraw', { draft: hash });
    t.match(own, { status: 200, body: { state: 'withdrawn', decidedBy: 'user:user-1' } });
    await send(service, editor, '/approval', { draft: hash });
    const byAdmin = await send(service, admin, '/approval/withdraw', { draft: hash });
    t.match(byAdmin, { status: 200, body: { state: 'withdrawn', decidedBy: 'user:user-2' } });
    const all = await service.audit();
    t.match(
      all.filter(({ action }) => action === 'approvals.withdraw'),
      [
        { principal: 'user:user-5', outcome: 'denied', code: 'forbidden' },
        { principal: 'user:user-1', code: '' },
        { principal: 'user:user-2', code: '' },
      ],
    );
  },
);
