import t from 'tap';

import { environment, intaglio } from '../../../lab/service/command-line.ts';
import { folderOf } from '../../../test/fixtures/note.ts';
import { openStore } from '../../store/open.ts';
import type { NewAudit } from '../../store/store.ts';

const NOVEMBER = '2026-11-01T00:00:00.000Z';
const DECEMBER = '2026-12-01T00:00:00.000Z';

function made(at: string, changes: Partial<NewAudit> = {}): NewAudit {
  return {
    atMs: Date.parse(at),
    requestId: 'r',
    teamId: 'bank',
    principal: 'key:k',
    action: 'generate',
    outcome: 'succeeded',
    code: '',
    templateId: 'receipt',
    version: 1,
    documentId: '',
    mode: 'sync',
    pages: 2,
    bytes: 1_000,
    durationMs: null,
    sha256: '',
    signer: '',
    certificateSerial: '',
    draft: false,
    contributors: [],
    detail: '',
    ...changes,
  };
}

t.test('documents, pages and bytes are counted by team, of one month', async (t) => {
  const env = environment(folderOf(t));
  const store = await openStore({
    databaseUrl: env['INTAGLIO_DATABASE_URL'] ?? '',
    filesUrl: env['INTAGLIO_FILES_URL'] ?? '',
  });
  t.teardown(() => store.close());
  await store.migrate();
  for (const teamId of ['bank', 'rival']) await store.teams.add({ teamId, name: teamId });
  const day = '2026-11-15T08:00:00Z';
  const records = [
    made(day),
    made(day, { mode: 'async', pages: 3 }),
    made(day, { templateId: 'letter' }),
    // A look in the Studio; what a user stores is a document as any other.
    made(day, { principal: 'user:anong', templateId: 'letter' }),
    made(day, { principal: 'user:anong', templateId: 'letter', mode: 'async' }),
    made(day, { teamId: 'rival', bytes: 7 }),
    // Neither of these is a document of November.
    made(day, { draft: true }),
    made(day, { outcome: 'failed', pages: null, bytes: null }),
    made(day, { action: 'documents.read' }),
    made('2026-12-01T00:00:00Z'),
    made('2026-10-31T23:59:59Z'),
    // The last in November where the zone is Bangkok's.
    made('2026-11-30T16:59:59Z'),
    made('2026-11-30T17:00:00Z'),
  ];
  for (const record of records) await store.audit.add(record);

  const bank = { from: NOVEMBER, to: DECEMBER, teamId: 'bank' };
  const { code, out } = await intaglio(env, 'usage', '--month', '2026-11', '--json');
  t.equal(code, 0);
  t.strictSame(JSON.parse(out), [
    { ...bank, documents: 7, stored: 2, pages: 15, bytes: 7_000, shown: 1 },
    { ...bank, teamId: 'rival', documents: 1, stored: 0, pages: 2, bytes: 7, shown: 0 },
  ]);
  const inZone = ['usage', '--month', '2026-11', '--zone', '+07:00', '--team', 'bank', '--csv'];
  t.equal(
    (await intaglio(env, ...inZone, '--by-template')).out,
    'from,to,team,template,documents,stored,pages,bytes,shown\n' +
      '2026-10-31T17:00:00.000Z,2026-11-30T17:00:00.000Z,bank,letter,3,1,6,3000,1\n' +
      '2026-10-31T17:00:00.000Z,2026-11-30T17:00:00.000Z,bank,receipt,4,1,9,4000,0\n',
  );
  const told = await intaglio(env, 'usage', '--month', '2026-11');
  t.match(told.out, /shown: looked at in the Studio and not stored/);
  const wrong = await intaglio(env, 'usage', '--month', '2026-13');
  t.match(wrong, { code: 2, err: 'expected a month such as 2026-11' });
});

t.test('where nothing is found, the database is named, and a misspelled action', async (t) => {
  const env = environment(folderOf(t));
  t.equal((await intaglio(env, 'migrate')).code, 0);
  const place =
    /^intaglio: The database is sqlite:.*; if .* set INTAGLIO_DATABASE_URL as it has it\.\n$/m;
  const nothing = await intaglio(env, 'audit', '--action', 'runs.start');
  t.equal(nothing.out, 'No record matches.\n');
  t.match(nothing.err, place);
  t.notMatch(nothing.err, /There is no action/);
  const misspelled = await intaglio(env, 'audit', '--action', 'template.publish');
  t.match(
    misspelled.err,
    /There is no action "template\.publish"; did you mean "templates\.publish"\?/,
  );
  t.match((await intaglio(env, 'usage')).err, place);
});
