/**
 * The one table of error codes. Every refusal the service can give is a row here; the spec's table
 * is tested against it in both directions (test/spec).
 */
export const ERRORS = {
  bad_request: { status: 400, message: 'The request is malformed.' },
  invalid_data: { status: 400, message: 'data does not match the field contract of the template.' },
  unauthenticated: { status: 401, message: 'X-Api-Key is missing or not valid.' },
  insufficient_scope: { status: 403, message: 'The API key lacks the scope this call needs.' },
  draft_requires_user: {
    status: 403,
    message: 'Drafts are for browser users with the role Editor or Admin, not for API keys.',
  },
  forbidden: { status: 403, message: 'The role of this user does not allow this call.' },
  not_found: { status: 404, message: 'There is no such resource.' },
  method_not_allowed: { status: 405, message: 'This address does not support that method.' },
  idempotency_conflict: {
    status: 409,
    message: 'This Idempotency-Key was already used with another request body.',
  },
  gone: { status: 410, message: 'The document has passed its expiry and was destroyed.' },
  payload_too_large: { status: 413, message: 'The request body is larger than allowed.' },
  range_not_satisfiable: { status: 416, message: 'The Range lies outside of the file.' },
  render_failed: { status: 422, message: 'The template could not be rendered.' },
  rate_limited: { status: 429, message: 'Too many generate calls for this caller.' },
  internal_error: { status: 500, message: 'The service failed unexpectedly.' },
  not_implemented: { status: 501, message: 'This capability is not built in this release.' },
  protection_unavailable: {
    status: 503,
    message: 'Password protection is not available on this server: qpdf is not installed.',
  },
  overloaded: { status: 503, message: 'All renderers are busy. Retry with exponential backoff.' },
  storage_unavailable: {
    status: 503,
    message: 'Storage or database is not available at the moment. Retry later.',
  },
} as const satisfies Record<string, { status: number; message: string }>;

export type ErrorCode = keyof typeof ERRORS;

/** One defective field of `data`. `reason` is one of the stable texts of contract/reasons.ts. */
export interface FieldDefect {
  readonly field: string;
  readonly reason: string;
}

/**
 * An expected failure as a value. `message` is for the caller: what, where, how to mend it; it never
 * holds data, paths or a tool's output.
 */
export interface Failure {
  readonly ok: false;
  readonly code: ErrorCode;
  readonly message: string;
  readonly fields?: readonly FieldDefect[];
}

/** What a step gives back: its value, or an expected failure. Bugs throw instead. */
export type Outcome<T> = { readonly ok: true; readonly value: T } | Failure;

export function succeed<T>(value: T): Outcome<T> {
  return { ok: true, value };
}

/** A failure with the table's own message unless a more exact one is given. */
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
