import { call, callJson, path, query } from '../api/client.ts';
import type { MadeFilters } from '../ui/made-filters.tsx';
import type { RowFormat } from './file/rows.ts';
import type {
  CreateRunRequest,
  Run as ListedRun,
  RunList,
  RunPrint,
  RunPrintList,
  RunState,
  RunWithParts,
} from './types.ts';

/** A run; lists have it without its sums and parts. */
export type Run = ListedRun & Partial<Omit<RunWithParts, keyof ListedRun>>;

export type RunAction = 'start' | 'pause' | 'resume' | 'cancel';

const UNDER_WAY: ReadonlySet<RunState> = new Set(['checking', 'running']);
const STARTABLE: ReadonlySet<RunState> = new Set(['receiving', 'stopped', 'done']);
const ENDED: ReadonlySet<RunState> = new Set(['done', 'cancelled']);

export function isUnderWay({ state }: Run): boolean {
  return UNDER_WAY.has(state);
}

/** Whether the run takes rows and can be started. */
export function takesRows({ state }: Run): boolean {
  return STARTABLE.has(state);
}

/** Whether starting the run would change anything. */
export function hasWork(run: Run): boolean {
  const { state, dryRun, counts } = run;
  if (!takesRows(run) || counts.bytesReceived === 0) return false;
  return state !== 'done' || dryRun || hasUnchecked(run);
}

/** Whether rows have come that no check has seen: what the page tells of the others is older. */
export function hasUnchecked({ counts }: Run): boolean {
  return counts.bytesChecked < counts.bytesReceived;
}

/** Whether all documents of the run have expired. */
export function haveExpired({ documentsExpired = false }: Run): boolean {
  return documentsExpired;
}

/** Whether the service still lists the rows: while it has documents, or rows to check or correct. */
export function hasRows(run: Run): boolean {
  const { state, counts, passwordsByRow } = run;
  if (!haveExpired(run)) return counts.received > 0;
  if (state !== 'done') return state !== 'cancelled';
  return hasUnchecked(run) || (counts.invalid + counts.failed > 0 && !passwordsByRow);
}

export function mayCancel({ state }: Run): boolean {
  return !ENDED.has(state);
}

/** Whether somebody has to go on with the run: it is not done or cancelled, or only checked. */
export function isUnfinished(run: Run): boolean {
  return mayCancel(run) || (run.state === 'done' && run.dryRun);
}

/** Progress within the present state, 0 to 1; null: nothing is under way. */
export function progressOf({ state, counts }: Run): number | null {
  const { stored, pending, bytesReceived, bytesChecked } = counts;
  const documents = stored + pending;
  if (state === 'checking') return bytesReceived === 0 ? 0 : bytesChecked / bytesReceived;
  if (state !== 'running' && state !== 'paused') return null;
  return documents === 0 ? 0 : stored / documents;
}

/** Runs in a page of the list. */
export const PAGE_RUNS = 50;

/** A page of the team's runs, newest first. */
export async function listRuns(
  filters: MadeFilters,
  after: string | null,
  signal: AbortSignal,
): Promise<{ items: readonly Run[]; next: string | null }> {
  const address = `/v1/runs${query({ ...filters, after, limit: PAGE_RUNS })}`;
  const { runs, next } = await callJson<RunList>(address, {
    signal,
  });
  return { items: runs, next };
}

export function findRun(runId: string, signal?: AbortSignal): Promise<Run> {
  return callJson<Run>(path`/v1/runs/${runId}`, { signal });
}

export async function listPrints(runId: string, signal: AbortSignal): Promise<readonly RunPrint[]> {
  const address = path`/v1/runs/${runId}/prints`;
  return (await callJson<RunPrintList>(address, { signal })).prints;
}

export function createRun(run: CreateRunRequest): Promise<Run> {
  return callJson<Run>('/v1/runs', { method: 'POST', body: run });
}

export function actOnRun(runId: string, action: RunAction, body: object = {}): Promise<Run> {
  return callJson<Run>(`${path`/v1/runs/${runId}`}/${action}`, { method: 'POST', body });
}

const TYPES = { csv: 'text/csv', ndjson: 'application/x-ndjson' } as const;

/** Uploads rows as one part, which begin on line `firstLine` of their file. The service stores the part before it responds. */
export async function putPart(
  runId: string,
  part: number,
  rows: Blob,
  format: RowFormat,
  firstLine = 1,
): Promise<void> {
  await call(`${path`/v1/runs/${runId}/parts/${part}`}?firstLine=${firstLine}`, {
    method: 'PUT',
    body: rows,
    headers: { 'content-type': TYPES[format] },
  });
}
