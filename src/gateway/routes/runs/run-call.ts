import type { Run, RunPart } from '../../../api/runs.ts';
import type { Outcome } from '../../../errors.ts';
import { fail, succeed } from '../../../errors.ts';
import { advisedReasons, isAdvised } from '../../../runs/reasons/further-rows.ts';
import type { RunPart as StoredPart, RunRecord } from '../../../store/runs/types.ts';
import { ROLES } from '../../../store/store.ts';
import { type AuditAction, auditRecord, SUCCEEDED } from '../../audit.ts';
import type { Access } from '../../callers/auth.ts';
import { jsonReply, type PendingReply } from '../../reply/reply.ts';
import { beforeNotFound, type GuardedCall, isoTime, type Services } from '../../route.ts';

/** Functions that all routes of runs use. */

const NO_RUN = 'There is no such run.';
/** When a caller may try again whose team has too much: runs end, and the sweep removes their rows. */
export const RETRY_SECONDS = 60;
/** Why a run with the reason `not_started` goes no further. */
export const EXPIRED =
  'The run was neither started nor checked within 24 hours after its last part, so it was cancelled' +
  ' and its rows were removed: create another run.';

export const WRITES: Access = {
  scope: 'runs',
  keyRefusal: 'insufficient_scope',
  roles: ['Editor', 'Admin'],
};
export const READS: Access = { ...WRITES, roles: ROLES };

/** Finds the run that the address names, for the caller's team. */
export async function withRun<T>(
  services: Services,
  call: GuardedCall,
  use: (run: RunRecord) => Promise<Outcome<T>>,
): Promise<Outcome<T>> {
  const [runId = ''] = call.params;
  const found = await services.store.runs.find(call.principal.teamId, runId);
  if (found.found) return use(found.value);
  const denied = await beforeNotFound(services, call, found.why, 'runs.read', {});
  return denied ?? fail('not_found', NO_RUN);
}

/** The run as it is now. */
export async function answer(services: Services, { teamId, runId }: RunRecord): PendingReply<Run> {
  const found = await services.store.runs.find(teamId, runId);
  return found.found
    ? succeed(jsonReply(200, await describeNow(services, found.value)))
    : fail('not_found', NO_RUN);
}

/** Adds the audit record of a change of a run. */
export async function record(
  services: Services,
  call: GuardedCall,
  run: RunRecord,
  action: AuditAction,
  detail = '',
): Promise<void> {
  const { templateId, version } = run.spec;
  const subject = { templateId, version, documentId: run.runId, detail };
  const entry = auditRecord(call, services.nowMs(), action, SUCCEEDED, subject);
  await services.store.audit.add(entry);
}

/** A run as responses show it; asks whether its documents have expired only for an advice. */
export async function describeNow({ store }: Services, run: RunRecord): Promise<Run> {
  return describe(run, isAdvised(run) && (await store.runs.haveDocumentsExpired(run.runId)));
}

/** A run as responses show it. `hasExpired`: all its stored documents have expired. */
export function describe(run: RunRecord, hasExpired: boolean): Run {
  const { spec, counts } = run;
  return {
    runId: run.runId,
    name: spec.name,
    templateId: spec.templateId,
    version: spec.version,
    idField: spec.idField,
    state: run.state,
    dryRun: run.isDryRun,
    counts,
    expected: { rows: spec.expectedRows, sums: spec.expectedSums },
    onInvalid: spec.onInvalid,
    invalidShareMax: spec.invalidShareMax,
    retentionSeconds: spec.retentionSeconds,
    documentsPerPrint: spec.documentsPerPrint ?? null,
    passwordsByRow: spec.protection !== null,
    signed: spec.signature,
    source: spec.source,
    csv: spec.csv ?? null,
    reasons: advisedReasons(run, hasExpired),
    createdBy: run.principal,
    createdAt: isoTime(run.createdAtMs),
    startedAt: run.startedAtMs === null ? null : isoTime(run.startedAtMs),
    endedAt: run.endedAtMs === null ? null : isoTime(run.endedAtMs),
  };
}

export function describePart({ part, sha256, format, bytes, checkedTo }: StoredPart): RunPart {
  return { part, sha256, format, bytes, checked: checkedTo >= bytes };
}
