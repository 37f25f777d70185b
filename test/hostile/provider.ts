import { createSign, generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { parentPort } from 'node:worker_threads';

/**
 * A small OpenID Connect provider and its users, in a separate thread, so that they do not use the
 * gateway's thread. It first sends its issuer. For each message it signs the subjects in and out
 * again, all at once, and sends the statuses. A code is `<nonce>.<subject>`.
 */

interface Logins {
  /** Address of the service. */
  readonly url: string;
  readonly subjects: readonly string[];
}

const SECONDS = 1_000;
const TOKEN_SECONDS = 60;
const CLIENT = 'intaglio';
const HEADER = { alg: 'RS256', kid: 'one' };

const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 });

function encoded(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}

function idToken(code: string): string {
  const [nonce = '', sub = ''] = code.split('.');
  const iat = Math.floor(Date.now() / SECONDS);
  const times = { iat, exp: iat + TOKEN_SECONDS };
  const claims = { iss: issuer(), aud: CLIENT, sub, nonce, team: 'bank', roles: 'Admin', ...times };
  const signed = `${encoded(HEADER)}.${encoded(claims)}`;
  const signature = createSign('RSA-SHA256').update(signed).sign(privateKey, 'base64url');
  return `${signed}.${signature}`;
}

async function codeOf(request: IncomingMessage): Promise<string> {
  let body = '';
  for await (const chunk of request) body += String(chunk);
  return new URLSearchParams(body).get('code') ?? '';
}

async function answer(request: IncomingMessage): Promise<object> {
  if (request.url === '/keys') {
    return { keys: [{ ...publicKey.export({ format: 'jwk' }), ...HEADER, use: 'sig' }] };
  }
  if (request.url === '/token') {
    const id_token = idToken(await codeOf(request));
    return { access_token: 'a', token_type: 'Bearer', id_token };
  }
  return {
    issuer: issuer(),
    authorization_endpoint: `${issuer()}/authorize`,
    token_endpoint: `${issuer()}/token`,
    jwks_uri: `${issuer()}/keys`,
    response_types_supported: ['code'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: ['RS256'],
  };
}

/** The cookies that a response sets, as a request sends them. */
function cookiesOf(response: Response): string {
  return response.headers
    .getSetCookie()
    .map((line) => line.split(';', 1)[0])
    .join('; ');
}

async function signInAndOut(url: string, subject: string): Promise<readonly number[]> {
  const begun = await fetch(`${url}/auth/login`, { redirect: 'manual' });
  const asked = new URL(begun.headers.get('location') ?? '').searchParams;
  const query = new URLSearchParams({
    code: `${asked.get('nonce')}.${subject}`,
    state: asked.get('state') ?? '',
  });
  const headers = { cookie: cookiesOf(begun) };
  const done = await fetch(`${url}/auth/callback?${query.toString()}`, {
    headers,
    redirect: 'manual',
  });
  const out = await fetch(`${url}/auth/logout`, {
    method: 'POST',
    headers: { cookie: cookiesOf(done), origin: url, 'content-type': 'application/json' },
    body: '{}',
  });
  return [begun.status, done.status, out.status];
}

async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const reply = await answer(request);
  response.setHeader('content-type', 'application/json');
  response.end(JSON.stringify(reply));
}

function issuer(): string {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return `http://127.0.0.1:${address.port}`;
}

async function signAllInAndOut({ url, subjects }: Logins): Promise<void> {
  const statuses = await Promise.all(subjects.map((subject) => signInAndOut(url, subject)));
  parentPort?.postMessage(statuses.flat());
}

const server = createServer((request, response) => void respond(request, response));
server.listen(0, '127.0.0.1');
await once(server, 'listening');
parentPort?.on('message', (logins: Logins) => void signAllInAndOut(logins));
parentPort?.postMessage(issuer());
