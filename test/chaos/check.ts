import { createHash } from 'node:crypto';
import { Database } from '../../src/store/database/database.ts';
import { DOCUMENT_STATES, LIVING_STATES } from '../../src/store/database/schema.ts';
import { hex } from '../../src/store/ids.ts';
import { openStore } from '../../src/store/open.ts';
import { manifestOf } from '../crash/runs/kill-run.ts';
import type { FakeS3 } from '../../lab/servers/fake-s3.ts';
import type { Ledger, Made } from './load.ts';

/** Where the service's data lies, without the proxies. */
export interface Backends {
  readonly databaseUrl: string;
  readonly s3: FakeS3;
}

export const TEAM = 'bank';
const PREFIX = 'documents/';

/** Documents of each run that are read through the service. */
const READ_OF_A_RUN = 10;

/** Documents of the runs, to be read through the service as long as it runs. */
export async function sampleOfRuns(
  { databaseUrl, s3 }: Backends,
  ledger: Ledger,
): Promise<readonly Made[]> {
  const store = await openStore({ databaseUrl, filesUrl: s3.url });
  try {
    const sample: Made[] = [];
    for (const { runId } of ledger.runs) {
      const found = await store.runs.find(TEAM, runId);
      const rows = found.found ? await manifestOf(store, found.value) : [];
      const each = Math.max(1, Math.floor(rows.length / READ_OF_A_RUN));
      for (const [index, { documentId, sha256 }] of rows.entries()) {
        if (index % each !== 0 || documentId === undefined || sha256 === undefined) continue;
        sample.push({ key: runId, documentId, sha256 });
      }
    }
    return sample;
  } finally {
    await store.close();
  }
}

/**
 * Compares rows, audit records and objects with what was acknowledged: nothing lost, nothing
 * doubled. Then sweeps, after which each object belongs to a row. Returns the objects swept.
 */
export async function checkEverything(backends: Backends, ledger: Ledger): Promise<number> {
  await checkDocuments(backends, ledger);
  const store = await openStore({
    databaseUrl: backends.databaseUrl,
    filesUrl: backends.s3.url,
    // Less than 0: an object of this moment counts as old, too.
    orphanGraceMs: -60_000,
  });
  try {
    for (const { runId, rows } of ledger.runs) {
      const found = await store.runs.find(TEAM, runId);
      if (!found.found) {
        ledger.violate(`run ${runId}: lost`);
        continue;
      }
      const manifest = await manifestOf(store, found.value);
      const ids = new Set(manifest.map(({ documentId }) => documentId));
      const stored = manifest.filter(({ outcome }) => outcome === 'stored').length;
      if (stored === rows && ids.size === rows && manifest.length === rows) continue;
      ledger.violate(
        `run ${runId}: ${manifest.length} rows, ${stored} stored, ${ids.size} ids of ${rows}`,
      );
    }
    return (await store.documents.sweep(Date.now())).orphans;
  } finally {
    await store.close();
  }
}

async function checkDocuments({ databaseUrl, s3 }: Backends, ledger: Ledger): Promise<void> {
  const { documents, audits, living } = await readRows(databaseUrl);
  const wanted = ledger.documents.length + ledger.runs.reduce((sum, { rows }) => sum + rows, 0);
  if (living !== wanted) ledger.violate(`${living} documents live, ${wanted} were acknowledged`);
  const acknowledged = new Map(ledger.documents.map((made) => [made.documentId, made.sha256]));
  if (acknowledged.size !== ledger.documents.length) {
    ledger.violate(`${ledger.documents.length} keys have ${acknowledged.size} documents`);
  }
  const known = new Set<string>();
  for (const row of documents) {
    const sha256 = acknowledged.get(row.document_id);
    known.add(row.document_id);
    if (sha256 === undefined) {
      ledger.violate(`${row.document_id}: a row that nobody was told of`);
      continue;
    }
    if (hex(row.sha256) !== sha256) ledger.violate(`${row.document_id}: another digest`);
    const object = s3.objects.get(nameOf(row.pack_id ?? row.document_id, s3));
    const from = row.pack_offset ?? 0;
    const body = object?.body.subarray(from, row.pack_id === null ? undefined : from + row.bytes);
    const found = body && createHash('sha256').update(body).digest('hex');
    if (found !== sha256) ledger.violate(`${row.document_id}: its object is ${found ?? 'gone'}`);
    const count = audits.get(row.document_id) ?? 0;
    if (count !== 1) ledger.violate(`${row.document_id}: ${count} audit records`);
  }
  for (const id of acknowledged.keys()) {
    if (!known.has(id)) ledger.violate(`${id}: acknowledged and lost`);
  }
}

/** Objects are found by the end of their name, whatever folders the store gives them. */
const names = new WeakMap<FakeS3, Map<string, string>>();

function nameOf(documentId: string, s3: FakeS3): string {
  let byId = names.get(s3);
  if (byId === undefined) {
    byId = new Map();
    for (const name of s3.objects.keys()) {
      const id = name.slice(name.lastIndexOf('/') + 1).replace(/\.(?:pdf|run)$/, '');
      byId.set(id, name);
    }
    names.set(s3, byId);
  }
  return byId.get(documentId) ?? `${PREFIX}${documentId}`;
}

/** The documents of requests that live, and how many audit records each document has. */
async function readRows(databaseUrl: string) {
  const database = new Database({
    url: databaseUrl,
    connectionsMax: 2,
    connectTimeoutMs: 5_000,
    statementTimeoutMs: 120_000,
    allowUnsafeCommits: false,
  });
  try {
    const documents = await database.read((db) =>
      db
        .selectFrom('documents')
        .leftJoin('run_files', 'run_files.file_id', 'documents.pack_id')
        .select(['document_id', 'sha256', 'pack_id', 'pack_offset', 'documents.bytes'])
        .where((where) =>
          where.or([
            where('documents.state', '=', DOCUMENT_STATES.available),
            // A pack of a run has the id of the run.
            where('run_files.run_id', '=', ''),
          ]),
        )
        .execute(),
    );
    const rows = await database.read((db) =>
      db
        .selectFrom('audit')
        .select('document_id')
        .where('action', '=', 'generate')
        .where('outcome', '=', 'succeeded')
        .execute(),
    );
    const { count } = await database.read((db) =>
      db
        .selectFrom('documents')
        .select((select) => select.fn.countAll().as('count'))
        .where('state', 'in', LIVING_STATES)
        .executeTakeFirstOrThrow(),
    );
    const audits = new Map<string, number>();
    for (const { document_id: id } of rows) audits.set(id, (audits.get(id) ?? 0) + 1);
    return { documents, audits, living: Number(count) };
  } finally {
    await database.close();
  }
}
