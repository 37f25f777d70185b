import type { Failure } from '../../../errors.ts';
import { fail, succeed } from '../../../errors.ts';
import { nameFault } from '../../../runtime/readable-name.ts';
import type { RunRecord, RunSpec } from '../../../store/runs/types.ts';
import type { IdempotencyClaim } from '../../../store/store.ts';
import type { FieldDescriptor, SharedTemplate } from '#engine';
import { type Envelope, readEnvelope } from '../../body/envelope.ts';
import { readJsonBody } from '../../body/json-body.ts';
import { readSource } from '../../body/run-source.ts';
import { type CreateRunRequest, RUN_SCHEMA } from '../../../api/run-requests.ts';
import { createValidator } from '../../body/validator.ts';
import { claimKey } from '../../generate/claim.ts';
import { json, type Operation, parameter } from '../../openapi/operation.ts';
import * as docs from '../../../api/runs.ts';
import type { Run } from '../../../api/runs.ts';
import { jsonReply, type JsonReply, type PendingReply } from '../../reply/reply.ts';
import { beforeNotFound, type GuardedCall, type Services } from '../../route.ts';
import { describe, record } from './run-call.ts';
import { plainOptions, readRunProtection } from './protection.ts';
import { readRunSignature } from './signature.ts';
import { descriptorsOf, refuseSecretId } from './secret-fields.ts';

const DECIMAL = /^-?\d{1,40}(?:\.\d{1,20})?$/;
/** Default limit of the share of invalid rows, above which a run stops. */
const INVALID_SHARE = 0.05;

const validateRun = createValidator(RUN_SCHEMA);

export const CREATE_RUN = {
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
  body: json(docs.createBody, docs.MAKE),
  replies: {
    201: { description: 'Created, in state receiving.', content: json(docs.run, docs.EXAMPLE) },
  },
  errors: [
    'bad_request',
    'not_found',
    'template_archived',
    'rate_limited',
    'idempotency_conflict',
    'protection_unavailable',
    'signing_unavailable',
    'payload_too_large',
    'overloaded',
  ],
} satisfies Operation;

/**
 * Creates a run. A repeated request with the same Idempotency-Key gets the run that the first one
 * created.
 */
export async function create(services: Services, call: GuardedCall): PendingReply<Run> {
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

function refuseName(name: string): Failure | null {
  const fault = name === '' ? null : nameFault(name);
  return fault === null ? null : fail('bad_request', `name ${fault}.`);
}

async function make(
  services: Services,
  call: GuardedCall,
  claim: IdempotencyClaim | null,
): PendingReply<Run> {
  const sent = readJsonBody(call, validateRun);
  if (!sent.ok) return sent;
  const { templateId, version = null } = sent.value;
  const { csv = {} } = sent.value;
  if (csv.calendar !== undefined && csv.date === undefined) {
    return fail('bad_request', 'csv.calendar needs csv.date, the order of day, month and year.');
  }
  const { name = '' } = sent.value;
  const refusal = refuseName(name) ?? refuseSums(sumsOf(sent.value));
  if (refusal !== null) return refusal;
  const plain = plainOptions(sent.value);
  // The options apply to every document and are checked like those of one.
  const checked = readEnvelope({ templateId, mode: 'async', data: {}, options: plain });
  if (!checked.ok) return checked;
  const { watermark, metadata } = checked.value;
  const impossible = refuseOptions(checked.value);
  if (impossible !== null) return impossible;
  const { teamId } = call.principal;
  const signature = readRunSignature(services, teamId, sent.value, checked.value);
  if (!signature.ok) return signature;
  const found = await services.templates.published(teamId, templateId, version);
  if (!found.found) {
    const subject = { templateId, version };
    const denied = await beforeNotFound(services, call, found.why, 'runs.create', subject);
    const which = version === null ? '' : ' in this version';
    const missing = `There is no published template with this templateId${which}.`;
    return denied ?? fail('not_found', missing);
  }
  const { shared } = found.value;
  const load = (): Promise<SharedTemplate> => Promise.resolve(shared);
  const fields = await descriptorsOf(services, call, shared.hash, load);
  if (!fields.ok) return fields;
  const unknown = refuseFields(fields.value, sent.value);
  if (unknown !== null) return unknown;
  const protection = await readRunProtection(services, sent.value, fields.value);
  if (!protection.ok) return protection;
  const source = await readSource(services, teamId, sent.value.source);
  if (!source.ok) return source;
  const spec: RunSpec = {
    name,
    templateId,
    version: shared.version,
    watermark,
    metadata,
    idField: sent.value.idField,
    retentionSeconds: sent.value.retentionSeconds ?? services.options.retentionSeconds,
    expectedRows: sent.value.expected?.rows ?? null,
    expectedSums: sumsOf(sent.value),
    onInvalid: onInvalidOf(sent.value),
    invalidShareMax: sent.value.invalidShareMax ?? INVALID_SHARE,
    documentsPerPrint: sent.value.documentsPerPrint ?? null,
    protection: protection.value,
    signature: signature.value,
    source: source.value,
    ...(sent.value.csv === undefined ? {} : { csv: sent.value.csv }),
  };
  const run = await services.store.runs.create(teamId, call.principal.id, spec, claim);
  await record(services, call, run, 'runs.create');
  return succeed(created(services, run));
}

function created(services: Services, run: RunRecord): JsonReply<Run> {
  const headers = { Location: `${services.baseUrl()}/v1/runs/${run.runId}` };
  return jsonReply(201, describe(run, false), headers);
}

/** Without a word of the caller about invalid rows, no document is made while there is one. */
function onInvalidOf({ onInvalid, invalidShareMax = 0 }: CreateRunRequest): RunSpec['onInvalid'] {
  return onInvalid ?? (invalidShareMax > 0 ? 'skip' : 'stop');
}

/** Refuses options that only single documents can have. */
function refuseOptions({ attach }: Envelope): Failure | null {
  if (attach.length === 0) return null;
  const allowed = 'The options of a run may hold metadata, watermark, protection and signature.';
  return fail('bad_request', `options.attach: not possible in a run. ${allowed}`);
}

function sumsOf({ expected }: CreateRunRequest): Readonly<Record<string, string>> {
  return expected?.sums ?? {};
}

/** Refuses sums that are not decimal numbers. */
export function refuseSums(sums: Readonly<Record<string, string>>): Failure | null {
  const wrong = Object.entries(sums).find(([, sum]) => !DECIMAL.test(sum));
  if (wrong === undefined) return null;
  const place = `expected.sums.${wrong[0]}`;
  return fail('bad_request', `${place} must be a decimal in a string, such as "1250.50".`);
}

/** Refuses a secret id field, and sums of fields that are not number fields of the template. */
function refuseFields(fields: readonly FieldDescriptor[], asked: CreateRunRequest): Failure | null {
  const names = Object.keys(sumsOf(asked));
  const secretId = refuseSecretId(fields, asked.idField);
  if (secretId !== null) return secretId;
  const wrong = names.find(
    (name) => !fields.some((one) => one.name === name && one.type === 'number'),
  );
  if (wrong === undefined) return null;
  return fail(
    'bad_request',
    `expected.sums.${wrong}: the template has no number field of this name.`,
  );
}
