import type { Outcome } from '../../../errors.ts';
import { fail, succeed } from '../../../errors.ts';
import { FaultyRows, writeCorrectionsCsv, writeCorrectionsJson } from '../../../runs/exceptions.ts';
import { judgeAgain } from '../../../runs/reasons/withdrawal.ts';
import type { RowAddress } from '../../../runtime/contract/correction.ts';
import {
  EXCEPTION_OUTCOMES,
  type ExceptionOutcome,
  type RunRecord,
} from '../../../store/runs/types.ts';
import { readJsonBody } from '../../body/json-body.ts';
import { RUN_WITHDRAW_SCHEMA } from '../../../api/run-requests.ts';
import { createValidator } from '../../body/validator.ts';
import { json, type Operation, parameter } from '../../openapi/operation.ts';
import { RUN_ID_PARAMETER, MOVED } from './parameters.ts';
import * as docs from '../../../api/runs.ts';
import {
  jsonReply,
  type JsonReply,
  type PendingReply,
  type PlainReply,
} from '../../reply/reply.ts';
import { describedRoute, type GuardedCall, type GuardedRoute, type Services } from '../../route.ts';
import { headersOf } from './file-names.ts';
import { secretsOfRun } from './secret-fields.ts';
import { recordRun, TYPES } from './results.ts';
import { answer, READS, record, withRun, WRITES } from './run-call.ts';

const LIMIT_DEFAULT = 50;
const LIMIT_MAX = 200;
const WITHDRAW_BYTES_MAX = 65_536;
/** Addresses that an audit record names. */
const NAMED_MAX = 12;
/** Rows that can be corrected or withdrawn. */
const OPEN: readonly ExceptionOutcome[] = ['invalid', 'failed'];
const QUERY = ['outcome', 'line', 'after', 'limit', 'format'];

const validateWithdrawal = createValidator(RUN_WITHDRAW_SCHEMA);

const LIST_EXCEPTIONS = {
  operationId: 'listRunExceptions',
  summary: 'Rows that are invalid, failed, identical to others, refused or withdrawn',
  note:
    'With their reasons and their data as they were uploaded, in the order of parts and lines; values of' +
    ' secret fields are left out. As csv' +
    ' or ndjson it is the file of all of them, which can be corrected and uploaded as a part: columns' +
    ' #part and #line make each row a correction.',
  parameters: [
    RUN_ID_PARAMETER,
    parameter(
      'query',
      'outcome',
      { enum: EXCEPTION_OUTCOMES },
      'invalid',
      'Only rows with this outcome; invalid and failed ones if left out.',
    ),
    parameter('query', 'line', { type: 'integer' }, 17, 'Invalid and failed rows on this line.'),
    parameter('query', 'after', { type: 'string' }, '1:17', 'The value of next, for more rows.'),
    parameter('query', 'limit', { type: 'integer' }, 50, 'Rows: 1 to 200; 50 when left out.'),
    parameter('query', 'format', { enum: ['json', 'csv', 'ndjson'] }, 'csv', 'json if left out.'),
  ],
  replies: {
    200: {
      description: 'A page, or the whole file.',
      content: {
        ...json(docs.exceptionList, docs.EXCEPTIONS),
        'text/csv': { schema: { type: 'string' }, example: docs.CORRECTIONS },
      },
    },
  },
  errors: ['bad_request', 'not_found', 'rate_limited'],
} satisfies Operation;

const WITHDRAW_ROWS = {
  operationId: 'withdrawRunRows',
  summary: 'Take invalid and failed rows out of the run',
  note:
    'In the states receiving, stopped and done. All rows are withdrawn or none. A withdrawn row still' +
    ' counts for the control totals, unless the stored documents have them already, and makes no' +
    ' document; an amount in it that cannot be read counts as 0. The reasons of the run are then those' +
    ' that still hold. Repeating the call changes nothing.',
  parameters: [RUN_ID_PARAMETER],
  body: json(RUN_WITHDRAW_SCHEMA, { rows: [{ part: 1, line: 17 }] }),
  replies: MOVED,
  errors: [
    'bad_request',
    'not_found',
    'rate_limited',
    'run_conflict',
    'payload_too_large',
    'overloaded',
  ],
} satisfies Operation;

/** Routes for rows that need a person's eye. */
export function runExceptionRoutes(services: Services): readonly GuardedRoute[] {
  return [
    describedRoute({
      method: 'GET',
      path: '/v1/runs/:id/exceptions',
      access: READS,
      counted: 'runs',
      bodyBytesMax: 0,
      operation: LIST_EXCEPTIONS,
      run: (call) => withRun(services, call, (run) => list(services, call, run)),
    }),
    describedRoute({
      method: 'POST',
      path: '/v1/runs/:id/withdraw',
      access: WRITES,
      counted: 'runs',
      changesRun: true,
      bodyBytesMax: WITHDRAW_BYTES_MAX,
      operation: WITHDRAW_ROWS,
      run: (call) => withRun(services, call, (run) => withdraw(services, call, run)),
    }),
  ];
}

interface Asked {
  readonly outcomes: readonly ExceptionOutcome[];
  readonly line: number | null;
  readonly after: RowAddress | null;
  readonly limit: number;
  readonly format: 'json' | 'csv' | 'ndjson';
}

function readQuery(query: string): Outcome<Asked> {
  const asked = new URLSearchParams(query);
  const unknown = [...asked.keys()].find((name) => !QUERY.includes(name));
  if (unknown !== undefined)
    return fail('bad_request', `The query knows only ${QUERY.join(', ')}.`);
  const outcome = asked.get('outcome');
  const known = EXCEPTION_OUTCOMES.find((one) => one === outcome);
  if (outcome !== null && known === undefined) {
    return fail('bad_request', `outcome must be one of ${EXCEPTION_OUTCOMES.join(', ')}.`);
  }
  const line = asked.get('line');
  if (line !== null && !/^[1-9]\d{0,8}$/.test(line)) {
    return fail('bad_request', 'line must be a whole number from 1.');
  }
  const limit = asked.get('limit') ?? String(LIMIT_DEFAULT);
  if (!/^[1-9]\d{0,2}$/.test(limit) || Number(limit) > LIMIT_MAX) {
    return fail('bad_request', `limit must be a whole number from 1 to ${LIMIT_MAX}.`);
  }
  const after = /^(\d{1,9}):(\d{1,9})$/.exec(asked.get('after') ?? '0:0');
  if (after === null) return fail('bad_request', 'after must be the value of next.');
  const format = (['json', 'csv', 'ndjson'] as const).find(
    (one) => one === (asked.get('format') ?? 'json'),
  );
  if (format === undefined) return fail('bad_request', 'format must be json, csv or ndjson.');
  return succeed({
    outcomes: known === undefined ? OPEN : [known],
    line: line === null ? null : Number(line),
    after: { part: Number(after[1]), line: Number(after[2]) },
    limit: Number(limit),
    format,
  });
}

async function list(
  services: Services,
  call: GuardedCall,
  run: RunRecord,
): Promise<Outcome<JsonReply<docs.RunExceptionList> | PlainReply>> {
  const asked = readQuery(call.query);
  if (!asked.ok) return asked;
  const { outcomes, format } = asked.value;
  const secrets = await secretsOfRun(services, call, run);
  if (!secrets.ok) return secrets;
  const faulty = new FaultyRows(services.store, run, secrets.value);
  if (format === 'json')
    return succeed(jsonReply(200, await page(services, faulty, run, asked.value)));
  const columns = format === 'csv' ? await faulty.columns(outcomes) : [];
  if (columns === null) {
    return fail(
      'bad_request',
      'The rows have more columns than a CSV may have: use format=ndjson.',
    );
  }
  await recordRun(services, call, run, `exceptions ${outcomes.join(' ')}`);
  const rows = faulty.pages(outcomes);
  const body =
    format === 'csv'
      ? writeCorrectionsCsv(rows, columns, run.spec.csv ?? {})
      : writeCorrectionsJson(rows);
  const headers = headersOf(run, TYPES[format], outcomes[0] ?? '', format);
  return succeed({ status: 200, headers, body });
}

async function page(
  { store }: Services,
  faulty: FaultyRows,
  { runId }: RunRecord,
  { outcomes, line, after, limit }: Asked,
): Promise<docs.RunExceptionList> {
  if (line !== null) {
    const addresses = await store.runExceptions.onLine(runId, line);
    const rows = await Promise.all(
      // The first one from just before its line on is the row itself.
      addresses.map((at) => faulty.page(OPEN, 1, { part: at.part, line: at.line - 1 })),
    );
    return { rows: rows.flat(), next: null };
  }
  // One more row tells whether the list goes on.
  const found = await faulty.page(outcomes, limit + 1, after);
  const rows = found.slice(0, limit);
  const last = found.length > limit ? rows.at(-1) : undefined;
  return { rows, next: last === undefined ? null : `${last.part}:${last.line}` };
}

async function withdraw(
  services: Services,
  call: GuardedCall,
  run: RunRecord,
): PendingReply<docs.Run> {
  const sent = readJsonBody(call, validateWithdrawal);
  if (!sent.ok) return sent;
  const { rows } = sent.value;
  const outcome = await services.store.runExceptions.withdraw(run, rows);
  if (outcome === 'closed') {
    return fail(
      'run_conflict',
      `The run is in state ${run.state}: its rows cannot be withdrawn now.`,
    );
  }
  if (outcome !== 'withdrawn') {
    const { part, line } = outcome;
    return fail(
      'run_conflict',
      `Part ${part}, line ${line}: no row that is invalid or failed is there. No row was withdrawn.`,
    );
  }
  const named = rows.slice(0, NAMED_MAX).map(({ part, line }) => `${part}:${line}`);
  const more = rows.length > NAMED_MAX ? ' …' : '';
  await record(
    services,
    call,
    run,
    'runs.withdraw',
    `${rows.length} rows ${named.join(' ')}${more}`,
  );
  await judgeAgain(services.store, run);
  return answer(services, run);
}
