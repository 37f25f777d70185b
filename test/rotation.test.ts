import { renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createConnection, type RowDataPacket } from 'mysql2/promise';
import t from 'tap';

import { Links } from '../src/gateway/callers/links.ts';
import { openStore } from '../src/store/open.ts';
import { environment, serve } from '../lab/service/command-line.ts';
import { publish } from './instances/bank.ts';
import { generate, until } from './instances/pair.ts';
import { temporaryFolder } from './store/dialects.ts';
import { startMariaDb } from '../lab/servers/mariadb.ts';

/** Secrets of a running service change when their files change. */

const OLD = 'the secret that links were signed with before';
const NEW = 'the secret that links are signed with after it';
const UNTIL_MS = 180_000;

/** Replaces the file in one step, as orchestrators do: no reader sees a part of it. */
function put(path: string, text: string): void {
  writeFileSync(`${path}.new`, `${text}\n`);
  renameSync(`${path}.new`, path);
}

/** Accepts only what this secret signed. */
const DEFAULT_TTL_MS = 900_000;
const only = (secret: string): Links =>
  new Links(
    () => [secret],
    DEFAULT_TTL_MS,
    () => Date.now(),
  );

t.test('password of the database and link secrets change while the service runs', async (t) => {
  const started = await startMariaDb();
  if (started.server === null) {
    await t.test('MariaDB', { skip: started.reason }, () => undefined);
    return;
  }
  const { server } = started;
  t.teardown(() => server.stop());
  const rootUrl = await server.freshUrl();
  const root = await createConnection(rootUrl);
  t.teardown(() => root.end());
  const user = `rotating_${process.pid}`;
  await root.query(`create user '${user}'@'%' identified by 'old'`);
  await root.query(`grant all on ${new URL(rootUrl).pathname.slice(1)}.* to '${user}'@'%'`);
  t.teardown(() => root.query(`drop user '${user}'@'%'`));
  const urlWith = (password: string): string => {
    const url = new URL(rootUrl);
    [url.username, url.password] = [user, password];
    return url.href;
  };

  const folder = await temporaryFolder(t);
  const files = { links: join(folder, 'links'), database: join(folder, 'database') };
  put(files.links, OLD);
  put(files.database, urlWith('old'));
  const { INTAGLIO_DATABASE_URL: _, ...rest } = environment(folder);
  const { url, lines } = await serve(t, {
    ...rest,
    INTAGLIO_DATABASE_URL_FILE: files.database,
    INTAGLIO_LINK_SECRETS_FILE: files.links,
  });
  const store = await openStore({ databaseUrl: rootUrl, filesUrl: `file:${folder}/files` });
  t.teardown(() => store.close());
  await publish(store);
  const scopes = ['generate', 'documents:read'] as const;
  const added = await store.keys.add({
    teamId: 'bank',
    name: 'test',
    scopes,
    rateLimitPerMinute: 1_000_000,
  });
  if (!added.ok) throw new Error(added.message);
  const { apiKey } = added.value;
  const link = async (): Promise<string> => {
    const reply = await generate(url, apiKey);
    // Our own service's answer.
    const { url: made } = (await reply.json()) as { url?: string };
    return made ?? `${reply.status}`;
  };
  const before = await link();
  const logged = (msg: string, variable: string) => (): Promise<boolean> =>
    Promise.resolve(lines.some((line) => line['msg'] === msg && line['variable'] === variable));

  await root.query(`alter user '${user}'@'%' identified by 'new'`);
  put(files.database, urlWith('new'));
  await until(logged('secret changed', 'INTAGLIO_DATABASE_URL'), UNTIL_MS);
  const [sessions] = await root.query<RowDataPacket[]>(
    'select id from information_schema.processlist where user = ?',
    [user],
  );
  for (const session of sessions) await root.query('kill ?', [session['id']]);
  await until(async () => (await link()).startsWith('http'), UNTIL_MS);
  t.pass('new connections log in with the new password');

  put(files.links, NEW);
  await until(logged('secret changed', 'INTAGLIO_LINK_SECRETS'), UNTIL_MS);
  t.equal((await fetch(before)).status, 200, 'a link from before the change');
  const after = await link();
  t.equal((await fetch(after)).status, 200);
  const token = after.slice(after.lastIndexOf('/') + 1);
  t.not(only(NEW).read(token), null, 'the new secret signs');
  t.equal(only(OLD).read(token), null);

  put(files.links, 'too short');
  const refused = 'changed secret not used; the former one stays';
  await until(logged(refused, 'INTAGLIO_LINK_SECRETS'), UNTIL_MS);
  t.equal((await fetch(await link())).status, 200);
  const elsewhere = new URL(urlWith('new'));
  elsewhere.pathname = '/elsewhere';
  put(files.database, elsewhere.href);
  await until(logged(refused, 'INTAGLIO_DATABASE_URL'), UNTIL_MS);
  t.notMatch(JSON.stringify(lines), /identified|too short|:new@|:old@/, 'no secret is logged');
});
