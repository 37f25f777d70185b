import { hash } from 'node:crypto';
import { finish, type Service, type Stored, TEAM } from './scene.ts';

/** What each reader got: its JSON, a digest of other bytes, or 'refused …' when it was told of a failure. */
export type Readings = ReadonlyMap<string, string>;

/** Whether a reader was told that it got nothing. */
export function isRefused(reading: string): boolean {
  return reading.startsWith('refused');
}

/** Reads everything that the service stores, through HTTP. */
export async function readAll(
  service: Service,
  stored: Stored,
  bounds: { readonly untilMs: number; readonly continues: boolean },
): Promise<Readings> {
  const { doneRunId, waitingRunId, documentIds } = stored;
  const paths = [
    `/v1/documents?to=${new Date(bounds.untilMs).toISOString()}`,
    ...documentIds.flatMap((id) => [`/v1/documents/${id}`, `/v1/documents/${id}?download=1`]),
    ...['', '/manifest', '/zip', '/prints', '/prints/1', '/prints/2', '/prints/1/index'].map(
      (end) => `/v1/runs/${doneRunId}${end}`,
    ),
    '/v1/templates',
    '/v1/templates/note',
    '/v1/templates/note/versions/1',
    '/v1/templates/note/versions/2',
    '/v1/templates/note/fields',
    '/v1/keys',
    '/v1/users',
    '/v1/session',
    `/v1/audit?to=${new Date(bounds.untilMs).toISOString()}`,
  ];
  const readings = new Map<string, string>();
  for (const path of paths) readings.set(path, await read(service, stored, path));
  readings.set('generate', await generate(service, stored));
  if (bounds.continues) readings.set('run', await continueRun(service, waitingRunId));
  return readings;
}

async function read({ url }: Service, stored: Stored, path: string): Promise<string> {
  const isOfKey = path.startsWith('/v1/documents/') || path.startsWith('/v1/runs');
  const headers: Record<string, string> = isOfKey
    ? { 'x-api-key': stored.apiKey }
    : { cookie: stored.cookie };
  return readingOf(() => fetch(`${url}${path}`, { headers }), comparable);
}

/** Renders a document without storing it; the times in it are left out. */
async function generate({ url }: Service, { apiKey }: Stored): Promise<string> {
  const body = { templateId: 'note', mode: 'sync', data: { refNo: 'new', total: 7.25 } };
  const post = (): Promise<Response> =>
    fetch(`${url}/v1/generate`, {
      method: 'POST',
      headers: { 'x-api-key': apiKey, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  return readingOf(post, withoutTimes);
}

/** Finishes the run whose rows wait, and reads what became of each row. */
async function continueRun({ store }: Service, runId: string): Promise<string> {
  try {
    const state = await finish(store, runId);
    if (state !== 'done') return `refused: the run is ${state}`;
    const rows: unknown[] = [];
    for await (const some of store.runs.manifest(runId)) {
      for (const { rowId, outcome, pages } of some) rows.push([rowId, outcome, pages]);
    }
    const found = await store.runs.find(TEAM, runId);
    const counts = found.found ? found.value.counts : null;
    return digestOf(JSON.stringify([rows, counts]));
  } catch (error) {
    return `refused: ${error instanceof Error ? error.name : typeof error}`;
  }
}

async function readingOf(
  send: () => Promise<Response>,
  prepare: (bytes: Buffer) => string,
): Promise<string> {
  try {
    const response = await send();
    const bytes = Buffer.from(await response.arrayBuffer());
    if (!response.ok) return `refused ${response.status}`;
    // A ZIP archive goes on without a damaged document, and ends with a list of such documents.
    if (bytes.includes('missing-documents.txt')) return 'refused: listed as missing';
    const text = prepare(bytes);
    return text.startsWith('{') ? text : digestOf(text);
  } catch (error) {
    // The connection was cut before the end of the body.
    if (!(error instanceof TypeError)) throw error;
    return 'refused: cut';
  }
}

/** What a reader got, from a little before the first difference from what it should have got. */
export function excerpt(expected: string, reading: string): string {
  let at = 0;
  while (at < reading.length && reading[at] === expected[at]) at += 1;
  return reading.slice(Math.max(0, at - 20), at + 40);
}

function digestOf(text: string): string {
  return hash('sha256', Buffer.from(text, 'latin1'), 'hex');
}

/** Links and times of use differ each time. */
function comparable(bytes: Buffer): string {
  return bytes
    .toString('latin1')
    .replaceAll(/"(?:url|signedUrl|href|link)":"[^"]*"/g, '')
    .replaceAll(/"(?:linkExpiresAt|lastUsedAt|urlExpiresAt|expiresIn)":"?[^",}]*"?/g, '');
}

function withoutTimes(bytes: Buffer): string {
  return bytes
    .toString('latin1')
    .replaceAll(/\(D:[^)]*\)/g, '')
    .replaceAll(/\/ID ?\[[^\]]*\]/g, '');
}
