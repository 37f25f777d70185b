import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { HOME } from '../../settings/config.ts';
import { sessionCookieName } from '../../gateway/callers/session-cookie.ts';
import { describeKey, type Store } from '../../store/store.ts';
import { demand } from '../console/context.ts';
import { templateFilesIn } from '../engine.ts';
import { serviceError } from '#client';
import { CommandFailed } from '../console/failure.ts';
import { record } from '../console/record.ts';
import { signInUrl } from '../console/sign-in-url.ts';

/** A sample of a template file. */
interface Sample {
  readonly name: string;
  readonly data: Readonly<Record<string, unknown>>;
}

export interface DemoTemplate {
  readonly templateId: string;
  readonly samples: readonly Sample[];
}

/** How to reach the demo, and the templates that it has published. */
export interface Access {
  readonly url: string;
  readonly apiKey: string;
  /** A link that signs one browser in as the administrator, once. */
  readonly studio: string;
  readonly templates: readonly DemoTemplate[];
}

const TEAM = 'demo';
const ADMIN = 'demo-admin';
const EDITOR = 'demo-editor';
/** High enough that no call of the demo is refused. */
const CALLS_PER_MINUTE = 1_000_000;
const SESSION_MS = 3_600_000;
/** Long, because the user may follow the printed link much later. */
const LINK_MS = 3_600_000;

/**
 * Adds a team, a key and an administrator to the store, and publishes every template of templates/
 * over HTTP to the service at `url`. `needsTwo`: authors may not publish, so an Editor saves the drafts.
 * Throws `CommandFailed` when the service refuses one.
 */
export async function setUp(store: Store, url: string, needsTwo: boolean): Promise<Access> {
  const team = demand(await store.teams.add({ teamId: TEAM, name: 'Demo' }));
  const detail = `team ${team.teamId}, ${team.name}`;
  await record(store, { action: 'teams.create', teamId: TEAM, detail });
  const admin = { userId: ADMIN, role: 'Admin', displayName: 'Demo Admin' } as const;
  const token = await signIn(store, admin);
  const editor = { userId: EDITOR, role: 'Editor', displayName: 'Demo Editor' } as const;
  const author = needsTwo ? await signIn(store, editor) : token;
  const key = demand(
    await store.keys.add({
      teamId: TEAM,
      name: 'demo',
      scopes: ['generate', 'documents:read', 'templates:read', 'runs'],
      rateLimitPerMinute: CALLS_PER_MINUTE,
    }),
  );
  await record(store, { action: 'keys.create', teamId: TEAM, detail: describeKey(key.record) });
  const templates = await publishTemplates(url, author, token);
  const link = demand(await store.signInLinks.add(ADMIN, Date.now() + LINK_MS));
  await record(store, { action: 'sessions.link', teamId: TEAM, detail: `user ${ADMIN}` });
  return { url, apiKey: key.apiKey, studio: signInUrl(url, link.token), templates };
}

type NewUser = Omit<Parameters<Store['users']['add']>[0], 'teamId'>;

/** Adds a user to the team; returns the token of a session. */
async function signIn(store: Store, user: NewUser): Promise<string> {
  const { userId } = demand(await store.users.add({ ...user, teamId: TEAM }));
  const added = { action: 'users.create', detail: `user ${userId}, ${user.role}` } as const;
  const { token } = demand(await store.sessions.add(userId, Date.now() + SESSION_MS));
  const opened = { action: 'sessions.open', detail: `user ${userId}` } as const;
  for (const done of [added, opened]) await record(store, { ...done, teamId: TEAM });
  return token;
}

/** Publishes the files of templates/ over HTTP: `author` and `token` are sessions. */
async function publishTemplates(
  url: string,
  author: string,
  token: string,
): Promise<DemoTemplate[]> {
  const templates: DemoTemplate[] = [];
  for (const path of templateFilesIn(join(HOME, 'templates'))) {
    const source = readFileSync(path, 'utf8');
    // Publishing checks the file in full; here only names and samples are read.
    const template = JSON.parse(source) as DemoTemplate;
    const address = `${url}/v1/templates/${encodeURIComponent(template.templateId)}`;
    await send('PUT', `${address}/draft`, { body: source, origin: url, token: author });
    const body = author === token ? {} : { compared: await readComparison(address, token) };
    await send('POST', `${address}/publish`, { body: JSON.stringify(body), origin: url, token });
    templates.push(template);
  }
  return templates;
}

/** The body by which a second person confirms the draft of a first version and each of its changes. */
async function readComparison(address: string, token: string): Promise<object> {
  const headers = { cookie: `${sessionCookieName(false)}=${token}` };
  const read = async (url: string): Promise<unknown> => {
    const response = await fetch(url, { headers });
    if (response.ok) return response.json();
    const { detail, code } = serviceError(response.status, await response.text(), null);
    throw new CommandFailed(`GET ${url}: ${detail} (${code})`);
  };
  // As /openapi.json describes them.
  const { draft } = (await read(address)) as { readonly draft: { readonly hash: string } };
  const { changes } = (await read(`${address}/draft/check`)) as {
    readonly changes: readonly { readonly id: string }[];
  };
  return { draft: draft.hash, published: null, changes: changes.map(({ id }) => id) };
}

interface SessionRequest {
  readonly body: string;
  /** Requests with a cookie may change something only from the service's own origin. */
  readonly origin: string;
  /** A user's session. */
  readonly token: string;
}

async function send(
  method: 'PUT' | 'POST',
  address: string,
  { body, origin, token }: SessionRequest,
): Promise<void> {
  const response = await fetch(address, {
    method,
    headers: {
      cookie: `${sessionCookieName(false)}=${token}`,
      'content-type': 'application/json',
      origin,
    },
    body,
  });
  const text = await response.text();
  if (response.ok) return;
  const { detail, code } = serviceError(response.status, text, null);
  throw new CommandFailed(`${method} ${address}: ${detail} (${code})\n${text}`);
}
