import { isUtf8 } from 'node:buffer';
import type { Outcome } from '../errors.ts';
import { fail, succeed } from '../errors.ts';
import { LIMITS } from '../limits.ts';
import type { Pausing } from '../turns.ts';
import type { MetadataOption, Permissions, Protection, WatermarkOption } from '../workers/job.ts';
import { checkingJson } from './json-syntax.ts';
import { GENERATE_SCHEMA } from './schemas.ts';
import { skimming } from './skim.ts';
import { createValidator } from './validator.ts';

/** Bodies up to this may hold anything beside `data`. */
const SHORT_BYTES_MAX = 64 * 1024;
/** What longer ones may hold there: parsing it holds up every other request. */
const MEMBERS_MAX = 1_000;
const NESTED_BYTES_MAX = 32 * 1024;
/** Where a watermark says nothing of its own (design 6). */
const WATERMARK_OPACITY = 0.15;

const MALFORMED = 'The body is not valid JSON.';

/** A generate body as far as the gateway reads it. `data` is the slice [dataStart, dataEnd). */
export interface ParsedBody {
  /** The body; `data` may be an empty stand-in. */
  readonly value: unknown;
  readonly dataStart: number;
  readonly dataEnd: number;
  /** False: nobody has parsed `data` yet, so the body may still turn out malformed. */
  readonly whole: boolean;
}

/** A checked generate request. Without a draft, `version` null asks for the latest. */
export interface Envelope {
  readonly templateId: string;
  readonly version: number | null;
  readonly draft: boolean;
  readonly mode: 'sync' | 'async';
  readonly metadata: MetadataOption | null;
  readonly protection: Protection | null;
  readonly attach: readonly string[];
  readonly watermark: WatermarkOption | null;
}

interface SentEnvelope {
  readonly templateId: string;
  readonly version?: number;
  readonly draft?: boolean;
  readonly mode: 'sync' | 'async';
  readonly options?: {
    readonly metadata?: MetadataOption;
    readonly protection?: {
      readonly userPassword?: string;
      readonly ownerPassword?: string;
      readonly permissions?: Permissions;
    };
    readonly attach?: readonly string[];
    readonly watermark?: { readonly text: string; readonly opacity?: number };
  };
}

const validate = createValidator<SentEnvelope>(GENERATE_SCHEMA);

/** Any other JSON body. */
export function parseJson(body: Uint8Array): Outcome<unknown> {
  if (!isUtf8(body)) return fail('bad_request', 'The body is not valid UTF-8.');
  return parseText(textOf(body, 0, body.length));
}

/**
 * The generate body: what is not `data`, and where `data` stands. Whatever a long body is, no more
 * than a fixed part of it is made into values here.
 */
export function* parsingBody(body: Uint8Array): Pausing<Outcome<ParsedBody>> {
  const isLong = body.length > SHORT_BYTES_MAX;
  const skimmed = yield* skimming(body, isLong ? MEMBERS_MAX : Number.POSITIVE_INFINITY);
  const { data, isBroken, members, nestedBytes } = skimmed;
  if (isLong && (members > MEMBERS_MAX || nestedBytes > NESTED_BYTES_MAX)) {
    return fail('bad_request', 'The body holds too much beside data.');
  }
  if (!isUtf8(body)) return fail('bad_request', 'The body is not valid UTF-8.');
  if (isBroken) return fail('bad_request', MALFORMED);
  if (data === null) return yield* parsingWithoutData(body, members > 0 || !isLong);
  const { start, end } = data;
  const standIn = body[start] === 0x7b ? '{}' : 'null';
  const rest = parseText(textOf(body, 0, start) + standIn + textOf(body, end, body.length));
  if (!rest.ok) return rest;
  return succeed({ value: rest.value, dataStart: start, dataEnd: end, whole: false });
}

/** What is known to be small, or to have few members; the rest is checked, and null stands for it. */
function* parsingWithoutData(body: Uint8Array, isSmall: boolean): Pausing<Outcome<ParsedBody>> {
  if (!isSmall && !(yield* checkingJson(body))) return fail('bad_request', MALFORMED);
  const value = isSmall ? parseText(textOf(body, 0, body.length)) : succeed(null);
  if (!value.ok) return value;
  return succeed({ value: value.value, dataStart: 0, dataEnd: 0, whole: true });
}

/** Malformed JSON outranks every later refusal: settles it for a body that was not parsed whole. */
export function* checkingWellFormed(
  body: Uint8Array,
  { whole, dataStart, dataEnd }: ParsedBody,
): Pausing<Outcome<null>> {
  if (whole || (yield* checkingJson(body.subarray(dataStart, dataEnd)))) {
    return succeed(null);
  }
  return fail('bad_request', MALFORMED);
}

/** Whether the caller asks for a thing this release names but does not build. */
export function asksForBulkOutput(value: unknown): boolean {
  const options = ownValue(value, 'options');
  return typeof options === 'object' && options !== null && Object.hasOwn(options, 'bulkOutput');
}

export function asksForDraft(value: unknown): boolean {
  return ownValue(value, 'draft') === true;
}

export function readEnvelope(value: unknown): Outcome<Envelope> {
  const checked = validate(value);
  if (!checked.ok) return checked;
  const { templateId, version, draft = false, mode, options = {} } = checked.value;
  if (draft && version !== undefined) {
    return fail('bad_request', 'version and draft exclude each other.');
  }
  if (draft && mode === 'async') {
    return fail('bad_request', 'A draft can be generated in mode sync only.');
  }
  const protection = readProtection(options.protection);
  if (!protection.ok) return protection;
  const watermark = readWatermark(options.watermark);
  if (!watermark.ok) return watermark;
  const { metadata, attach = [] } = options;
  return succeed({
    templateId,
    version: version ?? null,
    draft,
    mode,
    metadata: metadata === undefined ? null : cleanMetadata(metadata),
    protection: protection.value,
    attach,
    watermark: watermark.value,
  });
}

type SentWatermark = NonNullable<NonNullable<SentEnvelope['options']>['watermark']>;

/** Who asks for a watermark gets one that can be seen. */
function readWatermark(sent: SentWatermark | undefined): Outcome<WatermarkOption | null> {
  if (sent === undefined) return succeed(null);
  const text = oneLine(sent.text);
  if (text.trim() === '') return fail('bad_request', 'options.watermark.text must not be empty.');
  return succeed({ text, opacity: sent.opacity ?? WATERMARK_OPACITY });
}

function cleanMetadata({ title, subject }: MetadataOption): MetadataOption {
  return {
    ...(title !== undefined && { title: oneLine(title) }),
    ...(subject !== undefined && { subject: oneLine(subject) }),
  };
}

/** Text without control characters and lone surrogates, as texts of `data`; a break is a space. */
function oneLine(text: string): string {
  return text.replaceAll(/\r\n|[\t\n\r]/gu, ' ').replaceAll(/[\p{Cc}\p{Cs}]/gu, '');
}

type SentProtection = NonNullable<NonNullable<SentEnvelope['options']>['protection']>;

/** A password outside these bounds makes a file that nobody can open with it. */
function readProtection(sent: SentProtection | undefined): Outcome<Protection | null> {
  if (sent === undefined) return succeed(null);
  const { userPassword = '', ownerPassword = '', permissions = {} } = sent;
  if (userPassword === '' && ownerPassword === '') {
    return fail(
      'bad_request',
      'options.protection needs a userPassword or an ownerPassword that is not empty.',
    );
  }
  for (const [name, password] of Object.entries({ userPassword, ownerPassword })) {
    const place = `options.protection.${name}`;
    if (!password.isWellFormed() || /\p{Cc}/u.test(password)) {
      return fail('bad_request', `${place} must be text without control characters.`);
    }
    if (Buffer.byteLength(password) > LIMITS.passwordBytesMax) {
      return fail('bad_request', `${place} must have at most ${LIMITS.passwordBytesMax} bytes.`);
    }
  }
  return succeed({ userPassword, ownerPassword: ownerPassword || userPassword, permissions });
}

function parseText(text: string): Outcome<unknown> {
  try {
    return succeed(JSON.parse(text) as unknown);
  } catch (error) {
    if (error instanceof SyntaxError) return fail('bad_request', MALFORMED);
    throw error;
  }
}

function textOf(body: Uint8Array, start: number, end: number): string {
  return Buffer.from(body.buffer, body.byteOffset + start, end - start).toString('utf8');
}

function ownValue(value: unknown, key: string): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined;
  return (value as Record<string, unknown>)[key];
}
