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
  /** What the service says, without its code; of an answer that is not its own, the status. */
  readonly detail: string;
  /** For the operator: the service's log and audit records have it. Empty where it is unknown. */
  readonly requestId: string;
  /** Every defective field of `data`; empty unless the code is `invalid_data`. */
  readonly fields: readonly FieldError[];
  /** How long the service asked to wait; null: it did not say. */
  readonly retryAfterMs: number | null;
  /** How often the request was sent when the client gave up; null: it is refused again. */
  readonly givenUpAfter: number | null = null;

  constructor(status: number, body: ErrorBody | null, retryAfterMs: number | null) {
    super(body === null ? unknown(status) : `${body.error} (${body.code}, status ${status})`);
    this.status = status;
    this.code = body?.code ?? 'unknown';
    this.detail = body?.error ?? unknown(status);
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

/** What is known of a call without an answer. */
interface NoAnswer {
  readonly origin: string;
  readonly why: string;
  readonly code: string;
  readonly isFinal: boolean;
  readonly tries: number;
  readonly wasAnswered: boolean;
}

/** No complete answer came, however often the request was sent. */
export class NoAnswerError extends IntaglioError {
  override readonly name = 'NoAnswerError';
  /** How often the request was sent. */
  readonly tries: number;
  /** The last reason in words. */
  readonly why: string;
  /** Code of the last error, such as `ECONNREFUSED`; empty where there is none. */
  readonly code: string;
  /** Whether a repetition would end in the same way, as with a certificate that is not trusted. */
  readonly isFinal: boolean;
  /** Whether this client has got an answer before; if not, its `url` may be wrong. */
  readonly wasAnswered: boolean;

  constructor({ origin, why, code, isFinal, tries, wasAnswered }: NoAnswer, cause: unknown) {
    super(`no answer from ${origin} after ${tries} tries: ${why}`, { cause });
    this.tries = tries;
    this.why = why;
    this.code = code;
    this.isFinal = isFinal;
    this.wasAnswered = wasAnswered;
  }
}

/** The call was ended by its signal, such as a time limit, or by `close`. */
export class CancelledError extends IntaglioError {
  override readonly name = 'CancelledError';

  /** The cause is the signal's reason. */
  constructor(cause: unknown) {
    const isLimit = cause instanceof Error && cause.name === 'TimeoutError';
    super(isLimit ? 'the call ran into its time limit' : 'the call was cancelled', { cause });
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

/** A file of this machine cannot be written or read: it is missing, the disk full, or access denied. */
export class FileError extends IntaglioError {
  override readonly name = 'FileError';

  constructor(path: string, cause: unknown, what: 'read' | 'written' = 'written') {
    const why = cause instanceof Error && 'code' in cause ? String(cause.code) : String(cause);
    super(`${path} cannot be ${what}: ${why}`, { cause });
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
    if (typeof value !== 'object' || value === null || !('code' in value)) return null;
    // The one shape of all errors of the service.
    return { error: '', ...value } as ErrorBody;
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}
