import { join } from 'node:path';
import t from 'tap';
import { environment, intaglio } from '../../../lab/service/command-line.ts';
import { openStore } from '../../store/open.ts';

function fileOf(...fields: readonly object[]): string {
  const document = { content: [{ text: 'A note' }] };
  return JSON.stringify({ templateId: 'note', name: 'Note', language: 'en', fields, document });
}

t.test('a draft that would break callers is published only when that is said', async (t) => {
  const total = { name: 'total', type: 'text' };
  const channel = { name: 'channel', type: 'text', choices: ['APP', 'BRANCH'] };
  const old = { name: 'old', type: 'text' };
  const folder = t.testdir({
    'first.json': fileOf(total, channel, old),
    'fewer.json': fileOf(total, channel),
    'strict.json': fileOf(
      { ...total, type: 'number' },
      { ...channel, choices: ['APP'] },
      { name: 'to', type: 'text', required: true },
    ),
  });
  const env = environment(folder);
  const store = await openStore({
    databaseUrl: env['INTAGLIO_DATABASE_URL'] ?? '',
    filesUrl: env['INTAGLIO_FILES_URL'] ?? '',
  });
  t.teardown(() => store.close());
  await store.migrate();
  await store.teams.add({ teamId: 'bank', name: 'Bank' });
  const publish = async (file: string, ...more: readonly string[]): ReturnType<typeof intaglio> => {
    const saved = await intaglio(env, 'templates', 'draft', join(folder, file), '--team=bank');
    t.equal(saved.code, 0, saved.err);
    return intaglio(env, 'templates', 'publish', 'note', '--team=bank', ...more);
  };
  t.equal((await publish('first.json')).code, 0, 'nobody calls it yet');
  const fewer = await publish('fewer.json');
  t.equal(fewer.code, 0, 'a field that is no longer read refuses nobody');
  t.match(fewer.out, /Note: callers still send the field old, which is no longer read/);

  const refused = await publish('strict.json');
  t.equal(refused.code, 1);
  t.match(
    refused.err,
    /^intaglio: note was not published, as it would break callers of version 2:$/m,
  );
  t.match(refused.err, 'callers must send number in the field total, not text\n');
  t.match(refused.err, 'callers must not send "BRANCH" in the field channel any more\n');
  t.match(refused.err, 'callers must send the field to\n');
  t.match(refused.err, /with --allow-breaking: callers who do not follow are refused/);
  t.match(await store.templates.find('bank', 'note'), { value: { latestVersion: 2 } });

  const said = await publish('strict.json', '--allow-breaking');
  t.equal(said.code, 0, said.err);
  t.match(
    said.out,
    /^Published note as version 3\. Against version 2: .*\nNote: callers must send/,
  );
});
