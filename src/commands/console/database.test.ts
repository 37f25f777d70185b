import { existsSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';

import { environment, intaglio } from '../../../lab/service/command-line.ts';

/** Commands that read or change an existing database. */
const CALLS: readonly (readonly string[])[] = [
  ['audit'],
  ['audit', 'verify'],
  ['usage'],
  ['verify', 'FILE'],
  ['verify', '--reference', 'R-1'],
  ['backup', 'FOLDER'],
  ['scrub'],
  ['sweep'],
  ['encryption', 'status'],
  ['encryption', 'rewrap'],
  ['teams', 'list'],
  ['users', 'list'],
  ['users', 'add', 'somchai', '--team', 'retail', '--role', 'Editor'],
  ['keys', 'list'],
  ['keys', 'revoke', '01a2'],
  ['sessions', 'add', 'somchai'],
  ['templates', 'list', '--team', 'retail'],
  ['templates', 'export', '--team', 'retail', 'receipt'],
  ['templates', 'history', '--team', 'retail', 'receipt'],
  ['templates', 'diff', '--team', 'retail', 'receipt', '1', '2'],
  ['templates', 'publish', '--team', 'retail', 'receipt'],
];

for (const words of CALLS) {
  t.test(`${words.join(' ')} creates no database`, async (t) => {
    const folder = t.testdir({ 'a.pdf': '%PDF-' });
    const data = join(folder, 'var');
    const args = words.map((word) => {
      if (word === 'FILE') return join(folder, 'a.pdf');
      return word === 'FOLDER' ? join(folder, 'backup') : word;
    });
    const { code, err } = await intaglio(environment(data), ...args);
    t.equal(code, 1, err);
    t.match(err, `intaglio: there is no database ${data}`);
    t.match(err, /set INTAGLIO_DATABASE_URL as it is for the service; or create one: .* teams add/);
    t.notOk(existsSync(data), 'no database was created');
    t.notOk(existsSync(join(folder, 'backup')));
  });
}

t.test('teams add and migrate create the database', async (t) => {
  for (const words of [['teams', 'add', 'retail', '--name', 'Retail'], ['migrate']]) {
    const data = join(t.testdir(), 'var');
    const env = environment(data);
    t.match(await intaglio(env, ...words), { code: 0 });
    t.match(await intaglio(env, 'audit', '--action=generate'), {
      code: 0,
      out: 'No record matches.\n',
    });
  }
});
