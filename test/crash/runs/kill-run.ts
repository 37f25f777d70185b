import type { ChildProcess } from 'node:child_process';
import { hash } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { openFiles, openStore } from '../../../src/store/open.ts';
import type { ManifestRow, RunRecord } from '../../../src/store/runs/types.ts';
import type { Store } from '../../../src/store/store.ts';
import { startProcess } from '../../../lab/service/process.ts';
import type { Place } from '../invariants.ts';

const TEAM = 'bank';
const DONE_MS_MAX = 600_000;
const PART_ROWS = 1_500;
/** Size of a source file: the service makes two and a half parts of it. */
const SOURCE_BYTES = 20 * 1024 * 1024;
const SPOOL = 'spool';
/** An amount that binary floating point cannot hold exactly. */
const AMOUNT_CENTS = 105;
/** The latest time of a kill after the start of a service: it may hit any stage of a run. */
const KILL_MS_MAX = 2_500;

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

/** The rows of a run, and where the service keeps its data. */
export interface RowsPlan {
  readonly place: Place;
  readonly rows: number;
  /** One in this many rows is invalid. */
  readonly invalidEach: number;
}

/** A run whose service is killed repeatedly. */
export interface KillPlan extends RowsPlan {
  readonly kills: number;
  /** The service reads the rows from a file; otherwise they are uploaded. */
  readonly isRead?: boolean;
  /** Ends the service by calling `kill`, perhaps after a power cut. Left out: it is killed. */
  readonly cut?: (kill: () => void) => void;
  /** Called between the end of a service and the start of the next one. */
  readonly mend?: () => Promise<void>;
}

export interface KillOutcome {
  /** One line per violation; empty when all invariants hold. */
  readonly violations: readonly string[];
  readonly stored: number;
  readonly orphans: number;
}

/**
 * Starts a run, kills its service at random moments, then lets the run end and checks the result:
 * each row once, each file whole, totals exact, no file left over.
 */
export async function killRun(plan: KillPlan): Promise<KillOutcome> {
  const { place, kills } = plan;
  await prepare(place);
  const runId = await addRun(plan);
  for (let kill = 0; kill < kills; kill++) {
    const service = await serve(place);
    await pause(Math.random() * KILL_MS_MAX);
    const end = (): void => void service.kill('SIGKILL');
    (plan.cut ?? ((now) => now()))(end);
    await once(service, 'exit');
    await plan.mend?.();
  }
  const service = await serve(place);
  const run = await untilSettled(place, runId);
  service.kill('SIGTERM');
  await once(service, 'exit');
  return checkRun(plan, run);
}

export async function open({ databaseUrl, folder }: Place): Promise<Store> {
  const filesUrl = `file:${join(folder, 'files')}`;
  return openStore({ databaseUrl, filesUrl, orphanGraceMs: -60_000 });
}

function isInvalid({ invalidEach }: RowsPlan, row: number): boolean {
  return row % invalidEach === invalidEach - 1;
}

/** Adds the team and the template of the runs. */
export async function prepare(place: Place): Promise<void> {
  const store = await open(place);
  try {
    await store.migrate();
    await store.teams.add({ teamId: TEAM, name: 'Bank' });
    await store.templates.saveDraft(TEAM, 'note', 'Note', Buffer.from(JSON.stringify(TEMPLATE)));
    const draft = await store.templates.draft(TEAM, 'note');
    await store.templates.publish(TEAM, 'note', draft.found ? draft.value.hash : '');
  } finally {
    await store.close();
  }
}

/** Adds a run with all its rows and starts it while no service runs. */
export async function addRun(plan: RowsPlan & Pick<KillPlan, 'isRead'>): Promise<string> {
  const store = await open(plan.place);
  try {
    const invalid = Array.from({ length: plan.rows }, (_, row) => isInvalid(plan, row));
    const path = plan.isRead === true ? await writeSource(plan.place, invalid) : null;
    const cents = AMOUNT_CENTS * invalid.filter((isWrong) => !isWrong).length;
    const run = await store.runs.create(TEAM, 'key:crash', {
      name: 'killed',
      templateId: 'note',
      version: 1,
      watermark: null,
      metadata: null,
      idField: 'refNo',
      retentionSeconds: 86_400,
      expectedRows: null,
      expectedSums: { total: `${Math.floor(cents / 100)}.${String(cents % 100).padStart(2, '0')}` },
      onInvalid: 'skip',
      invalidShareMax: 1,
      documentsPerPrint: 1_000,
      protection: null,
      signature: false,
      source: path === null ? null : { path, format: 'ndjson', encoding: null },
    });
    const rowsMax = path === null ? plan.rows : 0;
    for (let first = 0, part = 1; first < rowsMax; first += PART_ROWS, part += 1) {
      const some = invalid.slice(first, first + PART_ROWS);
      const rows = new Uint8Array(Buffer.from(linesOf(some, first, '')));
      const sha256 = hash('sha256', rows, 'hex');
      await store.runs.addPart(
        run,
        { part, sha256, format: 'ndjson', headerBytes: 0, firstLine: 1 },
        rows,
      );
    }
    await store.runs.move(run.runId, { from: ['receiving'], to: 'checking', isDryRun: false });
    return run.runId;
  } finally {
    await store.close();
  }
}

function linesOf(invalid: readonly boolean[], first: number, filling: string): string {
  const lines = invalid.map((isWrong, index) => {
    const total = isWrong ? 'much' : (AMOUNT_CENTS / 100).toFixed(2);
    return `${JSON.stringify({ refNo: `R${first + index}`, total, filling })}\n`;
  });
  return lines.join('');
}

/** Writes a file so long that the service makes several parts of it. */
async function writeSource({ folder }: Place, invalid: readonly boolean[]): Promise<string> {
  const path = join(folder, SPOOL, 'rows.ndjson');
  await mkdir(join(folder, SPOOL));
  await writeFile(path, linesOf(invalid, 0, 'x'.repeat(SOURCE_BYTES / invalid.length)));
  return path;
}

/** Starts a service that ends with this process; resolves when it listens. */
export async function serve(
  { databaseUrl, folder }: Place,
  settings: Readonly<Record<string, string>> = {},
): Promise<ChildProcess> {
  const { child } = await startProcess({
    env: {
      PATH: process.env['PATH'],
      NODE_OPTIONS: process.env['NODE_OPTIONS'],
      INTAGLIO_DATABASE_URL: databaseUrl,
      INTAGLIO_FILES_URL: `file:${join(folder, 'files')}`,
      INTAGLIO_LINK_SECRETS: 'a secret of the test that is long enough to sign links',
      INTAGLIO_PORT: '0',
      INTAGLIO_RUN_SOURCES: join(folder, SPOOL),
      INTAGLIO_POOL_THREADS: '2',
      ...settings,
    },
  });
  return child;
}

/** Resolves with the run when it is neither checked nor executed any more, or when time is up. */
export async function untilSettled(place: Place, runId: string): Promise<RunRecord> {
  const store = await open(place);
  try {
    for (const endMs = performance.now() + DONE_MS_MAX; ;) {
      const found = await store.runs.find(TEAM, runId);
      if (!found.found) throw new Error('the run was not found');
      const { state } = found.value;
      if ((state !== 'checking' && state !== 'running') || performance.now() > endMs) {
        return found.value;
      }
      await pause(200);
    }
  } finally {
    await store.close();
  }
}

async function checkRun(plan: KillPlan, run: RunRecord): Promise<KillOutcome> {
  const store = await open(plan.place);
  try {
    const violations: string[] = [];
    if (run.state !== 'done') {
      violations.push(`the run is ${run.state}: ${JSON.stringify(run.reasons)}`);
    }
    const rows = await manifestOf(store, run);
    violations.push(...rowFaults(plan, rows), ...countFaults(run, rows));
    const scrubbed = await store.documents.scrub({
      bytesPerSecond: 1e12,
      onFinding: (id, finding) => violations.push(`${id}: ${finding}`),
    });
    const { stored } = run.counts;
    if (scrubbed.checked !== stored) {
      violations.push(`${scrubbed.checked} documents, ${stored} rows stored`);
    }
    const audits = await countAudits(store, run.runId);
    if (audits !== stored) violations.push(`${audits} audit records, ${stored} rows stored`);
    const { orphans } = await store.documents.sweep(Date.now());
    const packs = await filesOf(store, run, rows);
    for (const name of await fileNames(plan.place)) {
      if (![...packs].some((id) => name.includes(id))) violations.push(`${name}: left over`);
    }
    return { violations, stored, orphans };
  } finally {
    await store.close();
  }
}

export async function manifestOf(
  store: Store,
  { runId }: RunRecord,
): Promise<readonly ManifestRow[]> {
  const rows: ManifestRow[] = [];
  for await (const some of store.runs.manifest(runId)) rows.push(...some);
  return rows;
}

/**
 * The ids of the files that a run keeps: its packs, the segments of its print files and, as long as
 * a faulty row can be corrected, its parts.
 */
export async function filesOf(
  store: Store,
  run: RunRecord,
  rows: readonly ManifestRow[],
): Promise<ReadonlySet<string>> {
  const { runId } = run;
  const ids = new Set(rows.map(({ packId }) => packId).filter((id) => id !== null));
  for (const { number } of (await store.runPrints.list(run, PRINTS_MAX, 0)).items) {
    const print = await store.runPrints.find(runId, number);
    for (const { fileId } of print?.segments ?? []) ids.add(fileId);
  }
  const faulty = await store.runExceptions.list(runId, ['invalid', 'failed'], 1, null);
  if (faulty.length > 0) {
    for (const { fileId } of await store.runs.parts(runId, PARTS_MAX, 0)) ids.add(fileId);
  }
  return ids;
}

/** More parts and print files than any run of these tests has. */
const PARTS_MAX = 10_000;
const PRINTS_MAX = 10_000;

/** Reports rows that are missing, repeated, out of order or have the wrong outcome. */
export function rowFaults(plan: RowsPlan, rows: readonly ManifestRow[]): readonly string[] {
  const faults: string[] = [];
  if (rows.length !== plan.rows) faults.push(`${rows.length} rows, ${plan.rows} were sent`);
  for (const [index, { rowId, outcome, fields }] of rows.entries()) {
    const wanted = isInvalid(plan, index) ? 'invalid' : 'stored';
    if (rowId !== `R${index}` || outcome !== wanted)
      faults.push(`${rowId}: ${outcome} at ${index}`);
    if (outcome === 'invalid' && fields?.[0]?.field !== 'total') faults.push(`${rowId}: no reason`);
  }
  const ids = rows.flatMap(({ documentId }) => documentId ?? []);
  if (new Set(ids).size !== ids.length) faults.push('a document stands for two rows');
  return faults.slice(0, 10);
}

/** Reports counts of the run that differ from its manifest. */
export function countFaults(
  { counts }: RunRecord,
  rows: readonly ManifestRow[],
): readonly string[] {
  const count = (wanted: string): number => rows.filter(({ outcome }) => outcome === wanted).length;
  const found = { stored: count('stored'), invalid: count('invalid'), received: rows.length };
  return Object.entries(found)
    .filter(([name, number]) => counts[name as keyof typeof found] !== number)
    .map(
      ([name, number]) => `counted ${name}: ${JSON.stringify(counts)}, ${number} in the manifest`,
    );
}

export async function countAudits(store: Store, requestId: string): Promise<number> {
  let count = 0;
  for (let after: string | undefined; ;) {
    const filter = { requestId, countMax: 1_000, ...(after !== undefined && { after }) };
    const page = await store.audit.list(filter);
    count += page.length;
    after = page.at(-1)?.auditId;
    if (page.length < 1_000) return count;
  }
}

/** Names of all stored files. */
export async function fileNames({ folder }: Place): Promise<readonly string[]> {
  const files = openFiles({ filesUrl: `file:${join(folder, 'files')}` });
  const names: string[] = [];
  for await (const entries of files.list()) names.push(...entries.map(({ name }) => name));
  await files.close();
  return names;
}
