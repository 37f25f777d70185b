import { createHash } from 'node:crypto';
import { truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';

import { environment, intaglio } from '../../../test/fixtures/command-line.ts';
import { newAudit } from '../../../test/store/samples.ts';
import { openStore } from '../../store/open.ts';

t.test('verify names a document of a version, however many drafts had its bytes', async (t) => {
  const folder = t.testdir();
  const env = environment(folder);
  const store = await openStore({
    databaseUrl: env['INTAGLIO_DATABASE_URL'] ?? '',
    filesUrl: env['INTAGLIO_FILES_URL'] ?? '',
  });
  await store.migrate();
  const file = join(folder, 'letter.pdf');
  writeFileSync(file, '%PDF-1.7\n');
  const sha256 = createHash('sha256').update('%PDF-1.7\n').digest('hex');
  const made = { sha256, mode: 'sync', outcome: 'succeeded', templateId: 'letter' } as const;
  for (const teamId of ['a', 'b']) await store.teams.add({ teamId, name: teamId });
  for (let count = 0; count < 22; count += 1) {
    await store.audit.add(newAudit('', { ...made, teamId: 'a', draft: true, version: 1 }));
  }
  await store.audit.add(newAudit('', { ...made, teamId: 'b', draft: false, version: 3 }));
  await store.close();
  const told = await intaglio(env, 'verify', file, '--json');
  t.equal(told.code, 0, told.err);
  const { madeHere, drafts, hasMore } = JSON.parse(told.out) as Record<string, unknown>;
  t.match(madeHere, [{ teamId: 'b', version: 3 }]);
  t.match([drafts, hasMore], [{ length: 20 }, true]);
  const { out } = await intaglio(env, 'verify', file);
  t.match(out, /template letter@3\.\n[^]*There are more: at most 20 of each kind are named\./);
});

t.test('verify says that a file is too large', async (t) => {
  const folder = t.testdir();
  const file = join(folder, 'large.pdf');
  writeFileSync(file, '%PDF-1.7\n');
  truncateSync(file, 600 * 1024 ** 2);
  const { code, err } = await intaglio(environment(folder), 'verify', file);
  t.equal(code, 1);
  t.match(err, /large\.pdf has over 256 MB, which is the most that verify checks\n$/);
});
