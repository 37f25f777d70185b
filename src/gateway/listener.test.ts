import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { type AgentOptions, Agent, request } from 'node:https';
import { request as plainRequest } from 'node:http';
import { createServer } from 'node:net';
import { text } from 'node:stream/consumers';
import { join } from 'node:path';
import { connect, type PeerCertificate, type TLSSocket } from 'node:tls';
import t, { type Test } from 'tap';

import { noPool, startTestService, type TestService } from '../../lab/service/gateway.ts';
import { Authority } from '../../test/sign/authority.ts';
import { temporaryFolder } from '../../test/store/dialects.ts';
import { until } from '../../test/instances/pair.ts';
import type { Readiness } from '../api/health.ts';
import { ListenError } from './http/http-server.ts';
import { clearSocket } from './http/unix-socket.ts';
import type { GatewayOptions } from './types.ts';

const EC = ['ec', '-pkeyopt', 'ec_paramgen_curve:P-256'];
const LOOK_MS = 50;
const CERTIFICATES = 5;

const parts = { pool: noPool };

async function start(t: Test, options: Partial<GatewayOptions>): Promise<TestService> {
  return startTestService(t, { options, parts });
}

/** Two certificates of an authority; the service uses the first. */
async function certificates(t: Test): Promise<{
  readonly authority: Authority;
  readonly tls: { certFile: string; keyFile: string; lookMs: number };
  readonly use: (name: string) => void;
}> {
  const authority = new Authority(await temporaryFolder(t));
  const names = 'subjectAltName=IP:127.0.0.1,DNS:localhost';
  for (const name of ['first', 'second']) authority.issue(name, EC, names);
  const tls = {
    certFile: authority.path('used.pem'),
    keyFile: authority.path('used.key'),
    lookMs: LOOK_MS,
  };
  // Replaces one file after the other atomically, as a certificate manager does.
  const use = (name: string): void => {
    for (const [from, to] of [
      [`${name}.key`, tls.keyFile],
      [`${name}.chain.pem`, tls.certFile],
    ] as const) {
      copyFileSync(authority.path(from), `${to}.new`);
      renameSync(`${to}.new`, to);
    }
  };
  use('first');
  return { authority, tls, use };
}

interface Answer {
  readonly status: number;
  /** The name in the certificate that the service presented. */
  readonly subject: string;
}

/** Calls /healthz; opens a new connection unless `agent` keeps one. */
async function get(url: string, agent: Agent): Promise<Answer> {
  const sent = request(`${url}/healthz`, { agent });
  sent.end();
  const [response] = (await once(sent, 'response')) as [import('node:http').IncomingMessage];
  // The agent of https uses only TLS sockets.
  const certificate: Partial<PeerCertificate> = (response.socket as TLSSocket).getPeerCertificate();
  response.resume();
  await once(response, 'end');
  // A resumed session has no certificate.
  return { status: response.statusCode ?? 0, subject: String(certificate.subject?.CN ?? '') };
}

/** The reply of /readyz. */
async function ready(url: string, agent: Agent): Promise<Readiness> {
  const sent = request(`${url}/readyz`, { agent });
  sent.end();
  const [response] = (await once(sent, 'response')) as [import('node:http').IncomingMessage];
  // The reply is that of the route, which the compiler compares with its type.
  return JSON.parse(await text(response)) as Readiness;
}

t.test('a new certificate is used without a failed request', async (t) => {
  const { authority, tls, use } = await certificates(t);
  const { gateway, logged } = await start(t, { tls });
  t.match(gateway.url, /^https:\/\/127\.0\.0\.1:\d+$/);
  const ca: AgentOptions = { ca: authority.read('ca.pem') };
  const agents = [
    new Agent({ ...ca, maxCachedSessions: 0 }),
    new Agent({ ...ca, keepAlive: true, maxSockets: 1 }),
    // This agent resumes TLS sessions, also those of an old certificate.
    new Agent(ca),
  ];
  t.teardown(() => agents.forEach((agent) => agent.destroy()));
  const load = { isOver: false };
  const failures: string[] = [];
  const subjects: string[][] = [[], [], []];
  const caller = async (kind: number): Promise<void> => {
    while (!load.isOver) {
      try {
        const { status, subject } = await get(gateway.url, agents[kind] ?? new Agent(ca));
        if (status !== 200) failures.push(String(status));
        subjects[kind]?.push(subject);
      } catch (error) {
        failures.push(String(error));
      }
    }
  };
  const callers = [caller(0), caller(0), caller(1), caller(2), caller(2)];
  const last = (kind: number): string | undefined => subjects[kind]?.at(-1);
  await until(() => Promise.resolve(last(0) === 'first' && last(1) === 'first'), 60_000);
  for (let count = 0; count < CERTIFICATES; count += 1) {
    const name = count % 2 === 0 ? 'second' : 'first';
    use(name);
    await until(() => Promise.resolve(last(0) === name), 60_000);
  }
  load.isOver = true;
  await Promise.all(callers);
  t.strictSame(failures, []);
  t.strictSame(
    new Set(subjects[1]),
    new Set(['first']),
    'an open connection keeps its certificate',
  );
  const renewals = logged.filter((line) => line.includes('certificate renewed'));
  t.equal(renewals.length, CERTIFICATES);
  const faults = logged.filter((line) => line.includes('new certificate not used'));
  t.strictSame(faults, [], 'key and certificate are replaced together');
});

t.test('when a new certificate cannot be used, the old one stays', async (t) => {
  const { authority, tls, use } = await certificates(t);
  const { gateway, logged } = await start(t, { tls });
  const agent = new Agent({ ca: authority.read('ca.pem'), maxCachedSessions: 0 });
  const isRefused = (reason: string) => (): Promise<boolean> =>
    Promise.resolve(logged.some((line) => line.includes(reason)));
  copyFileSync(authority.path('second.pem'), tls.certFile);
  await until(isRefused('is not the key of the certificate'), 60_000);
  t.strictSame(await get(gateway.url, agent), { status: 200, subject: 'first' });
  writeFileSync(tls.certFile, 'no certificate');
  await until(isRefused('holds no certificate'), 60_000);
  t.strictSame(await get(gateway.url, agent), { status: 200, subject: 'first' });
  t.match((await ready(gateway.url, agent)).warnings, [/the new certificate is not used/]);
  // A key that cannot be read: permissions would not stop these tests when root runs them.
  rmSync(tls.keyFile);
  copyFileSync(authority.path('second.pem'), tls.certFile);
  mkdirSync(tls.keyFile);
  await until(isRefused('used.key cannot be read (EISDIR)'), 60_000);
  rmdirSync(tls.keyFile);
  use('second');
  await until(async () => (await get(gateway.url, agent)).subject === 'second', 60_000);
  t.equal((await ready(gateway.url, agent)).warnings, undefined, 'the warning is gone');
  const reasons = logged.filter((line) => line.includes('new certificate not used'));
  t.equal(reasons.length, new Set(reasons.map((line) => /"reason":"[^"]+"/.exec(line)?.[0])).size);
  const { validTo } = new X509Certificate(authority.read('second.pem'));
  const told = `intaglio_certificate_expiry_timestamp_seconds{certificate="tls"} ${Date.parse(validTo) / 1_000}\n`;
  t.ok((await gateway.exposition()).includes(told), 'the metric follows');
  t.notMatch(logged.join(''), /BEGIN|no certificate"/, 'nothing of the files is logged');
  await t.rejects(start(t, { tls: { ...tls, keyFile: authority.path('none') } }), ListenError);
});

t.test('TLS 1.2 is the oldest version', async (t) => {
  const { authority, tls } = await certificates(t);
  const { gateway } = await start(t, { tls });
  const port = Number(new URL(gateway.url).port);
  const versionOf = async (version: 'TLSv1.1' | 'TLSv1.2' | 'TLSv1.3'): Promise<string> => {
    const socket = connect({
      host: '127.0.0.1',
      port,
      ca: authority.read('ca.pem'),
      minVersion: version,
      maxVersion: version,
      // OpenSSL offers TLS 1.1 only at this level.
      ciphers: 'DEFAULT@SECLEVEL=0',
    });
    try {
      await once(socket, 'secureConnect');
      return socket.getProtocol() ?? '';
    } catch (error) {
      return error instanceof Error && 'code' in error ? String(error.code) : '';
    } finally {
      socket.destroy();
    }
  };
  t.equal(await versionOf('TLSv1.3'), 'TLSv1.3');
  t.equal(await versionOf('TLSv1.2'), 'TLSv1.2');
  t.equal(await versionOf('TLSv1.1'), 'ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION');
});

/** Calls by a Unix socket; returns the status. */
async function callUnix(path: string, headers: Record<string, string> = {}): Promise<number> {
  const sent = plainRequest({ socketPath: path, path: '/v1/documents/x', headers });
  sent.end();
  const [response] = (await once(sent, 'response')) as [import('node:http').IncomingMessage];
  response.resume();
  return response.statusCode ?? 0;
}

t.test('a Unix socket has its permissions from the start and is removed at the end', async (t) => {
  const path = join(await temporaryFolder(t), 'service');
  const options = { host: `unix:${path}`, socketMode: 0o600, baseUrl: 'https://in.example/' };
  const service = await start(t, { ...options, trustedProxies: ['unix'] });
  t.equal(service.url, 'https://in.example');
  t.equal(statSync(path).mode & 0o777, 0o600);
  t.equal(await callUnix(path, { 'x-forwarded-for': '203.0.113.9' }), 401);
  t.match(service.logged.join(''), '"client":"203.0.113.9"');
  await t.rejects(start(t, options), /another process listens there/);
  t.equal(await callUnix(path), 401, 'the first service goes on');
  await service.gateway.close(0);
  t.notOk(existsSync(path));
});

t.test('a stale socket is replaced, any other file is left alone', async (t) => {
  const path = join(await temporaryFolder(t), 'service');
  writeFileSync(path, 'a file');
  await t.rejects(clearSocket(path), /a file that is not a socket/);
  const stale = join(await temporaryFolder(t), 'stale');
  const dead = createServer();
  dead.listen(stale);
  await once(dead, 'listening');
  // Imitates a killed process, which leaves its socket; a closed server would remove it.
  renameSync(stale, `${stale}.kept`);
  dead.close();
  await once(dead, 'close');
  renameSync(`${stale}.kept`, stale);
  await start(t, { host: `unix:${stale}`, baseUrl: 'http://in.example' });
  t.equal(await callUnix(stale), 401);
});

t.test('IPv6, and both families at one address', async (t) => {
  for (const [host, names] of [
    ['::1', ['[::1]']],
    ['::', ['[::1]', '127.0.0.1']],
  ] as const) {
    const { gateway, logged } = await start(t, { host });
    const { port } = new URL(gateway.url);
    t.equal(gateway.url, `http://[${host}]:${port}`);
    for (const name of names) {
      t.equal((await fetch(`http://${name}:${port}/v1/documents/x`)).status, 401, name);
      const client = name.replaceAll(/[[\]]/g, '');
      t.match(logged.join(''), `"client":"${client}"`);
    }
  }
});

t.test('a trusted proxy passes on the client and its scheme', async (t) => {
  const forwarded = { 'x-forwarded-for': '203.0.113.9', 'x-forwarded-proto': 'https' };
  for (const [trustedProxies, client, secure] of [
    [['127.0.0.0/8'], '203.0.113.9', true],
    [['10.0.0.0/8'], '127.0.0.1', false],
  ] as const) {
    const { url, session, logged } = await start(t, { trustedProxies });
    const cookie = await session('bank', 'Viewer');
    const headers = {
      ...forwarded,
      'content-type': 'application/json',
      // Over HTTPS the browser has a cookie that no other host could plant.
      cookie: secure ? `__Host-${cookie}` : cookie,
    };
    const ended = await fetch(`${url}/auth/logout`, { method: 'POST', headers, body: '{}' });
    t.equal(ended.status, 204);
    t.equal(ended.headers.get('set-cookie')?.includes('; Secure') ?? null, secure);
    t.match(logged.join(''), `"client":"${client}"`);
  }
});
