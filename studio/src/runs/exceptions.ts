import { ApiError, callJson, path, query } from '../api/client.ts';
import { CORRECTION } from '../../../src/runtime/contract/correction.ts';
import { tell } from '../app/state.ts';
import { t } from '../i18n/i18n.ts';
import { errorTitle } from '../ui/parts.tsx';
import { actOnRun, findRun, putPart, type Run } from './api.ts';
import type { RunException, RunExceptionList } from './types.ts';

export type ExceptionOutcome = RunException['outcome'];

/** Cells that a person has changed, by address and column. */
export type Edits = ReadonlyMap<string, Readonly<Record<string, string>>>;

const PAGE_ROWS = 25;
/** Uploads are tried under the next number when another upload was faster. */
const TRIES_MAX = 5;

export function addressOf({ part, line }: RunException): string {
  return `${part}:${line}`;
}

/** `outcome` null: invalid and failed rows. */
export function listExceptions(
  runId: string,
  outcome: ExceptionOutcome | null,
  after: string | null,
  signal?: AbortSignal,
): Promise<RunExceptionList> {
  const asked = query({ outcome, after, limit: PAGE_ROWS });
  return callJson<RunExceptionList>(`${path`/v1/runs/${runId}/exceptions`}${asked}`, { signal });
}

/** The rows for which there are corrections, also those that the page does not show yet. */
export async function listCorrected(run: Run, edits: Edits): Promise<readonly RunException[]> {
  const corrected: RunException[] = [];
  let after: string | null = null;
  do {
    const page: RunExceptionList = await listExceptions(run.runId, null, after);
    corrected.push(...page.rows.filter((row) => edits.has(addressOf(row))));
    after = page.next;
  } while (after !== null && corrected.length < edits.size);
  return corrected;
}

/** Uploads the corrected rows; `startCheck` lets the service check them. */
async function uploadCorrections(
  run: Run,
  rows: readonly RunException[],
  edits: Edits,
): Promise<void> {
  const lines = rows.flatMap((row) => {
    const changed = edits.get(addressOf(row));
    return changed === undefined ? [] : [correctionOf(row, changed)];
  });
  const text = new Blob([lines.map((line) => `${JSON.stringify(line)}\n`).join('')]);
  for (let tries = 1; ; tries += 1) {
    const { lastPart = 0 } = await findRun(run.runId);
    try {
      await putPart(run.runId, lastPart + 1, text, 'ndjson');
      return;
    } catch (error) {
      const isConflict = error instanceof ApiError && error.code === 'run_conflict';
      if (!isConflict || tries >= TRIES_MAX) throw error;
      // The number is free: the run itself takes no rows now.
      const { lastPart: last = 0 } = await findRun(run.runId);
      if (last === lastPart) throw error;
    }
  }
}

/**
 * Lets the service check corrections that have arrived, without making documents. If the check cannot be
 * started, a message says so and the run is returned as it was: its page offers to start, and nothing
 * is sent again.
 */
export async function startCheck(run: Run): Promise<Run> {
  try {
    const started = await actOnRun(run.runId, 'start', { dryRun: true });
    tell('good', () => t('runs.added_corrections'));
    return started;
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    tell('bad', () => `${t('runs.added_not_started')} ${errorTitle(error)}`);
    return run;
  }
}

/** Uploads the corrected rows, forgets their corrections, and lets the service check them. */
export async function sendCorrections(
  run: Run,
  rows: readonly RunException[],
  edits: Edits,
  change: (of: (edits: Edits) => Edits) => void,
): Promise<Run> {
  await uploadCorrections(run, rows, edits);
  // The service has them from here on, also if the check cannot be started.
  const sent = new Set(rows.map(addressOf));
  change((before) => new Map([...before].filter(([key]) => !sent.has(key))));
  return startCheck(run);
}

/** A row as it is to be. An empty cell takes the value away: fields that are not named are missed. */
export function correctionOf(
  { part, line, data, text }: RunException,
  changed: Readonly<Record<string, string>>,
): Record<string, unknown> {
  // Where the cells do not fit the columns, each may be in the wrong one: 12,50 makes 12 and 50.
  const columns = Object.keys(data ?? {});
  const kept = text === '' ? data : Object.fromEntries(columns.map((name) => [name, '']));
  return { [CORRECTION.part]: part, [CORRECTION.line]: line, ...kept, ...changed };
}

export function withdrawRow(run: Run, { part, line }: RunException): Promise<Run> {
  return callJson<Run>(path`/v1/runs/${run.runId}/withdraw`, {
    method: 'POST',
    body: { rows: [{ part, line }] },
  });
}
