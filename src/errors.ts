/**
 * The table of all error codes: every refusal of the service has a row here. A test compares it
 * with the spec's table in both directions (test/spec).
 */
export const ERRORS = {
  bad_request: {
    status: 400,
    retry: 'never',
    message: 'The request is malformed.',
    mend: 'Correct the request: `error` names what is wrong, all faults of `options` at once.',
  },
  invalid_data: {
    status: 400,
    retry: 'never',
    message: 'data does not match the field contract of the template.',
    mend: 'Correct the values that `fields` lists: [reasons](contract.md#reasons).',
  },
  unauthenticated: {
    status: 401,
    retry: 'never',
    message: 'X-Api-Key is missing or not valid.',
    mend: 'Send the key; ask its operator whether it was revoked or has expired.',
  },
  insufficient_scope: {
    status: 403,
    retry: 'never',
    message: 'The API key lacks the scope this call needs.',
    mend: 'Ask for a key with the scope. Where no scope allows the call: a reference is looked up by `POST /v1/verify`.',
  },
  draft_requires_user: {
    status: 403,
    retry: 'never',
    message: 'Drafts are for browser users with the role Editor or Admin, not for API keys.',
    mend: 'Use a published version.',
  },
  forbidden: {
    status: 403,
    retry: 'never',
    message: 'The role of this user does not allow this call.',
    mend: 'Ask an administrator for another role.',
  },
  not_found: {
    status: 404,
    retry: 'never',
    message: 'There is no such resource.',
    mend: 'Check identifier and version. Resources of another team are not found, either.',
  },
  method_not_allowed: {
    status: 405,
    retry: 'never',
    message: 'This address does not support that method.',
    mend: 'Use a method that the header `Allow` lists.',
  },
  idempotency_conflict: {
    status: 409,
    retry: 'never',
    message: 'This Idempotency-Key was already used with another request body.',
    mend: 'Use a new key for a new document. To repeat a request, send the same bytes: bodies that differ in spacing alone differ.',
  },
  run_conflict: {
    status: 409,
    retry: 'never',
    message: 'The run is in a state that does not allow this.',
    mend: 'Request the run: its `state` tells what it allows. A part keeps the rows that it got first.',
  },
  approval_conflict: {
    status: 409,
    retry: 'never',
    message: 'Something else was decided about this draft.',
    mend: 'Read the template again: its `approval` tells who decided what, and why.',
  },
  session_changed: {
    status: 409,
    retry: 'never',
    message: 'Another user has signed in with this browser. Nothing was done.',
    mend: 'Ask who is signed in (`GET /v1/session`). Only requests with the header `Intaglio-User`, as the Studio sends it, are refused so.',
  },
  template_archived: {
    status: 409,
    retry: 'never',
    message: 'The template is archived: it makes no new documents and is not published.',
    mend: 'Use another template, or ask an Admin of the team to take it out of the archive.',
  },
  gone: {
    status: 410,
    retry: 'never',
    message: 'The document has passed its expiry and was destroyed.',
    mend: 'Generate it again. For an expired link, request the record, which has a fresh one.',
  },
  precondition_failed: {
    status: 412,
    retry: 'never',
    message: 'The draft was changed since it was read.',
    mend: 'Read the draft again, and decide which of the two is right. Nothing was overwritten.',
  },
  payload_too_large: {
    status: 413,
    retry: 'never',
    message: 'The request body is larger than allowed.',
    mend: 'Send less: smaller pictures, fewer rows.',
  },
  range_not_satisfiable: {
    status: 416,
    retry: 'never',
    message: 'The Range lies outside of the file.',
    mend: 'Request a range within the size that `Content-Range` states.',
  },
  render_failed: {
    status: 422,
    retry: 'never',
    message: 'The template could not be rendered.',
    mend: 'Report it to the author of the template, with the `requestId`. The same request fails again.',
  },
  rate_limited: {
    status: 429,
    retry: 'later',
    message: 'Too many calls for this caller.',
    mend: 'Wait as many seconds as `Retry-After` says, then send it again.',
  },
  internal_error: {
    status: 500,
    retry: 'never',
    message: 'The service failed unexpectedly.',
    mend: 'Report it to the operator, with the `requestId`.',
  },
  not_implemented: {
    status: 501,
    retry: 'never',
    message: 'This capability is not built in this release.',
    mend: 'Leave `options.bulkOutput` out.',
  },
  protection_unavailable: {
    status: 503,
    retry: 'never',
    message: 'Password protection is not available on this server: qpdf is not installed.',
    mend: 'Do not retry: the operator has to install qpdf, or for runs to set INTAGLIO_ENCRYPTION_KEYS.',
  },
  signing_unavailable: {
    status: 503,
    retry: 'later',
    message:
      'The document cannot be signed: no signer is set up for this team, or it does not answer.',
    mend: 'Retry later; ask the operator whether a signer is set up. Nothing unsigned was issued.',
  },
  overloaded: {
    status: 503,
    retry: 'later',
    message: 'All renderers are busy. Retry with exponential backoff.',
    mend: 'Wait `Retry-After` seconds, and twice as long after each further refusal. `error` says what is busy when it is not the renderers.',
  },
  storage_unavailable: {
    status: 503,
    retry: 'later',
    message: 'Storage or database is not available at the moment. Retry later.',
    mend: 'As `overloaded`.',
  },
} as const satisfies Record<string, ErrorRow>;

interface ErrorRow {
  readonly status: number;
  /**
   * Whether a client may send the same request again: `later`, after the seconds of `Retry-After` or
   * a back-off of its own; `never` where the answer would be the same. The clients, the table of
   * docs/calling.md and /openapi.json have it from here.
   */
  readonly retry: 'later' | 'never';
  /** The `error` of a response that has no more precise message. */
  readonly message: string;
  /** Advice for callers, printed in the documentation. */
  readonly mend: string;
}

export type ErrorCode = keyof typeof ERRORS;

// The keys of a constant object are the codes.
const CODES = Object.keys(ERRORS) as readonly ErrorCode[];

/** The codes whose request may be sent again later, in the order of the table. */
export const RETRIED_CODES = CODES.filter((code) => ERRORS[code].retry === 'later');

/** Statuses that ask for a later repetition by themselves (RFC 9110 §15.6.4, RFC 6585 §4). */
const BUSY_STATUSES: ReadonlySet<number> = new Set([429, 503]);

/** The codes that have such a status, and whose repetition changes nothing all the same. */
export const FINAL_CODES = CODES.filter(
  (code) => ERRORS[code].retry === 'never' && BUSY_STATUSES.has(ERRORS[code].status),
);

/** One defective field of `data`. `reason` is one of the stable texts of contract/reasons.ts. */
export interface FieldDefect {
  readonly field: string;
  readonly reason: string;
}

/**
 * An expected failure as a value. `message` tells the caller what is wrong, where, and how to mend
 * it; it never holds data, paths or the output of a tool.
 */
export interface Failure {
  readonly ok: false;
  readonly code: ErrorCode;
  readonly message: string;
  readonly fields?: readonly FieldDefect[];
}

/** Result of a step: its value, or an expected failure. Bugs throw instead. */
export type Outcome<T> = Success<T> | Failure;

export interface Success<T> {
  readonly ok: true;
  readonly value: T;
}

export function succeed<T>(value: T): Success<T> {
  return { ok: true, value };
}

/** A failure, with the message of the table unless a more precise one is given. */
export function fail(
  code: ErrorCode,
  message: string = ERRORS[code].message,
  fields?: readonly FieldDefect[],
): Failure {
  return fields === undefined ? { ok: false, code, message } : { ok: false, code, message, fields };
}

/** Ends an exhaustive switch: reached only by a value outside its type. */
export function assertNever(value: never): never {
  throw new TypeError(`unexpected value ${JSON.stringify(value)}`);
}

/**
 * The entry of a list at an index that must exist; throws RangeError otherwise. Too slow for loops
 * over every glyph or cell: it is megamorphic, because it sees many kinds of lists.
 */
export function entryAt<T>(list: ArrayLike<T>, index: number): T {
  const entry = list[index];
  if (entry === undefined) throw new RangeError(`no entry ${index} in a list of ${list.length}`);
  return entry;
}
