import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { HOME } from '../../config.ts';
import type { Store } from '../../store/store.ts';
import { demand } from '../console/context.ts';
import { readError } from '../batch/client.ts';
import { CommandFailed } from '../console/failure.ts';
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

/** What a caller of the demo needs. */
export interface Access {
  readonly url: string;
  readonly apiKey: string;
  /** A link that signs one browser in as the administrator, once. */
  readonly studio: string;
  readonly templates: readonly DemoTemplate[];
}

const TEAM = 'demo';
const ADMIN = 'demo-admin';
/** So many that no call of the demo is refused. */
const CALLS_PER_MINUTE = 1_000_000;
const SESSION_MS = 3_600_000;
/** The link stays valid for this long, because the output may be read later. */
const LINK_MS = 3_600_000;

/** Adds a team, a key and an administrator, and publishes every template of templates/ by HTTP. */
export async function setUp(store: Store, url: string): Promise<Access> {
  demand(await store.teams.add({ teamId: TEAM, name: 'Demo' }));
  demand(
    await store.users.add({
      userId: ADMIN,
      teamId: TEAM,
      role: 'Admin',
      displayName: 'Demo Admin',
    }),
  );
  const { token } = demand(await store.sessions.add(ADMIN, Date.now() + SESSION_MS));
  const { apiKey } = demand(
    await store.keys.add({
      teamId: TEAM,
      name: 'demo',
      scopes: ['generate', 'documents:read', 'templates:read'],
      rateLimitPerMinute: CALLS_PER_MINUTE,
    }),
  );
  // JSON files with a second dot in their name (the schema, data) are not templates.
  const paths = globSync('templates/*.json', { cwd: HOME })
    .filter((path) => !/\.\w+\.json$/.test(path))
    .toSorted();
  const templates: DemoTemplate[] = [];
  for (const path of paths) {
    const source = readFileSync(join(HOME, path), 'utf8');
    // Publishing checks the file in full; here only names and samples are read.
    const template = JSON.parse(source) as DemoTemplate;
    const address = `${url}/v1/templates/${encodeURIComponent(template.templateId)}`;
    await send('PUT', `${address}/draft`, source, url, token);
    await send('POST', `${address}/publish`, '{}', url, token);
    templates.push(template);
  }
  const link = demand(await store.signInLinks.add(ADMIN, Date.now() + LINK_MS));
  return { url, apiKey, studio: signInUrl(url, link.token), templates };
}

async function send(
  method: 'PUT' | 'POST',
  address: string,
  body: string,
  origin: string,
  token: string,
): Promise<void> {
  const response = await fetch(address, {
    method,
    headers: {
      cookie: `intaglio_session=${token}`,
      'content-type': 'application/json',
      // Requests with a cookie may change something only from the service's own origin.
      origin,
    },
    body,
  });
  const reply = { status: response.status, body: Buffer.from(await response.arrayBuffer()) };
  if (response.ok) return;
  const { error, code } = readError(reply);
  throw new CommandFailed(`${method} ${address}: ${error} (${code})\n${reply.body.toString()}`);
}
