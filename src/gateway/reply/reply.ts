import type { ErrorCode, Failure, Outcome } from '../../errors.ts';
import { ERRORS } from '../../errors.ts';
import type { StoredFile } from '../../store/store.ts';
import type { ResponseHead } from '../http/response.ts';
import type { RateVerdict } from '../types.ts';

/**
 * Bytes of a stored file, which are read as the client takes them. The exchange closes the file.
 */
export interface FileSlice {
  readonly file: StoredFile;
  readonly from: number;
  /** Offset of the first byte that is not sent. */
  readonly to: number;
}

declare const BODY: unique symbol;

/** The answer of a route. Sending adds `X-Request-Id` and the security headers. */
export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Pieces are sent as they are produced; their total length is unknown before. */
  readonly body: string | Uint8Array | FileSlice | AsyncIterable<Uint8Array>;
  /** True: nothing else refers to the bytes of the body; their memory is freed once they are sent. */
  readonly ownsBody?: boolean;
  /** The values of `Set-Cookie` headers. */
  readonly cookies?: readonly string[];
  /** Exists only for the compiler: the type of a body in JSON. */
  readonly [BODY]?: unknown;
}

/** A reply without a body in JSON: a PDF, a page, a redirect. */
export interface PlainReply extends Reply {
  readonly [BODY]?: never;
}

/** The reply of a refusal. */
interface FailureReply extends Reply {
  readonly body: string;
}

const NO_HEADERS: Readonly<Record<string, string>> = {};
export const JSON_TYPE = { 'Content-Type': 'application/json; charset=utf-8' };

/** `Retry-After` of a refused generate request (the spec's table of errors). */
const OVERLOADED_RETRY_SECONDS = 2;

/** A reply whose body is a T as JSON, with all of its members and no other. */
export interface JsonReply<T> extends Reply {
  readonly [BODY]: (value: T) => T;
}

/** What a handler gives that replies with a T as JSON, or refuses. */
export type PendingReply<T> = Promise<Outcome<JsonReply<T>>>;

export function jsonReply<T>(
  status: number,
  value: T,
  headers: Readonly<Record<string, string>> = NO_HEADERS,
): JsonReply<T> {
  const reply = { status, headers: { ...JSON_TYPE, ...headers }, body: JSON.stringify(value) };
  // The body was just made of a T; the member that says so has no value.
  return reply as Reply as JsonReply<T>;
}

/** A reply whose body was written as JSON before. The caller states that it is a T. */
export function writtenReply<T>(
  body: string | Uint8Array,
  { headers = JSON_TYPE, ownsBody = false }: Partial<Pick<Reply, 'headers' | 'ownsBody'>> = {},
): JsonReply<T> {
  const reply = { status: 200, headers, body, ownsBody };
  // See above: the member that says so has no value.
  return reply as Reply as JsonReply<T>;
}

/** The messages of the table as JSON, because most refusals have one of them. */
const MESSAGES = new Map<string, string>(
  Object.values(ERRORS).map(({ message }) => [message, JSON.stringify(message)]),
);

/** `retryAfterSeconds` 0 means the value of the code, if it has one. */
export function failureReply(
  failure: Failure,
  requestId: string,
  retryAfterSeconds: number,
  extra: Readonly<Record<string, string>> = NO_HEADERS,
): FailureReply {
  const { code, message, fields } = failure;
  const text = MESSAGES.get(message) ?? JSON.stringify(message);
  const list = fields === undefined ? '' : `,"fields":${JSON.stringify(fields)}`;
  // Codes and ids have no characters that JSON must escape.
  const body = `{"error":${text},"code":"${code}","requestId":"${requestId}"${list}}`;
  return {
    status: ERRORS[code].status,
    headers: refusalHeaders(code, retryAfterSeconds, extra),
    body,
  };
}

type Headers = Readonly<Record<string, string>>;

/** Header fields as text, cached for header objects that many replies share. */
const PREPARED = new WeakMap<Headers, string>();
/** Headers of refusals that depend only on the code. */
const REFUSAL_HEADERS = new Map<ErrorCode, Headers>();

function refusalHeaders(code: ErrorCode, retryAfterSeconds: number, extra: Headers): Headers {
  if (retryAfterSeconds > 0 || extra !== NO_HEADERS) {
    return madeRefusalHeaders(code, retryAfterSeconds, extra);
  }
  let headers = REFUSAL_HEADERS.get(code);
  if (headers === undefined) {
    headers = prepared(madeRefusalHeaders(code, 0, NO_HEADERS));
    REFUSAL_HEADERS.set(code, headers);
  }
  return headers;
}

function madeRefusalHeaders(code: ErrorCode, retryAfterSeconds: number, extra: Headers): Headers {
  const headers: Record<string, string> = { ...JSON_TYPE, ...extra };
  const temporary = code === 'overloaded' || code === 'storage_unavailable';
  const retry = retryAfterSeconds || (temporary ? OVERLOADED_RETRY_SECONDS : 0);
  if (retry > 0) headers['Retry-After'] = String(retry);
  return headers;
}

/** Caches the text of these headers for all replies that use the same object. */
export function prepared(headers: Headers): Headers {
  PREPARED.set(headers, fieldsOf(headers));
  return headers;
}

/**
 * Characters that a header value must not hold, because they could end the header (RFC 9110 §5.5).
 */
const UNSOUND = /[^\t -~\x80-\xff]/;

/** A browser that had this answer over HTTPS uses nothing else for a year (RFC 6797 §6.1). */
const STRICT = 'Strict-Transport-Security: max-age=31536000\r\n';

/**
 * Status and headers of a reply; the HTTP layer adds length, date and connection. Throws when a
 * value cannot be in a header.
 */
export function headOf(
  reply: Reply,
  requestId: string,
  serverTiming: string,
  rate: RateVerdict | null,
  isHttps: boolean,
): ResponseHead {
  const { status, headers, cookies } = reply;
  let fields = PREPARED.get(headers) ?? fieldsOf(headers);
  if (cookies !== undefined) for (const cookie of cookies) fields += field('Set-Cookie', cookie);
  if (serverTiming !== '') fields += `Server-Timing: ${serverTiming}\r\n`;
  if (rate !== null) fields += rateFields(rate);
  if (isHttps) fields += STRICT;
  return { status, fields: `${fields}X-Request-Id: ${requestId}` };
}

/** The headers as text; each line ends with CRLF. */
function fieldsOf(headers: Headers): string {
  let fields = 'X-Content-Type-Options: nosniff\r\n';
  for (const name in headers) fields += field(name, headers[name] ?? '');
  return 'Cache-Control' in headers ? fields : `${fields}Cache-Control: no-store\r\n`;
}

/**
 * The headers of draft-ietf-httpapi-ratelimit-headers, which are structured fields (RFC 9651) in
 * seconds.
 */
function rateFields({ limit, remaining, retryAfterMs }: RateVerdict): string {
  const seconds = Math.max(0, Math.ceil(retryAfterMs / 1000));
  return (
    `RateLimit-Policy: "minute";q=${limit};w=60\r\n` +
    `RateLimit: "minute";r=${remaining};t=${seconds}\r\n`
  );
}

function field(name: string, value: string): string {
  if (UNSOUND.test(value)) throw new Error(`header ${name} holds what no header can`);
  return `${name}: ${value}\r\n`;
}
