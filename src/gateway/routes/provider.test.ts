import { createPublicKey, generateKeyPairSync, sign, type KeyObject } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import t, { type Test } from 'tap';

import { startTestService, type TestService } from '../../../lab/service/gateway.ts';

/** What a sign-in makes of an identity provider that answers wrongly, slowly or without end. */

const CLIENT_ID = 'intaglio';
const OIDC = {
  clientId: CLIENT_ID,
  clientSecret: (): string => 'a secret between the two of them',
  teamClaim: 'team',
  roleClaim: 'roles',
};

const OWN = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey;
const FOREIGN = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey;
const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');

interface Scene {
  readonly service: TestService;
  readonly issuer: string;
  /** Answers POST /token; the default is a whole, signed answer. */
  answer: (response: ServerResponse, nonce: string) => void;
  /** Requests to the token endpoint. */
  asked: number;
}

interface TokenChanges {
  readonly claims?: object;
  readonly header?: object;
  readonly key?: KeyObject;
  readonly signature?: string;
}

function idToken(issuer: string, nonce: string, changes: TokenChanges = {}): string {
  const nowSeconds = Math.floor(Date.now() / 1000);
  const times = { iat: nowSeconds, exp: nowSeconds + 60 };
  const head = encode({ alg: 'RS256', kid: 'own', ...changes.header });
  const identity = { iss: issuer, aud: CLIENT_ID, sub: 'somchai', team: 'bank', roles: 'Admin' };
  const claims = encode({ ...identity, ...times, nonce, ...changes.claims });
  const signature = sign('sha256', Buffer.from(`${head}.${claims}`), changes.key ?? OWN);
  return `${head}.${claims}.${changes.signature ?? signature.toString('base64url')}`;
}

function json(response: ServerResponse, status: number, value: object, headers = {}): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(JSON.stringify(value));
}

const tokens = (response: ServerResponse, token: string): void =>
  json(response, 200, { access_token: 'x', token_type: 'Bearer', id_token: token });

async function startScene(t: Test): Promise<Scene> {
  const jwk = createPublicKey(OWN).export({ format: 'jwk' });
  const server = createServer((request, response) => {
    const { issuer } = scene;
    if (request.url?.startsWith('/.well-known/') === true) {
      return json(response, 200, {
        issuer,
        authorization_endpoint: `${issuer}/authorize`,
        token_endpoint: `${issuer}/token`,
        jwks_uri: `${issuer}/keys`,
        response_types_supported: ['code'],
        id_token_signing_alg_values_supported: ['RS256'],
      });
    }
    if (request.url === '/keys') {
      return json(response, 200, { keys: [{ ...jwk, kid: 'own', alg: 'RS256', use: 'sig' }] });
    }
    let body = '';
    request.on('data', (piece: Buffer) => (body += piece.toString()));
    request.on('end', () => {
      scene.asked += 1;
      // The tests send the nonce as the code.
      scene.answer(response, new URLSearchParams(body).get('code') ?? '');
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const issuer = `http://127.0.0.1:${port}`;
  const service = await startTestService(t, { options: { oidc: { issuer, ...OIDC } } });
  const scene: Scene = {
    service,
    issuer,
    answer: (response, nonce) => tokens(response, idToken(issuer, nonce)),
    asked: 0,
  };
  return scene;
}

interface Begun {
  readonly cookie: string;
  readonly callback: string;
}

async function begin({ service }: Scene): Promise<Begun> {
  const response = await fetch(`${service.url}/auth/login?return_to=/docs`, { redirect: 'manual' });
  const { searchParams } = new URL(response.headers.get('location') ?? '');
  const [cookie = ''] = (response.headers.getSetCookie()[0] ?? '').split(';');
  const query = `code=${searchParams.get('nonce')}&state=${searchParams.get('state')}`;
  return { cookie, callback: `${service.url}/auth/callback?${query}` };
}

const finish = ({ cookie, callback }: Begun): Promise<Response> =>
  fetch(callback, { headers: { cookie }, redirect: 'manual' });

const signIn = async (scene: Scene): Promise<Response> => finish(await begin(scene));

t.test('only an ID token that the provider signed for this client signs in', async (t) => {
  const scene = await startScene(t);
  const withToken = async (changes: TokenChanges): Promise<number> => {
    scene.answer = (response, nonce) => tokens(response, idToken(scene.issuer, nonce, changes));
    return (await signIn(scene)).status;
  };
  t.equal(await withToken({}), 302, 'the provider’s own');
  t.equal(await withToken({ claims: { azp: CLIENT_ID } }), 302, 'with the authorised party');
  t.equal(await withToken({ key: FOREIGN }), 401, 'another key');
  t.equal(await withToken({ signature: '' }), 401, 'an empty signature');
  t.equal(await withToken({ signature: 'AAAA' }), 401, 'rubbish');
  t.equal(await withToken({ header: { kid: 'other' }, key: FOREIGN }), 401, 'an unknown key');
  t.equal(await withToken({ header: { alg: 'none' }, signature: '' }), 401, 'no algorithm');
  const azp = { aud: [CLIENT_ID, 'other'], azp: 'other' };
  t.equal(await withToken({ claims: azp }), 401, 'another authorised party');
  t.equal(await withToken({ claims: { azp: 'other' } }), 401, 'the same with one audience');
});

t.test('a fault of the provider is 503, and the log names it', async (t) => {
  const scene = await startScene(t);
  const challenge = { 'www-authenticate': 'Basic realm="provider"' };
  const faults: readonly [string, (response: ServerResponse) => void, RegExp][] = [
    [
      'a changed client secret',
      (response) => json(response, 401, { error: 'invalid_client' }, challenge),
      /"fault":"client refused","status":401/,
    ],
    [
      'the same without a challenge',
      (response) => json(response, 400, { error: 'invalid_client' }),
      /"fault":"client refused","status":400/,
    ],
    [
      'an error of the server',
      (response) => response.writeHead(500).end('no'),
      /"fault":"not an answer","status":500/,
    ],
    [
      'a page of a proxy',
      (response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<html>'),
      /"fault":"not an answer","status":200/,
    ],
    [
      'a cut answer',
      (response) => {
        response.writeHead(200, { 'content-type': 'application/json', 'content-length': 999 });
        response.write('{"access_', () => response.destroy());
      },
      /"fault":"unreachable"/,
    ],
  ];
  for (const [name, answer, line] of faults) {
    scene.answer = answer;
    scene.service.logged.length = 0;
    const response = await signIn(scene);
    t.equal(response.status, 503, name);
    t.match(scene.service.logged.join(''), line, name);
  }
  scene.answer = (response) => json(response, 400, { error: 'invalid_grant' });
  t.equal((await signIn(scene)).status, 401, 'a code that is not valid is no fault');
});

t.test('an endless answer ends at the bound', async (t) => {
  const scene = await startScene(t);
  let sentBytes = 0;
  scene.answer = (response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    const piece = Buffer.alloc(64 * 1024, ' ');
    const more = (): void => {
      if (response.destroyed) return;
      sentBytes += piece.length;
      response.write(piece, more);
    };
    more();
  };
  t.equal((await signIn(scene)).status, 503);
  t.match(scene.service.logged.join(''), '"fault":"too large"');
  t.ok(sentBytes < 16 * 1024 * 1024, `${sentBytes} bytes were sent`);
});

t.test('a cookie serves for one way back, and few ask the provider at once', async (t) => {
  const scene = await startScene(t);
  const begun = await begin(scene);
  t.equal((await finish(begun)).status, 302);
  t.equal((await finish(begun)).status, 401);
  t.equal(scene.asked, 1, 'the provider is not asked again');

  const held: ServerResponse[] = [];
  scene.answer = (response) => void held.push(response);
  const many = await Promise.all(Array.from({ length: 24 }, () => begin(scene)));
  const finishing = many.map(finish);
  const first = await Promise.race(finishing);
  t.equal(first.status, 503, 'others are refused at once');
  t.ok(scene.asked <= 17, `${scene.asked - 1} questions at once`);
  for (const response of held) response.destroy();
  await Promise.all(finishing);
});

t.test('sign-ins are counted by address', async (t) => {
  const scene = await startScene(t);
  const statuses: number[] = [];
  for (let call = 0; call < 70; call += 1) {
    const response = await fetch(`${scene.service.url}/auth/login`, { redirect: 'manual' });
    statuses.push(response.status);
  }
  t.equal(statuses.filter((status) => status === 302).length, 60);
  t.equal(statuses.filter((status) => status === 429).length, 10);
});

t.test('a sign-in never brings back who was deactivated meanwhile', async (t) => {
  const scene = await startScene(t);
  const { users } = scene.service.store;
  await users.add({ userId: 'somchai', teamId: 'bank', role: 'Viewer' });
  const find = users.find.bind(users);
  t.intercept(users, 'find', {
    value: async (userId: string) => {
      const found = await find(userId);
      // The nightly list arrives between the look-up and the change of the role.
      if (found?.active === true) {
        await users.sync({ teams: [], users: [{ ...found, active: false }], full: false });
      }
      return found;
    },
  });
  t.equal((await signIn(scene)).status, 403);
  t.match(await find('somchai'), { active: false, role: 'Viewer' });
});

t.test('who the provider no longer admits is signed out everywhere', async (t) => {
  const scene = await startScene(t);
  const { sessions } = scene.service.store;
  t.equal((await signIn(scene)).status, 302);
  const other = await sessions.add('somchai', Date.now() + 60_000);
  if (!other.ok) throw new Error(other.message);
  t.ok(await sessions.find(other.value.token, Date.now()));
  scene.answer = (response, nonce) =>
    tokens(response, idToken(scene.issuer, nonce, { claims: { roles: [] } }));
  t.equal((await signIn(scene)).status, 403);
  t.equal(await sessions.find(other.value.token, Date.now()), null);
});
