import { readRefusal } from './refusal.ts';
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
    super(body === null ? unknown(status) : toldBy(status, body));
    this.status = status;
    this.code = body?.code ?? 'unknown';
    this.detail = body?.error ?? unknown(status);
    this.requestId = body?.requestId ?? '';
    this.fields = body?.fields ?? [];
    this.retryAfterMs = retryAfterMs;
  }
}

function toldBy(status: number, { error, code }: ErrorBody): string {
  const advice =
    code === 'unauthenticated' ? ': check apiKey, and that url is where it is from' : '';
  return `${error} (${code}, status ${status})${advice}`;
}

/** Redirects; browsers tell no more of one than 0. */
const REDIRECTS = new Set([0, 300, 301, 302, 303, 305, 307, 308]);

/** The message for a response that does not come from the service. */
function unknown(status: number): string {
  const told = `status ${status}`;
  if (REDIRECTS.has(status)) {
    return `${told}: a redirect, which would hand the key on; url has to be where it leads`;
  }
  if (status === 401) {
    return `${told}: the API key is missing or not accepted, or a proxy wants a name and a password`;
  }
  if (status === 407) return `${told}: ${PROXY_WANTS}`;
  return `${told}, which is not told as the service does; does a proxy answer?`;
}

/** What helps where a proxy answers 407. */
export const PROXY_WANTS =
  'the proxy wants a name and a password: give them in the option proxy, as in' +
  ' http://user:password@proxy.bank.example:3128';

/** `data` does not match the field contract: `fields` lists every defect. */
export class InvalidDataError extends ServiceError {
  override readonly name = 'InvalidDataError';
}

/** Something that the caller gave cannot be sent. Nothing was sent. */
export class InvalidArgumentError extends IntaglioError {
  override readonly name: string = 'InvalidArgumentError';
  /** Its place in the call, such as `documentId` or `data.lines[2].amount`. */
  readonly where: string;

  /** The message is the place, and what is wrong there. */
  constructor(where: string, fault: string, cause?: unknown) {
    super(`${where} ${fault}`, cause === undefined ? {} : { cause });
    this.where = where;
  }
}

/** A number to be sent is NaN or infinite, which JSON does not have. Nothing was sent. */
export class NotFiniteError extends InvalidArgumentError {
  override readonly name = 'NotFiniteError';

  constructor(where: string) {
    super(
      where,
      'is NaN or infinite, which JSON does not have: give a number, or null for a field without a' +
        ' value',
    );
  }
}

/** A number of tries in words. */
export function triesIn(tries: number): string {
  return tries === 1 ? '1 try' : `${tries} tries`;
}

/** What is known of a call without an answer. */
interface NoAnswer {
  readonly origin: string;
  readonly why: string;
  readonly code: string;
  readonly isFinal: boolean;
  readonly tries: number;
  readonly wasAnswered: boolean;
  /** The option that allows more; empty: none does. */
  readonly option: string;
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

  constructor(known: NoAnswer, cause: unknown) {
    const { origin, why, code, isFinal, tries, wasAnswered, option } = known;
    const advice = option === '' ? '' : `; a larger ${option} allows more`;
    super(`no answer from ${origin} after ${triesIn(tries)}: ${why}${advice}`, { cause });
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

/**
 * A file that arrived has another SHA-256 than the stored document, or none to compare it with although
 * the caller demands one. Nothing was kept of it.
 */
export class DigestError extends IntaglioError {
  override readonly name = 'DigestError';
  /** null: neither the caller nor the answer told one. */
  readonly expected: string | null;
  readonly actual: string;

  constructor(expected: string | null, actual: string) {
    super(
      expected === null
        ? 'the answer does not tell the SHA-256 of the document, which requireDigest demands: give it' +
            ' in the option sha256'
        : `the file has the SHA-256 ${actual}, and the document ${expected}`,
    );
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

/**
 * A file of this machine cannot be written or read: it is missing, the disk full, or access denied. Or
 * it was changed since its upload began.
 */
export class FileError extends IntaglioError {
  override readonly name = 'FileError';
}

/** The error of a file that cannot be read or written. */
export function fileError(
  path: string,
  cause: unknown,
  what: 'read' | 'written' = 'written',
): FileError {
  const why = cause instanceof Error && 'code' in cause ? String(cause.code) : String(cause);
  return new FileError(`${path} cannot be ${what}: ${why}`, { cause });
}

/** The error that an answer tells; `apiKey` does not stand in it. */
export function serviceError(
  status: number,
  text: string,
  retryAfterMs: number | null,
  apiKey: string | null = null,
): ServiceError {
  const body = readRefusal(text, apiKey);
  const made = body?.code === 'invalid_data' ? InvalidDataError : ServiceError;
  return new made(status, body, retryAfterMs);
}
