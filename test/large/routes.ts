import { createHash, randomBytes } from 'node:crypto';
import { openStore } from '../../src/store/open.ts';
import { TEMPLATE } from '../instances/bank.ts';
import { LARGE_TEAM, LARGE_TEMPLATE } from './fill.ts';

/** A key of a small team, and a key and a session of the team with half of all rows. */
export interface Callers {
  readonly smallKey: string;
  readonly largeKey: string;
  readonly cookie: string;
}

const DAY_MS = 86_400_000;

/** Adds teams, a template, keys and an Admin with a session. */
export async function addCallers(databaseUrl: string, filesUrl: string): Promise<Callers> {
  const store = await openStore({ databaseUrl, filesUrl });
  try {
    const addKey = async (teamId: string): Promise<string> => {
      await store.teams.add({ teamId, name: teamId });
      const source = Buffer.from(JSON.stringify(TEMPLATE));
      await store.templates.saveDraft(teamId, LARGE_TEMPLATE, 'Note', source);
      const draft = await store.templates.draft(teamId, LARGE_TEMPLATE);
      await store.templates.publish(teamId, LARGE_TEMPLATE, draft.found ? draft.value.hash : '');
      const scopes = ['generate', 'documents:read', 'runs'] as const;
      const name = 'large';
      const added = await store.keys.add({ teamId, name, scopes, rateLimitPerMinute: 1_000_000 });
      if (!added.ok) throw new Error(added.message);
      return added.value.apiKey;
    };
    const smallKey = await addKey('bank');
    const largeKey = await addKey(LARGE_TEAM);
    const userId = `admin-${randomBytes(4).toString('hex')}`;
    await store.users.add({ userId, teamId: LARGE_TEAM, role: 'Admin' });
    const session = await store.sessions.add(userId, Date.now() + DAY_MS);
    if (!session.ok) throw new Error(session.message);
    return { smallKey, largeKey, cookie: `intaglio_session=${session.value.token}` };
  } finally {
    await store.close();
  }
}

interface Asked {
  readonly path: string;
  readonly by: 'key' | 'session' | 'nobody';
  readonly body?: object;
}

/** Each route that reads tables which grow, with the filters that no index serves. */
function questions(): readonly Asked[] {
  const old = new Date(Date.now() - 300 * DAY_MS).toISOString();
  const late = new Date(Date.now() - 200 * DAY_MS).toISOString();
  const times = `from=${old}&to=${late}`;
  const unknown = createHash('sha256').update('unknown').digest('hex');
  const nobody = 'nobody-makes-this';
  return [
    { path: '/readyz', by: 'nobody' },
    { path: '/metrics', by: 'nobody' },
    ...[
      '',
      `?${times}`,
      `?templateId=${LARGE_TEMPLATE}`,
      `?templateId=${nobody}`,
      `?templateId=${nobody}&${times}`,
      `?sha256=${unknown}`,
    ].map((query) => ({ path: `/v1/documents${query}`, by: 'session' as const })),
    ...[
      '',
      `?${times}`,
      `?templateId=${nobody}`,
      `?principal=key:${nobody}&${times}`,
      `?action=${nobody}`,
      '?outcome=denied',
      `?documentId=${nobody}`,
      `?requestId=${nobody}`,
    ].map((query) => ({ path: `/v1/audit${query}`, by: 'session' as const })),
    { path: '/v1/templates', by: 'session' },
    { path: '/v1/keys', by: 'session' },
    { path: '/v1/runs', by: 'key' },
    { path: '/v1/verify', by: 'key', body: { sha256: unknown } },
    {
      path: '/v1/generate',
      by: 'key',
      body: { templateId: LARGE_TEMPLATE, mode: 'async', data: { text: 'large' } },
    },
  ];
}

/** Asks each question a few times and tells the least time, because the machine may be busy. */
export async function askEverything(
  url: string,
  { largeKey, cookie }: Callers,
  say: (line: string) => void,
): Promise<void> {
  for (const { path, by, body } of questions()) {
    let leastMs = Number.POSITIVE_INFINITY;
    let status = 0;
    for (let count = 0; count < 3; count += 1) {
      const startMs = performance.now();
      const answer = await fetch(`${url}${path}`, {
        method: body === undefined ? 'GET' : 'POST',
        headers: {
          ...(by === 'key' && { 'x-api-key': largeKey }),
          ...(by === 'session' && { cookie }),
          'content-type': 'application/json',
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      await answer.arrayBuffer();
      status = answer.status;
      leastMs = Math.min(leastMs, performance.now() - startMs);
    }
    say(`${path.replaceAll(/[0-9a-f]{64}/g, '…')}: ${status} in ${leastMs.toFixed(0)} ms`);
  }
}
