import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Test } from 'tap';
import { openStore } from '../../src/store/open.ts';
import type { Role, Scope, Store } from '../../src/store/store.ts';
import { environment, intaglio, serve } from '../../lab/service/command-line.ts';
import { Authority } from '../sign/authority.ts';
import type { Answer, Call, Scene } from './attempt.ts';

/** The people of the attempts: their team and role. */
const USERS: Readonly<Record<string, readonly [teamId: string, role: Role]>> = {
  ann: ['bank', 'Admin'],
  ben: ['bank', 'Admin'],
  checker: ['bank', 'Admin'],
  eve: ['bank', 'Editor'],
  gus: ['bank', 'Editor'],
  vic: ['bank', 'Viewer'],
  ron: ['rival', 'Admin'],
};
const SCOPES: readonly Scope[] = [
  'generate',
  'documents:read',
  'templates:read',
  'runs',
  'identity-sync',
];
const HOUR_MS = 3_600_000;

/** A service with two people per publication, two teams, and a signer for each. */
export async function startScene(t: Test): Promise<Scene> {
  const folder = t.testdir();
  mkdirSync(join(folder, 'var'));
  const env = environment(join(folder, 'var'), {
    INTAGLIO_SIGNERS_FILE: signersIn(folder),
    INTAGLIO_PUBLISH_APPROVALS: '1',
    INTAGLIO_POOL_THREADS: '2',
  });
  const store = await openStore({
    databaseUrl: env['INTAGLIO_DATABASE_URL'] ?? '',
    filesUrl: env['INTAGLIO_FILES_URL'] ?? '',
  });
  t.teardown(() => store.close());
  await store.migrate();
  const callers = await callersOf(store);
  const { url } = await serve(t, env);
  let templates = 0;
  const send = (who: string, method: string, path: string, call: Call = {}): Promise<Answer> =>
    answer(`${url}${path}`, method, callers.get(who) ?? {}, call);
  return {
    url,
    store,
    folder,
    newTemplate: () => `letter-${(templates += 1)}`,
    send,
    signIn: async (who) => {
      callers.set(who, { cookie: await cookieOf(store, who) });
    },
    command: async (...args) => {
      const done = await intaglio(env, ...args);
      return `exit ${done.code}`;
    },
  };
}

function signersIn(folder: string): string {
  const authority = new Authority(folder);
  authority.issue('rsa', ['rsa:2048'], 'keyUsage=critical,digitalSignature,nonRepudiation');
  const signer = { pkcs12: 'rsa.p12', passwordFile: 'password' };
  const file = join(folder, 'signers.json');
  writeFileSync(file, JSON.stringify({ teams: { bank: signer, rival: signer } }));
  return file;
}

/** The headers by which each caller is known to the service. */
async function callersOf(store: Store): Promise<Map<string, Record<string, string>>> {
  const callers = new Map<string, Record<string, string>>([['nobody', {}]]);
  for (const teamId of ['bank', 'rival']) {
    await store.teams.add({ teamId, name: teamId });
    for (const scope of SCOPES) {
      const key = { teamId, name: scope, scopes: [scope], rateLimitPerMinute: 10_000 };
      const added = await store.keys.add(key);
      if (!added.ok) throw new Error(added.message);
      const name = teamId === 'bank' ? `key ${scope}` : `rival key ${scope}`;
      callers.set(name, { 'x-api-key': added.value.apiKey });
    }
  }
  for (const [userId, [teamId, role]] of Object.entries(USERS)) {
    await store.users.add({ userId, teamId, role });
    callers.set(userId, { cookie: await cookieOf(store, userId) });
  }
  return callers;
}

async function cookieOf(store: Store, userId: string): Promise<string> {
  const added = await store.sessions.add(userId, Date.now() + HOUR_MS);
  if (!added.ok) throw new Error(added.message);
  return `intaglio_session=${added.value.token}`;
}

async function answer(
  url: string,
  method: string,
  caller: Readonly<Record<string, string>>,
  { body, headers = {} }: Call,
): Promise<Answer> {
  const type = body === undefined ? {} : { 'content-type': 'application/json' };
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const sent = body === undefined ? {} : { body: text };
  const got = await fetch(url, { method, headers: { ...type, ...caller, ...headers }, ...sent });
  const bytes = Buffer.from(await got.arrayBuffer());
  const isJson = got.headers.get('content-type')?.startsWith('application/json') === true;
  const json = isJson ? (JSON.parse(bytes.toString()) as Record<string, unknown>) : {};
  const code = got.ok ? '' : ` ${String(json['code'])}`;
  return { status: got.status, said: `${got.status}${code}`, json, bytes };
}
