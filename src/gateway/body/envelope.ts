import type { Failure, Outcome } from '../../errors.ts';
import { fail, succeed } from '../../errors.ts';
import { LIMITS } from '../../limits.ts';
import type { Steps } from '../../runtime/time-slice.ts';
import { looksBound, preparePassword } from '#engine/light';
import type { MetadataOption, Protection, WatermarkOption } from '#engine';
import { GENERATE_SCHEMA } from '../../api/document-requests.ts';
import type { TypeOf } from '../../api/schema.ts';
import { checkingWellFormed, type ParsedBody, parsingBody } from './parsed-body.ts';
import { createFaultLister, createValidator, type Fault } from './validator.ts';

/** The default opacity of a watermark. */
const WATERMARK_OPACITY = 0.15;

/** A checked generate request. Unless `draft`, `version` null selects the latest. */
export interface Envelope {
  readonly templateId: string;
  readonly version: number | null;
  readonly draft: boolean;
  readonly mode: 'sync' | 'async';
  readonly metadata: MetadataOption | null;
  readonly protection: Protection | null;
  readonly attach: readonly string[];
  readonly watermark: WatermarkOption | null;
  /** Sign the document, even if its template does not ask for it. */
  readonly signature: boolean;
}

type SentEnvelope = TypeOf<typeof GENERATE_SCHEMA>;

const validate = createValidator(GENERATE_SCHEMA);
const listFaults = createFaultLister(GENERATE_SCHEMA);
/** Limit of the faults in a message. */
const FAULTS_MAX = 10;

/** A generate request as the gateway reads it. */
export interface ReadRequest {
  readonly envelope: Envelope;
  readonly parsed: ParsedBody;
}

/**
 * Reads all of a generate body but `data`. `isKey`: the caller is an API key, which has no drafts.
 * `isRepeatable`: the request may claim an Idempotency-Key, which a malformed one must not.
 */
export function* readingRequest(
  body: Uint8Array,
  isKey: boolean,
  isRepeatable: boolean,
): Steps<Outcome<ReadRequest>> {
  const parsed = yield* parsingBody(body);
  if (!parsed.ok) return parsed;
  const { value } = parsed.value;
  const envelope = refuseAsked(value, isKey) ?? readEnvelope(value);
  const isClaim = isRepeatable && envelope.ok && envelope.value.mode === 'async';
  if (!envelope.ok || isClaim) {
    const wellFormed = yield* checkingWellFormed(body, parsed.value);
    if (!wellFormed.ok) return wellFormed;
  }
  if (!envelope.ok) return envelope;
  const whole = parsed.value.whole || isClaim;
  return succeed({ envelope: envelope.value, parsed: { ...parsed.value, whole } });
}

function refuseAsked(value: unknown, isKey: boolean): Failure | null {
  if (asksForBulkOutput(value)) {
    return fail('not_implemented', 'options.bulkOutput is not built in this release.');
  }
  return isKey && asksForDraft(value) ? fail('draft_requires_user') : null;
}

/** Whether the request has options.bulkOutput, which this release does not implement. */
function asksForBulkOutput(value: unknown): boolean {
  const options = ownValue(value, 'options');
  return typeof options === 'object' && options !== null && Object.hasOwn(options, 'bulkOutput');
}

function asksForDraft(value: unknown): boolean {
  return ownValue(value, 'draft') === true;
}

/** Checks a request; the refusal names every fault outside of `data`. */
export function readEnvelope(value: unknown): Outcome<Envelope> {
  const checked = validate(value);
  if (!checked.ok) return refuse([...listFaults(value), ...faultsBeside(value)]);
  const { templateId, version, draft = false, mode, options = {} } = checked.value;
  const faults = [
    ...draftFaults(checked.value),
    ...protectionFaults(options.protection),
    ...watermarkFaults(options.watermark),
  ];
  if (faults.length > 0) return refuse(faults);
  const { metadata, protection, attach = [], watermark } = options;
  return succeed({
    templateId,
    version: version ?? null,
    draft,
    mode,
    metadata: metadata === undefined ? null : cleanMetadata(metadata),
    protection: protection === undefined ? null : readProtection(protection),
    attach,
    watermark: watermark === undefined ? null : readWatermark(watermark),
    signature: options.signature ?? false,
  });
}

/** Faults that the schema cannot express, of the parts that are valid by the schema. */
function faultsBeside(value: unknown): readonly Fault[] {
  const options = ownValue(value, 'options');
  const protection = ownValue(options, 'protection');
  const watermark = ownValue(options, 'watermark');
  const faults: Fault[] = [];
  if (isProtection(protection)) faults.push(...protectionFaults(protection));
  if (isWatermark(watermark)) faults.push(...watermarkFaults(watermark));
  return faults;
}

const { protection: PROTECTION, watermark: WATERMARK } =
  GENERATE_SCHEMA.properties.options.properties;
const validateProtection = createValidator(PROTECTION);
const validateWatermark = createValidator(WATERMARK);

function isProtection(value: unknown): value is SentProtection {
  return validateProtection(value).ok;
}

function isWatermark(value: unknown): value is SentWatermark {
  return validateWatermark(value).ok;
}

/** `A is required; B must not be empty.` */
function refuse(faults: readonly Fault[]): Failure {
  const told = faults.slice(0, FAULTS_MAX).map(({ text }) => text);
  const omitted = faults.length - told.length;
  const more = omitted > 0 ? `; and ${omitted} more` : '';
  return fail('bad_request', `${told.join('; ')}${more}.`);
}

function draftFaults({ draft = false, version, mode, options }: SentEnvelope): readonly Fault[] {
  if (!draft) return [];
  const faults: Fault[] = [];
  if (version !== undefined) {
    faults.push({ place: '', text: 'version and draft exclude each other' });
  }
  if (mode === 'async') {
    faults.push({ place: 'mode', text: 'A draft can be generated in mode sync only' });
  }
  if (options?.signature === true) {
    const place = 'options.signature';
    const text = `${place}: a draft is never signed; leave it out, or publish the draft first`;
    faults.push({ place, text });
  }
  return faults;
}

type SentWatermark = TypeOf<typeof WATERMARK>;

function watermarkFaults(sent: SentWatermark | undefined): readonly Fault[] {
  if (sent === undefined || oneLine(sent.text).trim() !== '') return [];
  const place = 'options.watermark.text';
  return [{ place, text: `${place} must not be empty` }];
}

function readWatermark({ text, opacity = WATERMARK_OPACITY }: SentWatermark): WatermarkOption {
  return { text: oneLine(text), opacity };
}

function cleanMetadata({ title, subject }: MetadataOption): MetadataOption {
  return {
    ...(title !== undefined && { title: oneLine(title) }),
    ...(subject !== undefined && { subject: oneLine(subject) }),
  };
}

/**
 * Removes control characters and lone surrogates, as in texts of `data`; line breaks become spaces.
 */
function oneLine(text: string): string {
  return text.replaceAll(/\r\n|[\t\n\r]/gu, ' ').replaceAll(/[\p{Cc}\p{Cs}]/gu, '');
}

type SentProtection = TypeOf<typeof PROTECTION>;

const BOUND =
  'has {{…}}, which only runs replace by a field of each row: here it would be the password itself' +
  ' (docs/runs.md, Passwords by row)';

/**
 * Faults of passwords, as sent and as prepared: one outside these bounds could not open the file.
 */
function protectionFaults(sent: SentProtection | undefined): readonly Fault[] {
  if (sent === undefined) return [];
  const { userPassword = '', ownerPassword = '' } = sent;
  if (userPassword === '' && ownerPassword === '') {
    const place = 'options.protection';
    const text = `${place} needs a userPassword or an ownerPassword that is not empty`;
    return [{ place, text }];
  }
  const faults: Fault[] = [];
  for (const [name, password] of Object.entries({ userPassword, ownerPassword })) {
    const place = `options.protection.${name}`;
    if (!password.isWellFormed() || /\p{Cc}/u.test(password)) {
      faults.push({ place, text: `${place} must be text without control characters` });
      continue;
    }
    if (looksBound(password)) {
      faults.push({ place, text: `${place} ${BOUND}` });
      continue;
    }
    const prepared = preparePassword(password);
    if (prepared === null) {
      faults.push({
        place,
        text: `${place} holds characters that passwords cannot have (RFC 4013)`,
      });
    } else if (prepared === '' && password !== '') {
      faults.push({ place, text: `${place} holds only characters that do not count (RFC 4013)` });
    } else if (isTooLong(password) || isTooLong(prepared)) {
      faults.push({ place, text: `${place} must have at most ${LIMITS.passwordBytesMax} bytes` });
    }
  }
  return faults;
}

function isTooLong(password: string): boolean {
  return Buffer.byteLength(password) > LIMITS.passwordBytesMax;
}

/**
 * Passwords as they are encrypted. A user password that stands in for the owner's does so as it was
 * sent: readers that do not prepare what is typed (qpdf, browsers) open the document by it as well.
 */
function readProtection(sent: SentProtection): Protection {
  const { userPassword = '', ownerPassword = '', permissions = {} } = sent;
  const isAlone = ownerPassword === '' || ownerPassword === userPassword;
  return {
    userPassword: preparePassword(userPassword) ?? userPassword,
    ownerPassword: isAlone ? userPassword : (preparePassword(ownerPassword) ?? ownerPassword),
    permissions,
  };
}

function ownValue(value: unknown, key: string): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined;
  return (value as Record<string, unknown>)[key];
}
