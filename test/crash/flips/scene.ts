import { hash } from 'node:crypto';
import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import { pino } from 'pino';
import { readConfig } from '../../../src/settings/config.ts';
import { startGateway } from '../../../src/gateway/server.ts';
import { startRunEngine } from '../../../src/runs/engine.ts';
import { requestSettings } from '../../../src/settings/requests.ts';
import { openStore } from '../../../src/store/open.ts';
import type { Store } from '../../../src/store/store.ts';
import { createPool, type Pool } from '../../../src/workers/pool/pool.ts';
import { noProtector } from '../../../lab/service/gateway.ts';
import { newAudit } from '../../store/samples.ts';
import { waitForMark } from './log.ts';

export const TEAM = 'bank';
/** Rows of a run, of which each print file has half. */
export const ROWS = 12;
const DOCUMENTS = 4;
const HOUR_MS = 3_600_000;
const RUN_MS_MAX = 300_000;

const TEMPLATE = {
  templateId: 'note',
  name: 'Note',
  language: 'en',
  fields: [
    { name: 'refNo', type: 'text', required: true },
    { name: 'total', type: 'number', required: true },
  ],
  document: { content: ['{{refNo}}', '{{total}}'] },
};

/** The folder of a service, and its keys. */
export interface Place {
  readonly folder: string;
  /** Null: files are not encrypted. */
  readonly key: Uint8Array | null;
}

/** What is stored in the folder. */
export interface Stored {
  readonly apiKey: string;
  readonly cookie: string;
  readonly documentIds: readonly string[];
  /** A run with documents and print files. */
  readonly doneRunId: string;
  /** A run whose rows are uploaded and not checked yet. */
  readonly waitingRunId: string;
}

export interface Service {
  readonly url: string;
  readonly store: Store;
  /** Lines of the log from level `warn`. */
  readonly logged: readonly string[];
  close(): Promise<void>;
}

export function openPlace({ folder, key }: Place, warn: (message: string) => void): Promise<Store> {
  return openStore({
    databaseUrl: `sqlite:${join(folder, 'rows.db')}`,
    filesUrl: `file:${join(folder, 'files')}`,
    auditKey: 'k'.repeat(32),
    warn,
    ...(key === null ? {} : { encryption: { keys: () => [key] } }),
  });
}

/** Real renderers, which the services of all flips share. */
export async function startPool(): Promise<Pool> {
  const pool = createPool({
    module: new URL('../../../src/workers/render.ts', import.meta.url),
    settings: {},
    threads: 1,
    spareThreads: 0,
    queueMax: 16,
    renderTimeoutMs: 60_000,
    checkTimeoutMs: 60_000,
    draftTimeoutMs: 60_000,
    memoryMb: 256,
    onFault: ({ kind }) => process.stderr.write(`renderer fault: ${kind}\n`),
  });
  await pool.ready();
  return pool;
}

export async function serve(place: Place, pool: Pool): Promise<Service> {
  const logged: string[] = [];
  const warn = (msg: string): void => void logged.push(JSON.stringify({ level: 50, msg }));
  const store = await openPlace(place, warn);
  try {
    await store.migrate();
    const sink = new Writable({
      write: (chunk: Buffer, _encoding, done) => {
        logged.push(chunk.toString());
        done();
      },
    });
    const log = pino({ level: 'warn' }, sink);
    const runs = startRunEngine({ store, pool, log, threads: 1 });
    const options = {
      ...requestSettings(readConfig({})),
      installation: 'of this test',
      host: '127.0.0.1',
      port: 0,
      baseUrl: null,
      bodyBytesMax: 1_048_576,
      bodyMemoryMb: 64,
      metricsAgeMsMax: 0,
      rateLimitPerMinute: 100_000,
      retentionSeconds: 86_400,
      linkTtlSeconds: 900,
      linkSecrets: () => ['a secret of at least 32 characters, for flips'],
      sessionTtlSeconds: 3_600,
      templateCacheMb: 8,
      oidc: null,
      publishApprovals: false,
      studioFolder: null,
    };
    const parts = { store, pool, protector: noProtector, log, runs };
    const gateway = await startGateway(options, parts);
    return {
      url: gateway.url,
      store,
      logged,
      async close() {
        await Promise.all([gateway.close(0), runs.close()]);
        await store.close();
      },
    };
  } catch (error) {
    await store.close();
    throw error;
  }
}

/**
 * Fills an empty folder: documents, runs, templates, keys, users, a sealed audit. Then copies it as a
 * kill would leave it, with the newest rows in SQLite's log of writes, and ends in order.
 */
export async function fill(place: Place, pool: Pool, killedFolder: string): Promise<Stored> {
  const service = await serve(place, pool);
  const { store, url } = service;
  try {
    await store.teams.add({ teamId: TEAM, name: 'Bank' });
    await store.users.add({ userId: 'admin', teamId: TEAM, role: 'Admin' });
    const session = await store.sessions.add('admin', Date.now() + 24 * HOUR_MS);
    const added = await store.keys.add({
      teamId: TEAM,
      name: 'flips',
      scopes: ['generate', 'documents:read', 'runs'],
      rateLimitPerMinute: null,
    });
    if (!session.ok || !added.ok) throw new Error('no session or no key');
    for (const name of ['Note', 'Note, second']) await publish(store, name);
    const { apiKey } = added.value;
    const documentIds: string[] = [];
    for (let index = 0; index < DOCUMENTS; index += 1) {
      documentIds.push(await generate(url, apiKey, `D${index}`));
    }
    const doneRunId = await upload(store, 'done');
    const state = await finish(store, doneRunId);
    if (state !== 'done') throw new Error(`the run is ${state}`);
    const waitingRunId = await upload(store, 'waiting');
    await seal(store);
    await waitForMark(join(place.folder, 'rows.db'));
    await copyKilled(place.folder, killedFolder);
    const cookie = `intaglio_session=${session.value.token}`;
    return { apiKey, cookie, documentIds, doneRunId, waitingRunId };
  } finally {
    await service.close();
  }
}

/** Copies the folder of a working service; SQLite makes `-shm` anew. */
export async function copyKilled(from: string, to: string): Promise<void> {
  await cp(from, to, { recursive: true, filter: (path) => !path.endsWith('-shm') });
}

/** Adds records of former hours and seals them. */
async function seal(store: Store): Promise<void> {
  for (let hour = 5; hour > 0; hour -= 1) {
    await store.audit.add(newAudit('', { atMs: Date.now() - hour * HOUR_MS }));
  }
  for (let seals = 0; seals < 3; seals += 1) await store.seals.seal(Date.now());
}

async function publish(store: Store, name: string): Promise<void> {
  const source = Buffer.from(JSON.stringify({ ...TEMPLATE, name }));
  await store.templates.saveDraft(TEAM, 'note', name, source);
  const draft = await store.templates.draft(TEAM, 'note');
  await store.templates.publish(TEAM, 'note', draft.found ? draft.value.hash : '');
}

/** Makes a document and returns its id. */
async function generate(url: string, apiKey: string, refNo: string): Promise<string> {
  const response = await fetch(`${url}/v1/generate`, {
    method: 'POST',
    headers: { 'x-api-key': apiKey, 'content-type': 'application/json' },
    body: JSON.stringify({ templateId: 'note', mode: 'async', data: { refNo, total: 12.5 } }),
  });
  const body = (await response.json()) as { readonly documentId?: string };
  if (body.documentId === undefined) throw new Error(`generate answered ${response.status}`);
  return body.documentId;
}

/** Adds a run and uploads its rows. */
async function upload(store: Store, name: string): Promise<string> {
  const run = await store.runs.create(TEAM, 'key:flips', {
    name,
    templateId: 'note',
    version: 2,
    watermark: null,
    metadata: null,
    idField: 'refNo',
    retentionSeconds: 86_400,
    expectedRows: null,
    expectedSums: {},
    onInvalid: 'stop',
    invalidShareMax: 0,
    documentsPerPrint: ROWS / 2,
    protection: null,
    signature: false,
    source: null,
  });
  const lines = Array.from({ length: ROWS }, (_, row) =>
    JSON.stringify({ refNo: `${name} ${row}`, total: 1.05 + row }),
  );
  const rows = new Uint8Array(Buffer.from(`${lines.join('\n')}\n`));
  const sha256 = hash('sha256', rows, 'hex');
  await store.runs.addPart(
    run,
    { part: 1, sha256, format: 'ndjson', headerBytes: 0, firstLine: 1 },
    rows,
  );
  return run.runId;
}

/** Starts a run and returns the state in which it ends. */
export async function finish(store: Store, runId: string): Promise<string> {
  await store.runs.move(runId, { from: ['receiving'], to: 'checking', isDryRun: false });
  for (const endMs = performance.now() + RUN_MS_MAX; performance.now() < endMs; await pause(10)) {
    const found = await store.runs.find(TEAM, runId);
    const state = found.found ? found.value.state : 'absent';
    if (state !== 'checking' && state !== 'running') return state;
  }
  return 'not ended';
}
