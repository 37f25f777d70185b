import type { Failure, Outcome } from '../../../errors.ts';
import { fail, succeed } from '../../../errors.ts';
import type { RunMove, RunRecord, RunSpec, RunState } from '../../../store/runs/types.ts';
import { readJsonBody } from '../../body/json-body.ts';
import { refuseSource, tellSource } from '../../body/run-source.ts';
import {
  RUN_START_SCHEMA,
  type RunTotals,
  type StartRunRequest,
} from '../../../api/run-requests.ts';
import { createValidator } from '../../body/validator.ts';
import { readListQuery } from '../../list-query.ts';
import {
  filter,
  json,
  type Operation,
  paging,
  parameter,
  SINCE_TO,
} from '../../openapi/operation.ts';
import { RUN_ID_PARAMETER, MOVED } from './parameters.ts';
import { emptyBody } from '../../../api/schema.ts';
import * as docs from '../../../api/runs.ts';
import type { Run, RunList, RunWithParts } from '../../../api/runs.ts';
import { jsonReply, type PendingReply } from '../../reply/reply.ts';
import type { GuardedCall, GuardedRoute, Services } from '../../route.ts';
import { describedRoute } from '../../route.ts';
import { nameOf } from '../../callers/principal-name.ts';
import { create, CREATE_RUN, refuseSums } from './create.ts';
import {
  answer,
  describe,
  describeNow,
  describePart,
  EXPIRED,
  READS,
  record,
  RETRY_SECONDS,
  withRun,
  WRITES,
} from './run-call.ts';

const BODY_BYTES_MAX = 65_536;
const START_BYTES_MAX = 8_192;
/** Runs in a page when the caller gives no limit. */
const LIST_DEFAULT = 100;
/** Parts in one response: some milliseconds on the main thread. */
const PARTS_MAX = 500;

const validateStart = createValidator(RUN_START_SCHEMA);

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
  parameters: [RUN_ID_PARAMETER],
  body: json(emptyBody, {}),
  replies: MOVED,
  errors: ['bad_request', 'not_found', 'rate_limited', 'run_conflict', 'overloaded'],
} satisfies Partial<Operation>;

const LIST_RUNS = {
  operationId: 'listRuns',
  summary: "Runs of the caller's team, newest first",
  parameters: [
    ...SINCE_TO,
    filter('templateId', 'receipt', 'Of this template, in whichever version.'),
    ...paging(LIST_DEFAULT),
  ],
  replies: {
    200: {
      description: 'A page.',
      content: json(docs.runList, { runs: [docs.EXAMPLE], next: null }),
    },
  },
  errors: ['bad_request'],
} satisfies Operation;

const GET_RUN = {
  operationId: 'getRun',
  summary: 'A run with its progress, totals and parts',
  parameters: [
    RUN_ID_PARAMETER,
    parameter('query', 'after', { type: 'integer' }, 500, 'The value of nextPart, for more parts.'),
    parameter('query', 'limit', { type: 'integer' }, 100, 'Parts: 1 to 500; 500 when left out.'),
  ],
  replies: {
    200: { description: 'The run.', content: json(docs.runWithParts, docs.WITH_PARTS) },
  },
  errors: ['bad_request', 'not_found', 'rate_limited'],
} satisfies Operation;

const START_RUN = {
  operationId: 'startRun',
  summary: 'Check all rows, then make the documents',
  ...MOVING,
  body: json(RUN_START_SCHEMA, { dryRun: false }),
  errors: [...MOVING.errors, 'template_archived'],
} satisfies Operation;

const RESUME_RUN = {
  operationId: 'resumeRun',
  summary: 'Resume a paused run',
  ...MOVING,
  errors: [...MOVING.errors, 'template_archived'],
} satisfies Operation;

const PAUSE_RUN = {
  operationId: 'pauseRun',
  summary: 'Pause the run after the chunks in progress',
  ...MOVING,
} satisfies Operation;

const CANCEL_RUN = {
  operationId: 'cancelRun',
  summary: 'Cancel the run: nothing more is stored, stored documents stay',
  ...MOVING,
} satisfies Operation;

/** Routes that create, list and read runs, and change their state. */
export function runRoutes(services: Services): readonly GuardedRoute[] {
  const reading = { method: 'GET', access: READS, counted: 'runs' } as const;
  const changing = { method: 'POST', access: WRITES, changesRun: true } as const;
  const writing = { ...changing, counted: 'runs' } as const;
  const moving = (action: keyof typeof ACTIONS) => async (call: GuardedCall) =>
    withRun(services, call, (run) => move(services, call, run, action));
  return [
    describedRoute({
      ...writing,
      path: '/v1/runs',
      counted: true,
      bodyBytesMax: BODY_BYTES_MAX,
      operation: CREATE_RUN,
      run: (call) => create(services, call),
    }),
    describedRoute({
      ...reading,
      path: '/v1/runs',
      bodyBytesMax: 0,
      operation: LIST_RUNS,
      run: (call) => list(services, call),
    }),
    describedRoute({
      ...reading,
      path: '/v1/runs/:id',
      bodyBytesMax: 0,
      operation: GET_RUN,
      run: (call) => withRun(services, call, (run) => tell(services, call, run)),
    }),
    describedRoute({
      ...writing,
      path: '/v1/runs/:id/start',
      counted: true,
      bodyBytesMax: START_BYTES_MAX,
      operation: START_RUN,
      run: (call) => withRun(services, call, (run) => start(services, call, run)),
    }),
    describedRoute({
      ...writing,
      path: '/v1/runs/:id/resume',
      bodyBytesMax: START_BYTES_MAX,
      operation: RESUME_RUN,
      run: (call) => withRun(services, call, (run) => resume(services, call, run)),
    }),
    describedRoute({
      ...writing,
      path: '/v1/runs/:id/pause',
      bodyBytesMax: START_BYTES_MAX,
      operation: PAUSE_RUN,
      run: moving('pause'),
    }),
    describedRoute({
      ...writing,
      path: '/v1/runs/:id/cancel',
      bodyBytesMax: START_BYTES_MAX,
      operation: CANCEL_RUN,
      run: moving('cancel'),
    }),
  ];
}

async function list(services: Services, call: GuardedCall): PendingReply<RunList> {
  const asked = readListQuery(call.query, ['templateId'], LIST_DEFAULT);
  if (!asked.ok) return asked;
  const { filters, limit: countMax, ...bounds } = asked.value;
  const { teamId } = call.principal;
  const { items, next } = await services.store.runs.list({
    teamId,
    ...filters,
    ...bounds,
    countMax,
  });
  const described = await Promise.all(items.map((run) => describeNow(services, run)));
  return succeed(jsonReply<RunList>(200, { runs: described, next }));
}

async function tell(
  services: Services,
  { query, principal: { kind } }: GuardedCall,
  run: RunRecord,
): PendingReply<RunWithParts> {
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
  // A page that holds them all is what the clients of nearly all runs poll.
  const isWhole = Number(after) === 0 && nextPart === null && run.state !== 'cancelled';
  const { count: partCount, last: lastPart } = isWhole
    ? { count: parts.length, last: parts.at(-1)?.part ?? 0 }
    : await runs.countParts(run.runId);
  const isSummed = Object.keys(run.spec.expectedSums).length > 0;
  const sums = isSummed ? await services.store.runTotals.of(run) : {};
  const source = await tellSource(services, run);
  const damagedDocuments = await runs.countDamaged(run.runId);
  const documentsExpired = run.counts.stored > 0 && (await runs.haveDocumentsExpired(run.runId));
  // Only Admins may list keys. Systems, which poll, are spared the look-up.
  const name = kind === 'user' ? await nameOf(services.store, run.teamId, run.principal) : '';
  const creator = name === '' ? {} : { createdByName: name };
  const page = { partCount, lastPart, parts: parts.map(describePart), nextPart };
  const told = { ...describe(run, documentsExpired), damagedDocuments, documentsExpired };
  return succeed(jsonReply<RunWithParts>(200, { ...told, ...creator, source, ...sums, ...page }));
}

async function start(services: Services, call: GuardedCall, run: RunRecord): PendingReply<Run> {
  const sent = call.body.length === 0 ? succeed({}) : readJsonBody(call, validateStart);
  if (!sent.ok) return sent;
  const { dryRun = false, onInvalid, expected }: StartRunRequest = sent.value;
  const spec = respecify(run.spec, onInvalid, expected);
  if (!spec.ok) return spec;
  // Starting twice has the effect of starting once.
  if (UNDER_WAY.has(run.state) && run.isDryRun === dryRun) return answer(services, run);
  if (await services.store.runs.isCrowded(run.teamId)) return refuseCrowded(call);
  const refusal = await refuseStart(services, run);
  if (refusal !== null) return refusal;
  const change = { from: STARTS, to: 'checking', isDryRun: dryRun, spec: spec.value } as const;
  switch (await services.store.runs.start(run, change)) {
    case 'started':
      break;
    case 'closed': {
      const now = await readAgain(services, run);
      // Another caller has started it at the same moment.
      if (UNDER_WAY.has(now.state) && now.isDryRun === dryRun) return answer(services, now);
      return refuseState(now, STARTS);
    }
    case 'team_busy':
      return refuseCrowded(call);
  }
  await record(services, call, run, 'runs.start', changesOf(run.spec, spec.value));
  return wakeAndAnswer(services, run);
}

function refuseCrowded({ exchange }: GuardedCall): Failure {
  exchange.retryAfterSeconds = RETRY_SECONDS;
  return fail('rate_limited', 'Too many runs of your team are active: wait until one has ended.');
}

/** The specification with the choices of this start. Sums can be replaced, but not added. */
function respecify(
  spec: RunSpec,
  onInvalid: RunSpec['onInvalid'] = spec.onInvalid,
  expected: RunTotals = {},
): Outcome<RunSpec> {
  const { rows = spec.expectedRows, sums = {} } = expected;
  const refusal = refuseSums(sums);
  if (refusal !== null) return refusal;
  const added = Object.keys(sums).find((name) => !Object.hasOwn(spec.expectedSums, name));
  if (added !== undefined) {
    const message = `expected.sums.${added}: the run was created without a sum of this field.`;
    return fail('bad_request', message);
  }
  // The order of the names is that of the amounts of each row.
  const expectedSums = { ...spec.expectedSums, ...sums };
  return succeed({ ...spec, onInvalid, expectedRows: rows, expectedSums });
}

/** The detail of the audit record of a start, which never holds the totals themselves. */
function changesOf(before: RunSpec, after: RunSpec): string {
  const changes: string[] = [];
  if (before.onInvalid !== after.onInvalid) changes.push(`onInvalid ${after.onInvalid}`);
  if (before.expectedRows !== after.expectedRows) changes.push('another control total of rows');
  const [sums, newSums] = [before.expectedSums, after.expectedSums].map((all) =>
    JSON.stringify(all),
  );
  if (sums !== newSums) changes.push('other control sums');
  return changes.join(', ');
}

/** A version that was withdrawn since makes no new documents, by a run neither. */
async function refuseWithdrawn({ store }: Services, run: RunRecord): Promise<Failure | null> {
  const { templateId, version } = run.spec;
  const found = await store.templates.published(run.teamId, templateId, version);
  if (found.found) return null;
  if (found.why === 'archived') return fail('template_archived');
  const message = `Version ${version} of the template was withdrawn: create another run.`;
  return fail('run_conflict', message);
}

/** A run needs rows: parts, or a source that can be read now or was read before. */
async function refuseStart(services: Services, run: RunRecord): Promise<Failure | null> {
  const withdrawn = await refuseWithdrawn(services, run);
  if (withdrawn !== null) return withdrawn;
  const { source } = run.spec;
  if (source === null) {
    if (run.counts.bytesReceived > 0) return null;
    return fail('run_conflict', 'The run has no rows yet: upload a part first.');
  }
  const { isRead } = await services.store.runSources.progress(run.runId);
  return isRead ? null : refuseSource(services, run.teamId, source.path);
}

async function resume(services: Services, call: GuardedCall, run: RunRecord): PendingReply<Run> {
  if (UNDER_WAY.has(run.state)) return answer(services, run);
  if (run.state === 'paused') {
    const withdrawn = await refuseWithdrawn(services, run);
    if (withdrawn !== null) return withdrawn;
  }
  if (!(await services.store.runs.resume(run.runId))) {
    const now = await readAgain(services, run);
    // Another caller may have resumed the run at the same moment.
    return UNDER_WAY.has(now.state) ? answer(services, now) : refuseState(now, ['paused']);
  }
  await record(services, call, run, 'runs.resume');
  return wakeAndAnswer(services, run);
}

async function move(
  services: Services,
  call: GuardedCall,
  run: RunRecord,
  action: keyof typeof ACTIONS,
): PendingReply<Run> {
  const { from, to } = ACTIONS[action];
  if (run.state === to) return answer(services, run);
  if (!(await services.store.runs.move(run.runId, { from, to }))) {
    const now = await readAgain(services, run);
    // Another caller may have moved the run to the same state at the same moment.
    return now.state === to ? answer(services, now) : refuseState(now, from);
  }
  await record(services, call, run, `runs.${action}`);
  return answer(services, run);
}

/** The current run after a change of its state failed: another caller may have been first. */
async function readAgain({ store }: Services, run: RunRecord): Promise<RunRecord> {
  const found = await store.runs.find(run.teamId, run.runId);
  return found.found ? found.value : run;
}

function refuseState({ state, reasons }: RunRecord, allowed: readonly RunState[]): Failure {
  if (reasons.some(({ name }) => name === 'not_started')) return fail('run_conflict', EXPIRED);
  const which = allowed.join(', ');
  return fail('run_conflict', `The run is in state ${state}; this is possible in: ${which}.`);
}

async function wakeAndAnswer(services: Services, run: RunRecord): PendingReply<Run> {
  services.runs?.wake();
  return answer(services, run);
}
