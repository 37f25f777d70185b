import { mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';

import { ConfigError, readConfig } from '../settings/config.ts';
import { linkSecrets } from './secrets.ts';

const OWN = 'a secret of more than thirty-two characters';

t.test('secrets are made once beside the embedded database, for the owner only', async (t) => {
  const folder = join(t.testdir(), 'var');
  const config = readConfig({ INTAGLIO_DATABASE_URL: `sqlite:${folder}/intaglio.db` });
  const secrets = linkSecrets(config);
  t.match(secrets, [/^[\w-]{43}$/]);
  t.strictSame(linkSecrets(config), secrets, 'kept');
  t.strictSame(readdirSync(folder), ['link-secrets']);
  t.equal(statSync(join(folder, 'link-secrets')).mode & 0o777, 0o600);
});

t.test('link secrets are beside the files when the database is MySQL', async (t) => {
  const folder = t.testdir();
  linkSecrets(
    readConfig({
      INTAGLIO_DATABASE_URL: 'mysql://user:password@db/intaglio',
      INTAGLIO_FILES_URL: `file:${folder}/files`,
    }),
  );
  t.strictSame(readdirSync(folder), ['link-secrets']);
});

t.test('link secrets must be set when nothing is stored on this machine', async (t) => {
  const env = {
    INTAGLIO_DATABASE_URL: 'mysql://user:password@db/intaglio',
    INTAGLIO_FILES_URL: 's3://key:secret@storage.example/bucket',
  };
  t.throws(() => linkSecrets(readConfig(env)), { message: /^INTAGLIO_LINK_SECRETS / });
  t.equal(linkSecrets(readConfig({ ...env, INTAGLIO_LINK_SECRETS: OWN })).length, 1);
});

t.test('the setting wins, a longer list is read, an empty file is refused', async (t) => {
  const folder = t.testdir();
  const env = { INTAGLIO_DATABASE_URL: `sqlite:${folder}/intaglio.db` };
  t.strictSame(linkSecrets(readConfig({ ...env, INTAGLIO_LINK_SECRETS: OWN })), [OWN]);
  t.strictSame(readdirSync(folder), []);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'link-secrets'), 'new\nold\n');
  t.strictSame(linkSecrets(readConfig(env)), ['new', 'old']);
  writeFileSync(join(folder, 'link-secrets'), `${'a'.repeat(40)}\n`);
  t.throws(() => linkSecrets(readConfig(env)), { message: /link-secrets .*repeats one character/ });
  writeFileSync(join(folder, 'link-secrets'), '');
  t.throws(() => linkSecrets(readConfig(env)), ConfigError);
});
