import { execFileSync } from 'node:child_process';
import { appendFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer as createHttpServer, type RequestListener } from 'node:http';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { DatabaseSync } from 'node:sqlite';
import { join } from 'node:path';
import { createConnection } from 'mysql2/promise';
import t, { type Test } from 'tap';

import { environment, intaglio, serve } from '../../../lab/service/command-line.ts';
import { folderOf } from '../../../test/fixtures/note.ts';
import { startRedis } from '../../../lab/servers/redis.ts';
import { makeAuthority } from '../../../test/store/certificates.ts';
import { startFakeS3 } from '../../../lab/servers/fake-s3.ts';
import { startMariaDb } from '../../../lab/servers/mariadb.ts';
import { readConfig } from '../../settings/config.ts';
import { judgeTimes } from './certificate.ts';
import { examineStart, type Finding } from './checks.ts';
import { judgeSpace } from './disk.ts';
import { judgeRetention } from './retention.ts';

type Environment = Readonly<Record<string, string>>;

/** Checks that may warn here, because they judge the machine, or a setting that tests do without. */
const MACHINE = new Set([
  'audit key',
  'memory',
  'processors',
  'disk sync',
  'disk space',
  'descriptors',
  'qpdf',
]);

/** The finding of one check of the start with these settings; no other check may find a fault. */
async function found(env: Environment, check: string): Promise<Finding | undefined> {
  const findings = await examineStart(readConfig(env));
  const others = findings.filter(({ check: name, state }) => name !== check && state === 'fault');
  if (others.length > 0) throw new Error(JSON.stringify(others));
  return findings.find(({ check: name }) => name === check);
}

/** The settings of an installation in this folder that listens on this port. */
function onPort(folder: string, port: number): Environment {
  return environment(folder, { INTAGLIO_PORT: String(port), INTAGLIO_HOST: '127.0.0.1' });
}

async function listen(t: Test, server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => void server.close());
  return (server.address() as AddressInfo).port;
}

function certificate(env: Environment): Promise<Finding | undefined> {
  return found(env, 'certificate');
}

const TLS_FAULT = { state: 'fault', mend: /INTAGLIO_TLS_CERT_FILE/ };

t.test('certificates that the listener refuses, and those that callers refuse', async (t) => {
  const folder = folderOf(t);
  const authority = makeAuthority(folder);
  for (const name of ['one', 'other']) authority.issue(name, 'localhost');
  const at = (cert: string, key: string, more: Environment = {}): Environment =>
    environment(folder, {
      INTAGLIO_TLS_CERT_FILE: join(folder, cert),
      INTAGLIO_TLS_KEY_FILE: join(folder, key),
      ...more,
    });
  // The authority issues for two days.
  t.match(await certificate(at('one.pem', 'one.key')), { state: 'warning', detail: /in 1 day$/ });
  t.match(await certificate(at('one.pem', 'other.key')), {
    ...TLS_FAULT,
    detail: /is not the key of/,
  });
  t.match(await certificate(at('absent.pem', 'one.key')), {
    ...TLS_FAULT,
    detail: /cannot be read/,
  });
  t.match(await certificate(at('one.key', 'one.key')), {
    ...TLS_FAULT,
    detail: /holds no certificate/,
  });
  appendFileSync(
    join(folder, 'other.pem'),
    '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n',
  );
  const chain = await certificate(at('other.pem', 'other.key'));
  t.match(chain, { state: 'fault', detail: /the chain in .* does not load/, mend: /in PEM/ });
  const run = (...args: string[]): unknown =>
    execFileSync('openssl', args, { cwd: folder, stdio: 'pipe' });
  run('req', '-new', '-key', 'one.key', '-subj', '/CN=localhost', '-out', 'one.csr');
  const own = ['-req', '-in', 'one.csr', '-key', 'one.key'];
  run('x509', ...own, '-days', '-1', '-out', 'expired.pem');
  const expired = await certificate(at('expired.pem', 'one.key'));
  t.match(expired, { ...TLS_FAULT, detail: /expired 20/, mend: /without a restart/ });
  run('x509', ...own, '-days', '90', '-out', 'long.pem');
  t.match(await certificate(at('long.pem', 'one.key')), { state: 'ok' });
  const foreign = { INTAGLIO_BASE_URL: 'https://pdf.bank.example' };
  t.match(await certificate(at('long.pem', 'one.key', foreign)), {
    state: 'warning',
    detail: /not for pdf\.bank\.example, the host of INTAGLIO_BASE_URL/,
  });
  const secure = { INTAGLIO_BASE_URL: 'https://localhost' };
  t.match(await certificate(at('long.pem', 'one.key', secure)), { state: 'ok' });
  const plain = { INTAGLIO_BASE_URL: 'http://localhost' };
  t.match(await certificate(at('long.pem', 'one.key', plain)), {
    state: 'warning',
    detail:
      /^INTAGLIO_BASE_URL begins with http:.* the port speaks HTTPS only: links .* do not work/,
    mend: /^unless a proxy in front takes plain HTTP: let INTAGLIO_BASE_URL begin with https:$/,
  });
  t.match(await certificate(environment(folder, plain)), { state: 'ok' }, 'without a certificate');
  t.match(await certificate(environment(folder, secure)), { state: 'ok' }, 'behind a proxy');
});

t.test('documents that are kept for less than a day', async (t) => {
  const hour = 3_600;
  t.match(judgeRetention(30, 0), {
    state: 'warning',
    detail:
      'documents are kept for 30 s only: one that is stored now is gone at 1970-01-01T00:00:30Z',
    mend: 'INTAGLIO_RETENTION_SECONDS is in seconds: 2592000 keeps documents for 30 days',
  });
  t.match(judgeRetention(23 * hour + 61, 0), { state: 'warning', detail: / 23 h 1 min 1 s only/ });
  t.match(judgeRetention(24 * hour, 0), { state: 'ok', detail: 'documents are kept for 1 d' });
  const env = { ...environment(t.testdir()), INTAGLIO_RETENTION_SECONDS: '600' };
  t.match(await found(env, 'retention'), { state: 'warning', detail: / 10 min only/ });
});

t.test('the time of a certificate', async (t) => {
  const day = 24 * 3_600_000;
  t.equal(judgeTimes(0, 100 * day, 50 * day), null);
  t.match(judgeTimes(0, 100 * day, 90 * day), { state: 'warning', detail: /in 10 days/ });
  t.match(judgeTimes(0, 100 * day, 99 * day), { detail: /in 1 day$/ });
  t.match(judgeTimes(0, 100 * day, 99 * day + 60_000), { detail: /in 23 hours$/ });
  t.match(judgeTimes(0, 100 * day, 100 * day - 60_000), { detail: /in less than an hour$/ });
  t.match(judgeTimes(0, 100 * day, 100 * day), { state: 'fault', detail: /expired 1970-04-11/ });
  t.match(judgeTimes(10 * day, 100 * day, 9 * day), { state: 'fault', mend: /clock/ });
});

t.test('what serve refuses, serve --check and doctor refuse, with the remedy', async (t) => {
  const folder = folderOf(t);
  const authority = makeAuthority(folder);
  for (const name of ['one', 'other']) authority.issue(name, 'localhost');
  const env = environment(folder, {
    INTAGLIO_TLS_CERT_FILE: join(folder, 'one.pem'),
    INTAGLIO_TLS_KEY_FILE: join(folder, 'other.key'),
  });
  for (const words of [['serve'], ['serve', '--check'], ['doctor']]) {
    const { code, out, err } = await intaglio(env, ...words);
    t.equal(code, 1, words.join(' '));
    t.match(out + err, /other\.key is not the key of the certificate in .*one\.pem/);
    t.match(out + err, /→ name the PEM files/, words.join(' '));
  }
  const pair = { ...env, INTAGLIO_TLS_KEY_FILE: join(folder, 'one.key') };
  const { lines } = await serve(t, { ...pair, INTAGLIO_BASE_URL: 'http://localhost' });
  t.ok(lines.some(({ msg }) => msg === 'the certificate expires soon'));
  t.ok(lines.some(({ msg }) => String(msg).startsWith('INTAGLIO_BASE_URL begins with http:')));
});

t.test('a port that another program holds', async (t) => {
  const folder = folderOf(t);
  const at = (port: number): Environment => onPort(folder, port);
  const deaf = createServer((socket) => socket.destroy());
  const fault = { state: 'fault', detail: /another program listens/, mend: /INTAGLIO_PORT/ };
  t.match(await found(at(await listen(t, deaf)), 'port'), fault);
  const foreign = createHttpServer((_request, response) => response.end('hello'));
  const foreignPort = await listen(t, foreign);
  t.match(await found(at(foreignPort), 'port'), fault);
  const taken = await intaglio(at(foreignPort), 'serve');
  t.match(taken, { code: 1, err: /INTAGLIO_PORT: another program listens on .*; end it.*\n$/ });
  if (process.platform === 'linux') {
    t.match(taken.err, new RegExp(`: process ${process.pid} \\(\\S+\\); `), 'this test');
  }
  const elsewhere = { ...at(1), INTAGLIO_HOST: '192.0.2.1' };
  t.match(await found(elsewhere, 'port'), { state: 'fault', mend: /INTAGLIO_HOST/ });
});

t.test('a port that a running Intaglio holds, of this installation or another', async (t) => {
  const folder = folderOf(t);
  const { url } = await serve(t, environment(folder));
  const port = Number(new URL(url).port);
  t.match(await found(onPort(folder, port), 'port'), {
    state: 'ok',
    detail: /a running Intaglio of this installation listens on .*restart/,
  });
  const again = await intaglio(onPort(folder, port), 'serve');
  t.match(again, {
    code: 1,
    err: /INTAGLIO_PORT: a running Intaglio of this installation listens on 127\.0\.0\.1 port \d+/,
  });
  // A database that no start has made yet, and one that a service has used.
  const other = folderOf(t);
  const theirs = { state: 'fault', mend: /^end it.*INTAGLIO_PORT/ };
  const detail = /^INTAGLIO_PORT: a running Intaglio of another installation listens on/;
  t.match(await found(onPort(other, port), 'port'), { ...theirs, detail });
  const started = await intaglio(onPort(other, port), 'serve');
  t.match(started, { code: 1, err: /a running Intaglio of another installation/ });
  for (const words of [['serve', '--check'], ['doctor']]) {
    const { code, out, err } = await intaglio(onPort(other, port), ...words);
    t.equal(code, 1, words.join(' '));
    t.match(out + err, /a running Intaglio of another installation/, words.join(' '));
  }
});

t.test('an Intaglio that does not say whose it is, or whose own database is away', async (t) => {
  const earlier = createHttpServer((_request, response) => {
    response.setHeader('x-request-id', 'f').end('{"status":"ok"}');
  });
  const port = await listen(t, earlier);
  t.match(await found(onPort(folderOf(t), port), 'port'), {
    state: 'warning',
    detail: /a running Intaglio that does not say its installation listens on/,
    mend: /^if it is not the one that this start replaces, end it/,
  });
  const folder = folderOf(t);
  const { url } = await serve(t, environment(folder));
  const away = { INTAGLIO_DATABASE_URL: 'mysql://user:hush@127.0.0.1:1/none' };
  const config = readConfig({ ...onPort(folder, Number(new URL(url).port)), ...away });
  const findings = await examineStart(config);
  t.match(
    findings.find(({ check }) => check === 'port'),
    {
      state: 'warning',
      detail: /, whether of this installation is not known, as the database cannot be used/,
    },
  );
});

t.test(
  'a service whose database has lost its id starts, and does not say whose it is',
  async (t) => {
    const folder = folderOf(t);
    t.equal((await intaglio(environment(folder), 'migrate')).code, 0);
    const rows = new DatabaseSync(join(folder, 'intaglio.db'), { timeout: 60_000 });
    rows.exec('delete from installation');
    rows.close();
    const { url } = await serve(t, environment(folder));
    t.same(await (await fetch(`${url}/healthz`)).json(), { status: 'ok', installation: '' });
  },
);

t.test('a Unix socket in a folder that is not there, or in the way of a file', async (t) => {
  // The path of a socket is short, and those of this test's folder are not.
  const folder = mkdtempSync(join(tmpdir(), 'socket-'));
  t.teardown(() => rmSync(folder, { recursive: true }));
  const at = (path: string): Environment =>
    environment(folder, { INTAGLIO_HOST: `unix:${path}`, INTAGLIO_BASE_URL: 'http://pdf' });
  t.match(await found(at(`${folder}/absent/s`), 'port'), {
    state: 'fault',
    mend: /make the folder/,
  });
  writeFileSync(join(folder, 'file'), '');
  t.match(await found(at(`${folder}/file`), 'port'), { state: 'fault', detail: /not a socket/ });
  t.match(await found(at(`${folder}/free`), 'port'), { state: 'ok' });
});

t.test('object storage: a wrong secret, no such bucket, no TLS, nobody there', async (t) => {
  const folder = folderOf(t);
  const s3 = await startFakeS3();
  t.teardown(() => s3.stop());
  const look = (url: string): Promise<Finding | undefined> =>
    found(environment(folder, { INTAGLIO_FILES_URL: url }), 'files');
  t.match(await look(s3.url), { state: 'ok' });
  t.match(await look(s3.url.replace('secret', 'sicret')), {
    state: 'fault',
    detail: /INTAGLIO_FILES_URL: .*answered 403.*the secret is wrong \(SignatureDoesNotMatch\)/,
    mend: /correct the secret, the part of INTAGLIO_FILES_URL between colon and @/,
  });
  t.match(await look(s3.url.replace('&tls=off', '')), {
    state: 'fault',
    mend: /append \?tls=off to INTAGLIO_FILES_URL/,
  });
  s3.fault = 'no such bucket';
  t.match(await look(s3.url), { state: 'fault', mend: /create the bucket/ });
  const away = 's3://key:secret@127.0.0.1:1/bucket?tls=off';
  t.match(await look(away), { state: 'fault', mend: /start the server/ });
});

t.test('files that cannot be written are not blamed on the database', async (t) => {
  const folder = folderOf(t);
  const look = (place: string): Promise<Finding | undefined> =>
    found(environment(folder, { INTAGLIO_FILES_URL: `file:${place}` }), 'files');
  writeFileSync(join(folder, 'file'), '');
  t.match(await look(`${folder}/file`), { state: 'fault', mend: /something else is in the way/ });
  t.match(await look('/proc/files'), { state: 'fault', mend: /INTAGLIO_FILES_URL/ });
  const broken = { INTAGLIO_FILES_URL: `file:${folder}/file` };
  const { code, out } = await intaglio(environment(folder, broken), 'doctor', '--json');
  const { findings } = JSON.parse(out) as { findings: readonly Finding[] };
  t.equal(code, 1);
  const blamed = findings.filter(({ state }) => /fault|warning/.test(state));
  t.strictSame(
    blamed.map(({ check }) => check).filter((name) => !MACHINE.has(name)),
    ['files'],
  );
});

t.test('files of secrets, fonts and words that cannot be read', async (t) => {
  const folder = folderOf(t);
  mkdirSync(join(folder, 'secret'));
  const wrong = environment(folder, { INTAGLIO_LINK_SECRETS_FILE: join(folder, 'secret') });
  for (const words of [['serve', '--check'], ['doctor'], ['serve']]) {
    const { code, out, err } = await intaglio(wrong, ...words);
    t.equal(code, 1, words.join(' '));
    t.match(out + err, /INTAGLIO_LINK_SECRETS_FILE is .*secret"; .*it is a folder \(EISDIR\)/);
  }
  for (const [variable, check] of [
    ['INTAGLIO_FONTS_DIR', 'fonts'],
    ['INTAGLIO_WORDS_FILE', 'words'],
    ['INTAGLIO_SIGNERS_FILE', 'signers'],
    ['INTAGLIO_ENCRYPTION_KEYS_COMMAND', 'encryption'],
  ] as const) {
    const finding = await found(environment(folder, { [variable]: `${folder}/absent` }), check);
    t.match(finding, { state: 'fault', detail: new RegExp(variable), mend: new RegExp(variable) });
  }
  const signers = { INTAGLIO_SIGNERS_FILE: `${folder}/absent` };
  t.match(await found(environment(folder, signers), 'signers'), {
    detail: `INTAGLIO_SIGNERS_FILE: cannot read ${folder}/absent: there is no such file (ENOENT)`,
  });
});

t.test('MySQL: a socket that is not there', async (t) => {
  const folder = folderOf(t);
  const given = { INTAGLIO_DATABASE_URL: `mysql://localhost/bank?socket=${folder}/none.sock` };
  t.match(await found(environment(folder, given), 'database'), {
    state: 'fault',
    detail: /there is no such socket: the server does not run/,
    mend: /^start the server, or correct \?socket= in INTAGLIO_DATABASE_URL$/,
  });
});

t.test('MySQL: a wrong password, a database that is not there, nobody there', async (t) => {
  const { server } = await startMariaDb();
  if (server === null) return t.comment('no MariaDB');
  t.teardown(() => server.stop());
  const url = await server.freshUrl();
  const root = await createConnection(url);
  await root.query("create user 'teller'@'%' identified by 'right'");
  const name = new URL(url).pathname.slice(1);
  await root.query(`grant all on ${name}.* to 'teller'@'%'`);
  await root.end();
  const folder = folderOf(t);
  const look = (login: string, database = name): Promise<Finding | undefined> => {
    const { host } = new URL(url);
    const given = { INTAGLIO_DATABASE_URL: `mysql://${login}@${host}/${database}` };
    return found(environment(folder, given), 'database');
  };
  t.match(await look('teller:right'), { state: 'ok' });
  t.match(await look('teller:hush'), {
    state: 'fault',
    detail: /user or password were refused/,
    mend: /correct user and password in INTAGLIO_DATABASE_URL/,
  });
  t.match(await look('teller:right', 'other'), {
    state: 'fault',
    mend: /grant the user all rights/,
  });
  t.match(await look('root', 'other'), { state: 'fault', mend: /create the database/ });
  const login = `mysql://teller:right@localhost:${new URL(url).port}/${name}`;
  const secured = { INTAGLIO_DATABASE_URL: `${login}?tls=require` };
  t.match(await found(environment(folder, secured), 'database'), {
    state: 'fault',
    detail: /the server does not offer TLS \(HANDSHAKE_NO_SSL_SUPPORT\)/,
    mend: /^switch TLS of the server on .* or remove tls=require from INTAGLIO_DATABASE_URL$/,
  });

  const redis = await startRedis();
  if (redis.server === null) return t.comment(redis.reason);
  t.teardown(() => redis.server?.stop());
  const queue = async (queueUrl: string): Promise<Finding | undefined> => {
    const given = { INTAGLIO_DATABASE_URL: url, INTAGLIO_QUEUE_URL: queueUrl };
    return found(environment(folder, given), 'queue of runs');
  };
  t.match(await queue(redis.server.url), { state: /ok|warning/ });
  const wrong = redis.server.url.replace('redis://', 'redis://nobody:hush@');
  t.match(await queue(wrong), {
    state: 'warning',
    detail: /INTAGLIO_QUEUE_URL.*WRONGPASS/,
    mend: /correct user and password in INTAGLIO_QUEUE_URL/,
  });
});

t.test('sign-in: a wrong secret, another issuer, nobody there', async (t) => {
  const folder = folderOf(t);
  let issuer = '';
  const provider: RequestListener = (request, response) => {
    response.setHeader('content-type', 'application/json');
    if (request.url === '/.well-known/openid-configuration') {
      const token = { token_endpoint: `${issuer}/token`, jwks_uri: `${issuer}/keys` };
      const authorization = { authorization_endpoint: `${issuer}/authorize` };
      response.end(JSON.stringify({ issuer, ...authorization, ...token }));
      return;
    }
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      const isKnown = new URLSearchParams(Buffer.concat(parts).toString()).get('client_secret');
      const error = isKnown === 'right' ? 'invalid_grant' : 'invalid_client';
      response.writeHead(error === 'invalid_grant' ? 400 : 401).end(JSON.stringify({ error }));
    });
  };
  const port = await listen(t, createHttpServer(provider));
  issuer = `http://127.0.0.1:${port}`;
  const look = (url: string, secret: string): Promise<Finding | undefined> => {
    const given = {
      INTAGLIO_OIDC_ISSUER: url,
      INTAGLIO_OIDC_CLIENT_ID: 'intaglio',
      INTAGLIO_OIDC_CLIENT_SECRET: secret,
    };
    return found(environment(folder, given), 'sign-in');
  };
  t.match(await look(issuer, 'right'), { state: 'ok' });
  t.match(await look(issuer, 'wrong'), {
    state: 'warning',
    detail: /INTAGLIO_OIDC_CLIENT_SECRET: .* refuses this service \(401\)/,
    mend: /INTAGLIO_OIDC_CLIENT_ID and INTAGLIO_OIDC_CLIENT_SECRET/,
  });
  t.match(await look('http://127.0.0.1:1', 'right'), { state: 'warning', detail: /be reached/ });
  const other = await look(`${issuer}/realms/other`, 'right');
  t.match(other, { state: 'warning', mend: /INTAGLIO_OIDC_ISSUER/ });
});

t.test('the room on a disk, with the bound that is meant', async (t) => {
  const gigabyte = 1_073_741_824;
  const judge = (free: number, total: number) =>
    judgeSpace([{ path: '/data', free: free * gigabyte, total: total * gigabyte }]);
  t.match(judge(50, 100), { state: 'ok' });
  t.match(judge(9, 100), { state: 'warning', detail: /less than 10 % of the disk, or 1 GB/ });
  const mend =
    /or enlarge it; a shorter INTAGLIO_RETENTION_SECONDS frees nothing of what is stored/;
  t.match(judge(9, 100), { mend });
  t.match(judge(0.05, 100), { state: 'fault', mend });
});
