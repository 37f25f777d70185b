import { join } from 'node:path';
import t from 'tap';
import { environment, intaglio } from '../../../lab/service/command-line.ts';
import { newAudit } from '../../../test/store/samples.ts';
import { openStore } from '../../store/open.ts';
import { operator } from '../console/names.ts';

const folder = t.testdir({
  'note.json': JSON.stringify({
    templateId: 'note',
    name: 'Note',
    language: 'en',
    fields: [],
    document: { content: [{ text: 'A note' }] },
  }),
});
const env = environment(folder, { INTAGLIO_PUBLISH_APPROVALS: '1' });
const store = await openStore({
  databaseUrl: env['INTAGLIO_DATABASE_URL'] ?? '',
  filesUrl: env['INTAGLIO_FILES_URL'] ?? '',
});
t.teardown(() => store.close());
await store.migrate();
await store.teams.add({ teamId: 'bank', name: 'Bank' });

t.test('the operator who saved a draft is a contributor and does not publish it', async (t) => {
  const saved = await intaglio(env, 'templates', 'draft', join(folder, 'note.json'), '--team=bank');
  t.equal(saved.code, 0, saved.err);
  const draft = { contributors: [operator()], savedBy: operator() };
  t.match(await store.templates.find('bank', 'note'), { value: { draft } });
  const publish = (): ReturnType<typeof intaglio> =>
    intaglio(env, 'templates', 'publish', 'note', '--team=bank');
  const refused = await publish();
  t.equal(refused.code, 1);
  t.match(refused.err, /you contributed to this draft/);
  const [denial] = await store.audit.list({ teamId: 'bank', newestFirst: true, countMax: 1 });
  const who = { principal: operator(), templateId: 'note', version: 1 };
  const denied = { action: 'templates.publish', outcome: 'denied', code: 'forbidden' };
  t.match(denial, { ...denied, ...who });
  t.match(await store.templates.find('bank', 'note'), { value: { latestVersion: null } });
  const hash = (await store.templates.draft('bank', 'note')) as { value: { hash: string } };
  t.match(
    await store.templates.publishByRules('bank', 'note', hash.value.hash, 'user:b', {
      isOther: true,
    }),
    {
      version: 1,
    },
  );
  const next = Buffer.from('{"templateId":"note","fields":[],"document":{"content":"New"}}');
  await store.templates.saveDraft('bank', 'note', 'Note', next, { by: 'user:mali' });
  const published = await publish();
  t.equal(published.code, 0, published.err);
  const [record] = await store.audit.list({ teamId: 'bank', newestFirst: true, countMax: 1 });
  t.match(record, { action: 'templates.publish', contributors: ['user:mali'] });
});

t.test('a publication that overrules a sending back says so in the audit', async (t) => {
  const alone = { ...env, INTAGLIO_PUBLISH_APPROVALS: '0' };
  const next = Buffer.from('{"templateId":"note","fields":[],"document":{"content":"Newer"}}');
  await store.templates.saveDraft('bank', 'note', 'Note', next, { by: 'user:mali' });
  const draft = (await store.templates.draft('bank', 'note')) as { value: { hash: string } };
  for (const userId of ['mali', 'ben']) {
    await store.users.add({ userId, teamId: 'bank', role: 'Admin' });
  }
  const change = (by: string) => ({
    teamId: 'bank',
    templateId: 'note',
    draft: draft.value.hash,
    by,
    audit: { ...newAudit(), teamId: 'bank', principal: by },
  });
  const asked = await store.approvals.ask({ ...change('user:mali'), note: '' });
  t.match(asked, { ok: true });
  t.match(await store.approvals.sendBack({ ...change('user:ben'), comment: 'No' }), { ok: true });
  const mended = Buffer.from('{"templateId":"note","fields":[],"document":{"content":"Last"}}');
  await store.templates.saveDraft('bank', 'note', 'Note', mended, { by: 'user:mali' });
  const published = await intaglio(alone, 'templates', 'publish', 'note', '--team=bank');
  t.equal(published.code, 0, published.err);
  const [record] = await store.audit.list({ teamId: 'bank', newestFirst: true, countMax: 1 });
  t.match(record, {
    action: 'templates.publish',
    outcome: 'succeeded',
    detail: /^Published although user:ben sent it back\./,
  });
});
