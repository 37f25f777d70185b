import { createConnection } from 'mysql2/promise';
import { join } from 'node:path';
import tap, { type Test } from 'tap';

import { environment, intaglio, serve } from '../../lab/service/command-line.ts';
import { makeAuthority, missingOpenssl, type Certificates } from './certificates.ts';
import { temporaryFolder } from './dialects.ts';
import { startFakeS3 } from '../../lab/servers/fake-s3.ts';
import { startMariaDb } from '../../lab/servers/mariadb.ts';

/**
 * Connections to a private MariaDB and a bucket. Their certificates come from an authority that
 * only NODE_EXTRA_CA_CERTS names; Node reads it at its start, so each attempt runs in a new
 * process.
 */
const USER = 'careful';
const PASSWORD = 'only over TLS';

interface Secured {
  readonly folder: string;
  readonly certificates: Certificates;
  /** The URL of a fresh database, whose user may connect over TLS only. */
  readonly url: (host: string, query: string) => string;
  /** Makes the server present a certificate for this name from now on. */
  readonly show: (name: string) => Promise<void>;
}

async function secureServer(t: Test): Promise<Secured | string> {
  const folder = await temporaryFolder(t);
  const certificates = makeAuthority(folder);
  certificates.issue('server', 'localhost');
  const [cert, key] = [join(folder, 'server.pem'), join(folder, 'server.key')];
  const started = await startMariaDb([`--ssl-cert=${cert}`, `--ssl-key=${key}`], folder);
  if (started.server === null) return started.reason;
  const { server } = started;
  t.teardown(() => server.stop());
  const plain = await server.freshUrl();
  const asRoot = async (statements: readonly string[]): Promise<void> => {
    const connection = await createConnection(plain);
    for (const statement of statements) await connection.query(statement);
    await connection.end();
  };
  await asRoot([
    `create user ${USER}@'%' identified by '${PASSWORD}' require ssl`,
    `grant all on *.* to ${USER}@'%'`,
  ]);
  const url = (host: string, query: string): string => {
    const address = new URL(plain);
    address.hostname = host;
    address.username = USER;
    address.password = PASSWORD;
    address.search = query;
    return address.href;
  };
  const show = async (name: string): Promise<void> => {
    certificates.issue('server', name);
    await asRoot(['flush ssl']);
  };
  return { folder, certificates, url, show };
}

async function connects(t: Test, { folder, certificates, url, show }: Secured): Promise<void> {
  const trusting = { NODE_EXTRA_CA_CERTS: certificates.authority };
  const list = async (databaseUrl: string, env = {}): Promise<[number | null, string]> => {
    const settings = { INTAGLIO_DATABASE_URL: databaseUrl, ...env };
    const { code, err } = await intaglio(environment(folder, settings), 'teams', 'list');
    return [code, err];
  };
  t.strictSame(await list(url('localhost', '?tls=require'), trusting), [0, '']);
  t.match(await list(url('localhost', ''), trusting), [1, 'ER_ACCESS_DENIED'], 'TLS is needed');
  t.match(await list(url('localhost', '?tls=require')), [1, 'no database connection'], 'unknown');
  t.match(await list(url('localhost', '?tls=yes'), trusting), [1, 'tls=require'], 'misspelt');
  t.match(await list(url('127.0.0.1', '?tls=require'), trusting), [1, 'not an IP address']);
  await show('other.example');
  const other = await list(url('localhost', '?tls=require'), trusting);
  t.match(other, [1, 'no database connection'], 'the certificate of another server');
}

async function serves(t: Test, { folder, certificates, url }: Secured): Promise<void> {
  const bucket = await startFakeS3(certificates.issue('bucket', 'localhost'));
  const wrong = await startFakeS3(certificates.issue('wrong', 'other.example'));
  t.teardown(async () => Promise.all([bucket.stop(), wrong.stop()]));
  const settings = (filesUrl: string): Readonly<Record<string, string>> =>
    environment(folder, {
      INTAGLIO_DATABASE_URL: url('localhost', '?tls=require'),
      INTAGLIO_FILES_URL: filesUrl,
      INTAGLIO_LINK_SECRETS: 'a secret of more than thirty-two characters',
      NODE_EXTRA_CA_CERTS: certificates.authority,
    });
  const readiness = async (filesUrl: string): Promise<unknown> => {
    const service = await serve(t, settings(filesUrl));
    const answer = await (await fetch(`${service.url}/readyz`)).json();
    service.child.kill('SIGTERM');
    await service.exit;
    return answer;
  };
  t.strictSame(await readiness(bucket.url), { status: 'ready' }, 'rows and files were written');
  t.ok(bucket.objects.size > 0);
  const { code, err } = await intaglio(settings(wrong.url), 'serve');
  t.equal(code, 1);
  t.match(err, /INTAGLIO_FILES_URL: .*: the certificate is of another server \(ERR_TLS/);
  t.equal(wrong.requests, 0, 'no request was sent to it');
}

const given = process.env['INTAGLIO_TEST_MYSQL_URL'] ?? '';
const lacking = missingOpenssl();
const skip = lacking === '' ? given !== '' && 'the database is not a private one' : lacking;

tap.test('over TLS', { skip }, async (t) => {
  const secured = await secureServer(t);
  if (typeof secured === 'string') {
    t.test(secured, { skip: secured }, () => undefined);
    return;
  }
  await t.test('a service works with database and bucket', async (s) => serves(s, secured));
  await t.test('connections are made only to the server that the certificate names', async (s) =>
    connects(s, secured),
  );
});
