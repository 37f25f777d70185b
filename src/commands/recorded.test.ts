import { randomBytes } from 'node:crypto';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import t, { type Test } from 'tap';

import { environment, intaglio } from '../../lab/service/command-line.ts';
import { addDocument } from '../../test/store/samples.ts';
import { openStore } from '../store/open.ts';

const NOTE = {
  templateId: 'note',
  name: 'Note',
  language: 'en',
  fields: [],
  document: { content: [{ text: 'A note' }] },
};
const PDFME = { schemas: [[]], basePdf: { width: 210, height: 297, padding: [0, 0, 0, 0] } };

/** A database, and how to run commands on it. */
function place(t: Test) {
  const folder = t.testdir({
    'note.json': JSON.stringify(NOTE),
    'other.json': JSON.stringify({ ...NOTE, document: { content: [{ text: 'Another' }] } }),
    'form.json': JSON.stringify(PDFME),
  });
  const run = async (words: readonly string[], more = {}): Promise<string> => {
    const { code, out, err } = await intaglio(environment(folder, more), ...words);
    t.equal(code, 0, `${words.join(' ')}: ${err}`);
    return out;
  };
  const records = async (...words: readonly string[]): Promise<readonly object[]> =>
    JSON.parse(await run(['audit', '--json', ...words])) as readonly object[];
  return { folder, run, records };
}

const OPERATOR = { principal: `command:${userInfo().username}`, outcome: 'succeeded' };

/** The record of a draft that the operator saved. */
function draftOf(templateId: string): object {
  return { ...OPERATOR, action: 'templates.draft', templateId, version: null };
}

t.test('a team that a command adds is in the audit of that team', async (t) => {
  const { run, records } = place(t);
  await run(['teams', 'add', 'retail', '--name', 'Retail banking']);
  t.match(await records('--team', 'retail'), [
    { ...OPERATOR, action: 'teams.create', detail: 'team retail, Retail banking' },
  ]);
});

t.test('each draft that a command saves is in the audit, as one saved in the Studio', async (t) => {
  const { folder, run, records } = place(t);
  await run(['teams', 'add', 'retail', '--name', 'Retail']);
  const draft = (file: string): Promise<string> =>
    run(['templates', 'draft', '--team=retail', join(folder, file)]);
  const saved = ['--team', 'retail', '--action', 'templates.draft'];
  await draft('note.json');
  t.match(await records(...saved), [draftOf('note')]);
  await draft('note.json');
  t.equal((await records(...saved)).length, 1, 'the same bytes change nothing');
  await draft('other.json');
  t.match(await records(...saved), [draftOf('note'), draftOf('note')]);
  const form = join(folder, 'form.json');
  await run(['templates', 'import', form, '--from', 'pdfme', '--team', 'retail']);
  t.match(await records(...saved, '--template', 'form'), [draftOf('form')]);
  t.equal((await records(...saved)).length, 3);
});

t.test('a change of the key of files is in the audit, unless nothing was left to do', async (t) => {
  const { folder, run, records } = place(t);
  const [old, next] = [randomBytes(32), randomBytes(32)];
  const { INTAGLIO_DATABASE_URL: databaseUrl = '', INTAGLIO_FILES_URL: filesUrl = '' } =
    environment(folder);
  const encryption = { keys: () => [old] };
  const store = await openStore({ databaseUrl, filesUrl, encryption });
  await store.migrate();
  await addDocument(store, Buffer.from('%PDF-1.7'));
  await store.close();
  const keys = [next, old].map((key) => key.toString('base64')).join(',');
  const rewrap = (): Promise<string> =>
    run(['encryption', 'rewrap'], { INTAGLIO_ENCRYPTION_KEYS: keys });
  await rewrap();
  const detail = /^1 file key.*; no longer needed: [0-9a-f]{16}$/;
  const rewrapped = [{ ...OPERATOR, action: 'files.rewrap', teamId: '', detail }];
  t.match(await records('--action', 'files.rewrap'), rewrapped);
  await rewrap();
  t.equal((await records('--action', 'files.rewrap')).length, 1);
});

t.test('the audit of the demo begins with its team', async (t) => {
  const { folder, run } = place(t);
  const dir = join(folder, 'demo');
  await run(['demo', '--once', '--dir', dir, '--json']);
  const of = { INTAGLIO_DATABASE_URL: `sqlite:${dir}/intaglio.db` };
  const audit = ['audit', '--team', 'demo', '--json', '--limit', '1000'];
  const records = JSON.parse(await run(audit, of)) as readonly { readonly action: string }[];
  t.strictSame(
    records
      .toReversed()
      .slice(0, 5)
      .map(({ action }) => action),
    ['teams.create', 'users.create', 'sessions.open', 'keys.create', 'templates.draft'],
  );
});
