import type { Failure, Outcome } from '../../../errors.ts';
import { fail, succeed } from '../../../errors.ts';
import type { RunMove, RunPart, RunRecord, RunSpec, RunState } from '../../../store/runs/types.ts';
import { type IdempotencyClaim, ROLES } from '../../../store/store.ts';
import type { SharedTemplate } from '../../../workers/job.ts';
import type { AuditAction } from '../../audit.ts';
import { auditRecord, SUCCEEDED } from '../../audit.ts';
import { type Envelope, readEnvelope } from '../../body/envelope.ts';
import { readJsonBody } from '../../body/json-body.ts';
import { RUN_SCHEMA, RUN_START_SCHEMA } from '../../body/schemas.ts';
import { createValidator } from '../../body/validator.ts';
import type { Access } from '../../callers/auth.ts';
import { claimKey } from '../../generate/claim.ts';
import { readPaging } from '../../list-query.ts';
import { json, type Operation, paging, parameter } from '../../openapi/operation.ts';
import * as docs from '../../openapi/run-schemas.ts';
import type { Reply } from '../../reply/reply.ts';
import { jsonReply } from '../../reply/reply.ts';
import type { GuardedCall, GuardedRoute, Services } from '../../route.ts';
import { beforeNotFound, isoTime } from '../../route.ts';
import { fieldsOf } from '../fields.ts';
import { readSource, refuseSource, type SentSource, tellSource } from '../../body/run-source.ts';

const BODY_BYTES_MAX = 65_536;
const START_BYTES_MAX = 1_024;
/** Runs in a page when the caller gives no limit. */
const LIST_DEFAULT = 100;
/** Parts in one response: some milliseconds on the main thread. */
const PARTS_MAX = 500;
const NO_RUN = 'There is no such run.';
const DECIMAL = /^-?\d{1,40}(?:\.\d{1,20})?$/;
/** Default limit of the share of invalid rows, above which a run stops. */
const INVALID_SHARE = 0.05;

export const WRITES: Access = {
  scope: 'runs',
  keyRefusal: 'insufficient_scope',
  roles: ['Editor', 'Admin'],
};
export const READS: Access = { ...WRITES, roles: ROLES };

interface SentRun {
  readonly templateId: string;
  readonly version?: number;
  readonly name?: string;
  readonly idField: string;
  readonly retentionSeconds?: number;
  readonly expected?: { readonly rows?: number; readonly sums?: Record<string, string> };
  readonly invalidShareMax?: number;
  readonly documentsPerPrint?: number;
  readonly options?: unknown;
  readonly source?: SentSource;
}

const validateRun = createValidator<SentRun>(RUN_SCHEMA);
const validateStart = createValidator<{ dryRun?: boolean }>(RUN_START_SCHEMA);

/** Actions on a run: the states from which each is allowed, and the state that follows. */
const ACTIONS = {
  pause: { from: ['checking', 'running'], to: 'paused' },
  cancel: { from: ['receiving', 'checking', 'running', 'paused', 'stopped'], to: 'cancelled' },
} as const satisfies Record<string, RunMove>;

const STARTS: readonly RunState[] = ['receiving', 'stopped', 'done'];
const UNDER_WAY: ReadonlySet<RunState> = new Set(['checking', 'running']);

/** Description common to the calls that change the state of a run. */
const MOVING = {
  note: 'Repeating the call changes nothing.',
  parameters: [docs.RUN_ID_PARAMETER],
  body: json(docs.EMPTY, {}),
  replies: docs.MOVED,
  errors: ['bad_request', 'not_found', 'rate_limited', 'run_conflict'],
} satisfies Partial<Operation>;

const CREATE_RUN: Operation = {
  operationId: 'createRun',
  summary: 'Create a run, which then accepts rows',
  parameters: [
    parameter(
      'header',
      'Idempotency-Key',
      { type: 'string', minLength: 1, maxLength: 255 },
      'month-end-2026-10',
      'Repeating the call makes no second run. 1 to 255 printable ASCII characters.',
    ),
  ],
  body: json(RUN_SCHEMA, docs.MAKE),
  replies: {
    201: { description: 'Created, in state receiving.', content: json(docs.run, docs.EXAMPLE) },
  },
  errors: [
    'bad_request',
    'not_found',
    'rate_limited',
    'idempotency_conflict',
    'payload_too_large',
    'overloaded',
  ],
};

const LIST_RUNS: Operation = {
  operationId: 'listRuns',
  summary: "Runs of the caller's team, newest first",
  parameters: paging(LIST_DEFAULT),
  replies: {
    200: {
      description: 'A page.',
      content: json(docs.runList, { runs: [docs.EXAMPLE], next: null }),
    },
  },
  errors: ['bad_request'],
};

const GET_RUN: Operation = {
  operationId: 'getRun',
  summary: 'A run with its progress, totals and parts',
  parameters: [
    docs.RUN_ID_PARAMETER,
    parameter('query', 'after', { type: 'integer' }, 500, 'The value of nextPart, for more parts.'),
    parameter('query', 'limit', { type: 'integer' }, 100, 'Parts: 1 to 500; 500 when left out.'),
  ],
  replies: {
    200: { description: 'The run.', content: json(docs.runWithParts, docs.WITH_PARTS) },
  },
  errors: ['bad_request', 'not_found', 'rate_limited'],
};

const START_RUN: Operation = {
  operationId: 'startRun',
  summary: 'Check all rows, then make the documents',
  ...MOVING,
  body: json(RUN_START_SCHEMA, { dryRun: false }),
};

const RESUME_RUN: Operation = {
  operationId: 'resumeRun',
  summary: 'Resume a paused run',
  ...MOVING,
};

const PAUSE_RUN: Operation = {
  operationId: 'pauseRun',
  summary: 'Pause the run after the chunks in progress',
  ...MOVING,
};

const CANCEL_RUN: Operation = {
  operationId: 'cancelRun',
  summary: 'Cancel the run: nothing more is stored, stored documents stay',
  ...MOVING,
};

/** Routes that create, list and read runs, and change their state. */
export function runRoutes(services: Services): readonly GuardedRoute[] {
  const reading = { kind: 'guarded', method: 'GET', access: READS, counted: false } as const;
  const writing = { kind: 'guarded', method: 'POST', access: WRITES, counted: false } as const;
  const moving = (action: keyof typeof ACTIONS): GuardedRoute['run'] => {
    return async (call) => withRun(services, call, (run) => move(services, call, run, action));
  };
  return [
    {
      ...writing,
      path: '/v1/runs',
      bodyBytesMax: BODY_BYTES_MAX,
      operation: CREATE_RUN,
      run: (call) => create(services, call),
    },
    {
      ...reading,
      path: '/v1/runs',
      bodyBytesMax: 0,
      operation: LIST_RUNS,
      run: (call) => list(services, call),
    },
    {
      ...reading,
      path: '/v1/runs/:id',
      bodyBytesMax: 0,
      operation: GET_RUN,
      run: (call) => withRun(services, call, (run) => tell(services, call, run)),
    },
    {
      ...writing,
      path: '/v1/runs/:id/start',
      bodyBytesMax: START_BYTES_MAX,
      operation: START_RUN,
      run: (call) => withRun(services, call, (run) => start(services, call, run)),
    },
    {
      ...writing,
      path: '/v1/runs/:id/resume',
      bodyBytesMax: START_BYTES_MAX,
      operation: RESUME_RUN,
      run: (call) => withRun(services, call, (run) => resume(services, call, run)),
    },
    {
      ...writing,
      path: '/v1/runs/:id/pause',
      bodyBytesMax: START_BYTES_MAX,
      operation: PAUSE_RUN,
      run: moving('pause'),
    },
    {
      ...writing,
      path: '/v1/runs/:id/cancel',
      bodyBytesMax: START_BYTES_MAX,
      operation: CANCEL_RUN,
      run: moving('cancel'),
    },
  ];
}

/**
 * Creates a run. A repeated request with the same Idempotency-Key gets the run that the first one
 * created.
 */
async function create(services: Services, call: GuardedCall): Promise<Outcome<Reply>> {
  const { exchange, principal, body } = call;
  const claimed = await claimKey(services, exchange, principal.teamId, body);
  if (!claimed.ok) return claimed;
  const { value } = claimed;
  if (value.kind === 'done') {
    const found = await services.store.runs.find(principal.teamId, value.subjectId);
    // If not found, the same key and body had created a document.
    return found.found ? succeed(created(services, found.value)) : fail('idempotency_conflict');
  }
  let isSettled = false;
  try {
    const made = await make(services, call, value.claim);
    isSettled = made.ok;
    return made;
  } finally {
    if (value.claim !== null && !isSettled) await services.store.idempotency.release(value.claim);
  }
}

async function make(
  services: Services,
  call: GuardedCall,
  claim: IdempotencyClaim | null,
): Promise<Outcome<Reply>> {
  const sent = readJsonBody(call, validateRun);
  if (!sent.ok) return sent;
  const { templateId, version = null, options } = sent.value;
  const refusal = refuseSums(sent.value);
  if (refusal !== null) return refusal;
  // The options apply to every document and are checked like those of one.
  const checked = readEnvelope({ templateId, mode: 'async', data: {}, options: options ?? {} });
  if (!checked.ok) return checked;
  const { watermark, metadata } = checked.value;
  const impossible = refuseOptions(checked.value);
  if (impossible !== null) return impossible;
  const { teamId } = call.principal;
  const found = await services.templates.published(teamId, templateId, version);
  if (!found.found) {
    const subject = { templateId, version };
    const denied = await beforeNotFound(services, call, found.why, 'runs.create', subject);
    return denied ?? fail('not_found', 'There is no published template with this templateId.');
  }
  const { shared } = found.value;
  const unknown = await refuseFields(services, call, shared, sumsOf(sent.value));
  if (unknown !== null) return unknown;
  const source = await readSource(services, teamId, sent.value.source);
  if (!source.ok) return source;
  const spec: RunSpec = {
    name: sent.value.name ?? '',
    templateId,
    version: shared.version,
    watermark,
    metadata,
    idField: sent.value.idField,
    retentionSeconds: sent.value.retentionSeconds ?? services.options.retentionSeconds,
    expectedRows: sent.value.expected?.rows ?? null,
    expectedSums: sumsOf(sent.value),
    invalidShareMax: sent.value.invalidShareMax ?? INVALID_SHARE,
    documentsPerPrint: sent.value.documentsPerPrint ?? null,
    source: source.value,
  };
  const run = await services.store.runs.create(teamId, call.principal.id, spec, claim);
  await record(services, call, run, 'runs.create');
  return succeed(created(services, run));
}

function created(services: Services, run: RunRecord): Reply {
  const headers = { Location: `${services.baseUrl()}/v1/runs/${run.runId}` };
  return jsonReply(201, describe(run), headers);
}

/** Refuses options that only single documents can have. */
function refuseOptions({ protection, attach, signature }: Envelope): Failure | null {
  const given = { protection: protection !== null, attach: attach.length > 0, signature };
  const names = Object.entries(given)
    .filter(([, isGiven]) => isGiven)
    .map(([name]) => `options.${name}`);
  if (names.length === 0) return null;
  const allowed = 'The options of a run may hold metadata and watermark.';
  return fail('bad_request', `${names.join(', ')}: not possible in a run. ${allowed}`);
}

function sumsOf({ expected }: SentRun): Readonly<Record<string, string>> {
  return expected?.sums ?? {};
}

function refuseSums(sent: SentRun): Failure | null {
  const wrong = Object.entries(sumsOf(sent)).find(([, sum]) => !DECIMAL.test(sum));
  if (wrong === undefined) return null;
  const place = `expected.sums.${wrong[0]}`;
  return fail('bad_request', `${place} must be a decimal in a string, such as "1250.50".`);
}

/** Refuses sums of fields that are not number fields of the template; null: all are. */
async function refuseFields(
  services: Services,
  call: GuardedCall,
  shared: SharedTemplate,
  sums: Readonly<Record<string, string>>,
): Promise<Failure | null> {
  const names = Object.keys(sums);
  if (names.length === 0) return null;
  const load = (): Promise<SharedTemplate> => Promise.resolve(shared);
  const listed = await fieldsOf(services, call, { hash: shared.hash, load });
  if (!listed.ok) return listed;
  // A renderer wrote the descriptors, so they have this shape.
  const fields = JSON.parse(Buffer.from(listed.value).toString('utf8')) as readonly {
    readonly name: string;
    readonly type: string;
  }[];
  const wrong = names.find(
    (name) => !fields.some((one) => one.name === name && one.type === 'number'),
  );
  if (wrong === undefined) return null;
  return fail(
    'bad_request',
    `expected.sums.${wrong}: the template has no number field of this name.`,
  );
}

async function list(services: Services, call: GuardedCall): Promise<Outcome<Reply>> {
  const asked = new URLSearchParams(call.query);
  const repeated = ['after', 'limit'].find((name) => asked.getAll(name).length > 1);
  if (repeated !== undefined) return fail('bad_request', `${repeated} may be given once.`);
  const page = readPaging(asked.get('after') ?? undefined, asked.get('limit') ?? `${LIST_DEFAULT}`);
  if (!page.ok) return page;
  const { limit, after } = page.value;
  const { items, next } = await services.store.runs.list(call.principal.teamId, limit, after);
  return succeed(jsonReply(200, { runs: items.map(describe), next }));
}

async function tell(
  services: Services,
  { query }: GuardedCall,
  run: RunRecord,
): Promise<Outcome<Reply>> {
  const { runs } = services.store;
  const asked = new URLSearchParams(query);
  const limit = asked.get('limit') ?? String(PARTS_MAX);
  const after = asked.get('after') ?? '0';
  if (!/^[1-9]\d{0,2}$/.test(limit) || Number(limit) > PARTS_MAX) {
    return fail('bad_request', `limit must be a whole number from 1 to ${PARTS_MAX}.`);
  }
  if (!/^\d{1,6}$/.test(after)) {
    return fail('bad_request', 'after must be the value of nextPart in the previous page.');
  }
  // One more part tells whether the list goes on.
  const found = await runs.parts(run.runId, Number(limit) + 1, Number(after));
  const parts = found.slice(0, Number(limit));
  const nextPart = found.length > parts.length ? (parts.at(-1)?.part ?? null) : null;
  const { count: partCount, last: lastPart } = await runs.countParts(run.runId);
  const isSummed = Object.keys(run.spec.expectedSums).length > 0;
  const sums = isSummed ? { sums: await runs.sums(run) } : {};
  const source = await tellSource(services, run);
  const page = { partCount, lastPart, parts: parts.map(describePart), nextPart };
  return succeed(jsonReply(200, { ...describe(run), source, ...sums, ...page }));
}

async function start(
  services: Services,
  call: GuardedCall,
  run: RunRecord,
): Promise<Outcome<Reply>> {
  const sent = call.body.length === 0 ? succeed({}) : readJsonBody(call, validateStart);
  if (!sent.ok) return sent;
  const { dryRun = false }: { dryRun?: boolean } = sent.value;
  // Starting twice has the effect of starting once.
  if (UNDER_WAY.has(run.state) && run.isDryRun === dryRun) return answer(services, run);
  const refusal = await refuseStart(services, run);
  if (refusal !== null) return refusal;
  const change = { from: STARTS, to: 'checking', isDryRun: dryRun } as const;
  if (!(await services.store.runs.move(run.runId, change))) return refuseState(run, STARTS);
  await record(services, call, run, 'runs.start');
  return wakeAndAnswer(services, run);
}

/** A run needs rows: parts, or a source that can be read now or was read before. */
async function refuseStart(services: Services, run: RunRecord): Promise<Failure | null> {
  const { source } = run.spec;
  if (source === null) {
    if (run.counts.bytesReceived > 0) return null;
    return fail('run_conflict', 'The run has no rows yet: upload a part first.');
  }
  const { isRead } = await services.store.runSources.progress(run.runId);
  return isRead ? null : refuseSource(services, run.teamId, source.path);
}

async function resume(
  services: Services,
  call: GuardedCall,
  run: RunRecord,
): Promise<Outcome<Reply>> {
  if (UNDER_WAY.has(run.state)) return answer(services, run);
  if (!(await services.store.runs.resume(run.runId))) return refuseState(run, ['paused']);
  await record(services, call, run, 'runs.resume');
  return wakeAndAnswer(services, run);
}

async function move(
  services: Services,
  call: GuardedCall,
  run: RunRecord,
  action: keyof typeof ACTIONS,
): Promise<Outcome<Reply>> {
  const { from, to } = ACTIONS[action];
  if (run.state === to) return answer(services, run);
  if (!(await services.store.runs.move(run.runId, { from, to }))) return refuseState(run, from);
  await record(services, call, run, `runs.${action}`);
  return answer(services, run);
}

function refuseState({ state }: RunRecord, allowed: readonly RunState[]): Failure {
  const which = allowed.join(', ');
  return fail('run_conflict', `The run is in state ${state}; this is possible in: ${which}.`);
}

async function wakeAndAnswer(services: Services, run: RunRecord): Promise<Outcome<Reply>> {
  services.runs?.wake();
  return answer(services, run);
}

async function answer(services: Services, { teamId, runId }: RunRecord): Promise<Outcome<Reply>> {
  const found = await services.store.runs.find(teamId, runId);
  return found.found ? succeed(jsonReply(200, describe(found.value))) : fail('not_found', NO_RUN);
}

/** Finds the run that the address names, for the caller's team. */
export async function withRun(
  services: Services,
  call: GuardedCall,
  use: (run: RunRecord) => Promise<Outcome<Reply>>,
): Promise<Outcome<Reply>> {
  const [runId = ''] = call.params;
  const found = await services.store.runs.find(call.principal.teamId, runId);
  if (found.found) return use(found.value);
  const denied = await beforeNotFound(services, call, found.why, 'runs.read', {});
  return denied ?? fail('not_found', NO_RUN);
}

/** Adds the audit record of a change of a run. */
export async function record(
  services: Services,
  call: GuardedCall,
  run: RunRecord,
  action: AuditAction,
): Promise<void> {
  const { templateId, version } = run.spec;
  const subject = { templateId, version, documentId: run.runId };
  const entry = auditRecord(call, services.nowMs(), action, SUCCEEDED, subject);
  await services.store.audit.add(entry);
}

/** A run as responses show it. */
export function describe(run: RunRecord): object {
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
    invalidShareMax: spec.invalidShareMax,
    retentionSeconds: spec.retentionSeconds,
    documentsPerPrint: spec.documentsPerPrint ?? null,
    source: spec.source,
    reasons: run.reasons,
    createdAt: isoTime(run.createdAtMs),
    startedAt: run.startedAtMs === null ? null : isoTime(run.startedAtMs),
    endedAt: run.endedAtMs === null ? null : isoTime(run.endedAtMs),
  };
}

export function describePart({ part, sha256, format, bytes, checkedTo }: RunPart): object {
  return { part, sha256, format, bytes, checked: checkedTo >= bytes };
}
