import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import { Provider } from 'oidc-provider';
import type { Test } from 'tap';
import t from 'tap';
import { noPool, startTestService } from '../../../lab/service/gateway.ts';
import type { TestService } from '../../../lab/service/gateway.ts';

const SECRET = 'a secret between the two of them';
const CLIENT = { clientId: 'intaglio', clientSecret: (): string => SECRET };
const CLAIMS = { teamClaim: 'team', roleClaim: 'roles' };

interface Scene {
  readonly service: TestService;
  readonly issuer: string;
  /** The account that logs in at the provider, with its claims. */
  account: { id: string; claims: Record<string, unknown> };
}

/** A real OpenID Connect provider that logs in the test's account without interaction. */
async function startScene(
  t: Test,
  claims = CLAIMS,
  client = CLIENT,
  studioFolder: string | null = null,
): Promise<Scene> {
  let listener: ((req: IncomingMessage, res: ServerResponse) => void) | null = null;
  const server = createServer((req, res) => listener?.(req, res));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => server.close());
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const issuer = `http://127.0.0.1:${port}`;
  const service = await startTestService(t, {
    options: { oidc: { issuer, ...client, ...claims }, studioFolder },
  });
  const scene: Scene = { service, issuer, account: { id: 'somchai', claims: {} } };
  const provider = new Provider(issuer, {
    clients: [
      {
        client_id: CLIENT.clientId,
        client_secret: SECRET,
        redirect_uris: [`${service.url}/auth/callback`],
      },
    ],
    claims: { openid: ['sub'], profile: ['name', 'team', 'roles'], email: ['email'] },
    cookies: { keys: ['only for this test'] },
    features: { devInteractions: { enabled: false } },
    interactions: { url: (_ctx, interaction) => `/interaction/${interaction.uid}` },
    findAccount: (_ctx, id) => ({
      accountId: id,
      claims: () => Promise.resolve({ sub: id, ...scene.account.claims }),
    }),
    loadExistingGrant: async (ctx) => {
      const accountId = ctx.oidc.session?.accountId ?? '';
      const grant = new ctx.oidc.provider.Grant({ clientId: CLIENT.clientId, accountId });
      grant.addOIDCScope('openid profile email');
      await grant.save();
      return grant;
    },
  });
  const answer = provider.callback();
  listener = (req, res) => {
    if (req.url?.startsWith('/interaction/') !== true) return void answer(req, res);
    void provider.interactionFinished(req, res, { login: { accountId: scene.account.id } });
  };
  return scene;
}

/** A browser that keeps cookies and follows redirects one by one. */
class Browser {
  readonly cookies = new Map<string, string>();
  visited: string[] = [];
  readonly #accept: string;

  constructor(accept = '*/*') {
    this.#accept = accept;
  }

  async go(address: string): Promise<Response> {
    let url = address;
    for (let hop = 0; hop < 12; hop += 1) {
      this.visited.push(url);
      const response = await this.fetch(url);
      const location = response.headers.get('location');
      if (response.status < 300 || response.status > 399 || location === null) return response;
      url = new URL(location, url).href;
    }
    throw new Error('too many redirects');
  }

  async fetch(
    url: string,
    init: { method?: string; headers?: object; body?: string } = {},
  ): Promise<Response> {
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const headers = { accept: this.#accept, ...init.headers, cookie };
    const response = await fetch(url, { ...init, headers, redirect: 'manual' });
    for (const line of response.headers.getSetCookie()) {
      const [pair = ''] = line.split(';');
      const cut = pair.indexOf('=');
      this.cookies.set(pair.slice(0, cut), pair.slice(cut + 1));
    }
    return response;
  }
}

t.test('a login opens a session, and a logout ends it', async (t) => {
  const scene = await startScene(t);
  const { service } = scene;
  scene.account.claims = { team: 'bank', roles: ['Viewer', 'Editor'], name: 'สมชาย' };
  await service.publish('bank', 'receipt');
  const browser = new Browser();
  browser.cookies.set('intaglio_session', 'planted');
  const page = await browser.go(`${service.url}/auth/login?return_to=/docs`);
  t.equal(page.status, 200);
  t.match(await page.text(), /POST \/v1\/generate/);
  t.not(browser.cookies.get('intaglio_session'), 'planted');
  t.match(await service.store.users.find('somchai'), {
    teamId: 'bank',
    role: 'Editor',
    displayName: 'สมชาย',
  });
  const fields = `${service.url}/v1/templates/receipt/fields`;
  t.equal((await browser.fetch(fields)).status, 200);
  const headers = { 'content-type': 'application/json', origin: service.url };
  const logout = { method: 'POST', headers, body: '{}' };
  const ended = await browser.fetch(`${service.url}/auth/logout`, logout);
  t.equal(ended.status, 204);
  t.equal(ended.headers.get('content-length'), null, 'RFC 9110 §8.6');
  t.equal(browser.cookies.get('intaglio_session'), '');
  t.equal((await browser.fetch(fields)).status, 401);
});

t.test('a login succeeds when another one has added the user meanwhile', async (t) => {
  const scene = await startScene(t);
  const { users } = scene.service.store;
  const find = users.find.bind(users);
  let isFirst = true;
  t.intercept(users, 'find', {
    value: async (userId: string) => {
      const found = await find(userId);
      if (isFirst) await users.add({ userId, teamId: 'bank', role: 'Viewer' });
      isFirst = false;
      return found;
    },
  });
  scene.account.claims = { team: 'bank', roles: 'Viewer' };
  const login = `${scene.service.url}/auth/login?return_to=/docs`;
  t.equal((await new Browser().go(login)).status, 200);
});

t.test('a client secret that changes is used for the next login', async (t) => {
  const secrets = { now: 'not the secret that the provider knows' };
  const scene = await startScene(t, CLAIMS, { ...CLIENT, clientSecret: () => secrets.now });
  scene.account.claims = { team: 'bank', roles: 'Viewer' };
  const login = `${scene.service.url}/auth/login?return_to=/docs`;
  t.equal((await new Browser().go(login)).status, 503);
  secrets.now = SECRET;
  t.equal((await new Browser().go(login)).status, 200);
});

t.test('claims move a user; a user that was deactivated stays out', async (t) => {
  const scene = await startScene(t);
  const { service } = scene;
  scene.account.claims = { team: 'bank', roles: 'Viewer' };
  t.equal((await new Browser().go(`${service.url}/auth/login`)).status, 200);
  scene.account.claims = { team: 'rival', roles: 'Admin' };
  t.equal((await new Browser().go(`${service.url}/auth/login`)).status, 200);
  t.match(await service.store.users.find('somchai'), { teamId: 'rival', role: 'Admin' });
  await service.store.users.sync({
    teams: [],
    users: [
      {
        userId: 'somchai',
        teamId: 'rival',
        role: 'Admin',
        displayName: '',
        email: '',
        active: false,
      },
    ],
    full: false,
  });
  const refused = await new Browser().go(`${service.url}/auth/login`);
  t.equal(refused.status, 403);
});

t.test('users without team and role, or of an unknown team, are refused', async (t) => {
  const scene = await startScene(t);
  const login = `${scene.service.url}/auth/login`;
  for (const claims of [
    {},
    { team: 'bank' },
    { team: 'bank', roles: ['King'] },
    { roles: 'Admin' },
  ]) {
    scene.account.claims = claims;
    t.equal((await new Browser().go(login)).status, 403, JSON.stringify(claims));
  }
  scene.account.claims = { team: 'nowhere', roles: 'Admin' };
  t.equal((await new Browser().go(login)).status, 403);
});

t.test('without configured claims only synchronised users are admitted', async (t) => {
  const scene = await startScene(t, { teamClaim: '', roleClaim: '' });
  const login = `${scene.service.url}/auth/login`;
  t.equal((await new Browser().go(login)).status, 403);
  await scene.service.store.users.add({ userId: 'somchai', teamId: 'bank', role: 'Editor' });
  t.equal((await new Browser().go(login)).status, 200);
});

t.test('a foreign or replayed callback logs nobody in', async (t) => {
  const scene = await startScene(t);
  const { service } = scene;
  scene.account.claims = { team: 'bank', roles: ['Editor'] };
  const bare = await fetch(`${service.url}/auth/callback?code=x&state=y`);
  t.equal(bare.status, 401);
  const browser = new Browser();
  await browser.fetch(`${service.url}/auth/login`);
  const forged = await browser.fetch(`${service.url}/auth/callback?code=x&state=forged`);
  t.equal(forged.status, 401);
  const honest = new Browser();
  const first = await honest.fetch(`${service.url}/auth/login`);
  const pending = honest.cookies.get('intaglio_login') ?? '';
  await honest.go(first.headers.get('location') ?? '');
  const callback = honest.visited.find((url) => url.includes('/auth/callback')) ?? '';
  const thief = new Browser();
  thief.cookies.set('intaglio_login', pending);
  t.equal((await thief.fetch(callback)).status, 401, 'a code works once');
});

t.test('the login redirects only to this service', async (t) => {
  const scene = await startScene(t);
  scene.account.claims = { team: 'bank', roles: ['Editor'] };
  for (const target of ['//evil.example/', 'https://evil.example/', '/\\evil.example', 'docs']) {
    const browser = new Browser();
    await browser.go(`${scene.service.url}/auth/login?return_to=${encodeURIComponent(target)}`);
    t.equal(browser.visited.at(-1), `${scene.service.url}/docs`, target);
  }
  const browser = new Browser();
  const document = '/docs?template=receipt&from=2026-11-01T00%3A00%3A00Z';
  await browser.go(`${scene.service.url}/auth/login?return_to=${encodeURIComponent(document)}`);
  t.equal(browser.visited.at(-1), scene.service.url + document, 'with its query');
});

t.test('an unreachable provider gives 503, and is used when it is back', async (t) => {
  const oidc = { issuer: 'http://127.0.0.1:9', ...CLIENT, ...CLAIMS };
  const service = await startTestService(t, { options: { oidc }, parts: { pool: noPool } });
  t.equal((await fetch(`${service.url}/auth/login`, { redirect: 'manual' })).status, 503);
});

/** What Chromium and Firefox send when a page is opened. */
const PAGE = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';

t.test('a failed login brings a browser back to the sign-in page, with a reason', async (t) => {
  const scene = await startScene(t, CLAIMS, CLIENT, t.testdir());
  const { service } = scene;
  const login = `${service.url}/auth/login?return_to=`;
  const callback = `${service.url}/auth/callback`;
  const browser = new Browser(PAGE);
  const page = '/studio/documents?template=receipt';
  await browser.go(login + encodeURIComponent(page));
  t.equal(browser.visited.at(-1), `${service.url}${page}#sign-in-failed=no_role`);
  t.equal(browser.cookies.get('intaglio_session'), undefined);
  t.equal(browser.cookies.get('intaglio_login'), '');
  t.match(service.logged.join(''), '"reason":"no_role"');

  for (const target of ['//evil.example/studio', '/docs', '/studio.evil', 'x']) {
    const other = new Browser(PAGE);
    await other.go(login + encodeURIComponent(target));
    t.equal(other.visited.at(-1), `${service.url}/studio#sign-in-failed=no_role`, target);
  }

  const query = 'error=access_denied&error_description=%3Cscript%3E%0d%0aX-Evil:1&state=';
  const late = await new Browser(PAGE).fetch(`${callback}?${query}&return_to=//evil.example`);
  t.equal(late.status, 302);
  t.equal(late.headers.get('location'), '/studio#sign-in-failed=expired');
  const refused = new Browser(PAGE);
  const begun = await refused.fetch(`${login}/studio`);
  const state = new URL(begun.headers.get('location') ?? '').searchParams.get('state') ?? '';
  const response = await refused.fetch(`${callback}?${query}${state}`);
  t.equal(response.headers.get('location'), '/studio#sign-in-failed=not_completed');
  t.equal(await response.text(), '');

  scene.account.claims = { team: 'nowhere', roles: 'Admin' };
  const stranger = new Browser(PAGE);
  await stranger.go(`${login}/studio`);
  t.equal(stranger.visited.at(-1), `${service.url}/studio#sign-in-failed=not_admitted`);
});

t.test('a client that does not prefer pages gets JSON for a failed login', async (t) => {
  const scene = await startScene(t, CLAIMS, CLIENT, t.testdir());
  for (const accept of [
    '*/*',
    'application/json',
    'application/json, text/html;q=0.9',
    'text/html;q=0, */*',
    'text/html, application/json',
  ]) {
    const client = new Browser(accept);
    const response = await client.fetch(`${scene.service.url}/auth/callback?code=x&state=y`);
    t.equal(response.status, 401, accept);
    t.match(await response.json(), { code: 'unauthenticated' });
  }
  const bare = await startScene(t);
  const address = `${bare.service.url}/auth/callback?code=x&state=y`;
  t.equal((await new Browser(PAGE).fetch(address)).status, 401, 'there is no sign-in page');
});

t.test('a provider that does not respond is a reason for the sign-in page', async (t) => {
  const oidc = { issuer: 'http://127.0.0.1:9', ...CLIENT, ...CLAIMS };
  const options = { oidc, studioFolder: t.testdir() };
  const service = await startTestService(t, { options, parts: { pool: noPool } });
  const page = await new Browser(PAGE).fetch(`${service.url}/auth/login?return_to=/studio/runs`);
  t.equal(page.headers.get('location'), '/studio/runs#sign-in-failed=provider_unavailable');
});
