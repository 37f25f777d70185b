import type { ErrorBody, ErrorCode, FieldError } from './types.ts';

/** Base class of all errors of this package. No message holds data, keys or passwords. */
export class IntaglioError extends Error {
  override readonly name: string = 'IntaglioError';
}

/** The service refused the call; a repetition is refused again, or was refused too often. */
export class ServiceError extends IntaglioError {
  override readonly name: string = 'ServiceError';
  /** Status of HTTP. */
  readonly status: number;
  /** `unknown`: the answer is not the service's own, but for example that of a proxy. */
  readonly code: ErrorCode | 'unknown';
  /** For the operator: the service's log and audit records have it. Empty where it is unknown. */
  readonly requestId: string;
  /** Every defective field of `data`; empty unless the code is `invalid_data`. */
  readonly fields: readonly FieldError[];
  /** How long the service asked to wait; null: it did not say. */
  readonly retryAfterMs: number | null;

  constructor(status: number, body: ErrorBody | null, retryAfterMs: number | null) {
    super(body === null ? unknown(status) : `${body.error} (${body.code}, status ${status})`);
    this.status = status;
    this.code = body?.code ?? 'unknown';
    this.requestId = body?.requestId ?? '';
    this.fields = body?.fields ?? [];
    this.retryAfterMs = retryAfterMs;
  }
}

/** The message for a response that does not come from the service. */
function unknown(status: number): string {
  // Browsers tell no more of a redirect than 0.
  if (status !== 0 && (status < 300 || status >= 400)) return `status ${status}`;
  return `status ${status}: a redirect, which would hand the key on; url has to be where it leads`;
}

/** `data` does not match the field contract: `fields` lists every defect. */
export class InvalidDataError extends ServiceError {
  override readonly name = 'InvalidDataError';
}

/** A number to be sent is NaN or infinite, which JSON does not have. Nothing was sent. */
export class NotFiniteError extends IntaglioError {
  override readonly name = 'NotFiniteError';
  /** Its place in the call, such as `data.lines[2].amount`. */
  readonly where: string;

  constructor(where: string) {
    super(
      `${where} is NaN or infinite, which JSON does not have: give a number, or null for a field` +
        ' without a value',
    );
    this.where = where;
  }
}

/** No complete answer came, however often the request was sent. */
export class NoAnswerError extends IntaglioError {
  override readonly name = 'NoAnswerError';
  /** How often the request was sent. */
  readonly tries: number;

  constructor(origin: string, why: string, tries: number, cause: unknown) {
    super(`no answer from ${origin} after ${tries} tries: ${why}`, { cause });
    this.tries = tries;
  }
}

/** A file that arrived has another SHA-256 than the stored document. Nothing was kept of it. */
export class DigestError extends IntaglioError {
  override readonly name = 'DigestError';
  readonly expected: string;
  readonly actual: string;

  constructor(expected: string, actual: string) {
    super(`the file has the SHA-256 ${actual}, and the document ${expected}`);
    this.expected = expected;
    this.actual = actual;
  }
}

/**
 * An answer with a status of success holds no whole PDF or archive: a proxy may have answered, or the
 * body broke off. Nothing was kept of it.
 */
export class NoDocumentError extends IntaglioError {
  override readonly name = 'NoDocumentError';
}

/**
 * A successful response is not the service's JSON, or is larger than any response of the service: it may
 * come from a proxy. The message quotes nothing from it.
 */
export class BadAnswerError extends IntaglioError {
  override readonly name = 'BadAnswerError';
}

/** A file of this machine cannot be written: its folder is missing, the disk full, or access denied. */
export class FileError extends IntaglioError {
  override readonly name = 'FileError';

  constructor(path: string, cause: unknown) {
    const why = cause instanceof Error && 'code' in cause ? String(cause.code) : String(cause);
    super(`${path} cannot be written: ${why}`, { cause });
  }
}

/** The error that an answer tells. */
export function serviceError(
  status: number,
  text: string,
  retryAfterMs: number | null,
): ServiceError {
  const body = readBody(text);
  const made = body?.code === 'invalid_data' ? InvalidDataError : ServiceError;
  return new made(status, body, retryAfterMs);
}

function readBody(text: string): ErrorBody | null {
  try {
    const value: unknown = JSON.parse(text);
    const isOwn = typeof value === 'object' && value !== null && 'code' in value;
    // The one shape of all errors of the service.
    return isOwn && 'error' in value ? (value as ErrorBody) : null;
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}
