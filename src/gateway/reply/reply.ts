import type { ErrorCode, Failure } from '../../errors.ts';
import { ERRORS } from '../../errors.ts';
import type { StoredFile } from '../../store/store.ts';
import type { ResponseHead } from '../http/response.ts';
import type { RateVerdict } from '../types.ts';

/** Bytes of a stored file, read as the caller takes them. The exchange closes the file. */
export interface FileSlice {
  readonly file: StoredFile;
  readonly from: number;
  /** First byte not sent. */
  readonly to: number;
}

/** What a route answers. `X-Request-Id` and the security headers are added when it is sent. */
export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Pieces are sent as they are produced; their total length is unknown before. */
  readonly body: string | Uint8Array | FileSlice | AsyncIterable<Uint8Array>;
  /** True: nothing else refers to the bytes of the body; their memory is freed once they are sent. */
  readonly ownsBody?: boolean;
  /** `Set-Cookie`, one each. */
  readonly cookies?: readonly string[];
}

const NO_HEADERS = {};
export const JSON_TYPE = { 'Content-Type': 'application/json; charset=utf-8' };

/** Seconds after which a refused generate may be tried again (the spec's errors table). */
const OVERLOADED_RETRY_SECONDS = 2;

export function jsonReply(
  status: number,
  value: unknown,
  headers: Readonly<Record<string, string>> = NO_HEADERS,
): Reply {
  return { status, headers: { ...JSON_TYPE, ...headers }, body: JSON.stringify(value) };
}

/** The table's own messages as JSON: most refusals have one of them. */
const MESSAGES = new Map<string, string>(
  Object.values(ERRORS).map(({ message }) => [message, JSON.stringify(message)]),
);

/** The one shape of every refusal. `retryAfterSeconds` 0: the code's own, if it has one. */
export function failureReply(
  failure: Failure,
  requestId: string,
  retryAfterSeconds: number,
  extra: Readonly<Record<string, string>> = NO_HEADERS,
): Reply {
  const { code, message, fields } = failure;
  const text = MESSAGES.get(message) ?? JSON.stringify(message);
  const list = fields === undefined ? '' : `,"fields":${JSON.stringify(fields)}`;
  // Codes and ids hold nothing that JSON would have to escape.
  const body = `{"error":${text},"code":"${code}","requestId":"${requestId}"${list}}`;
  return {
    status: ERRORS[code].status,
    headers: refusalHeaders(code, retryAfterSeconds, extra),
    body,
  };
}

function refusalHeaders(
  code: ErrorCode,
  retryAfterSeconds: number,
  extra: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  const headers: Record<string, string> = { ...JSON_TYPE, ...extra };
  const temporary = code === 'overloaded' || code === 'storage_unavailable';
  const retry = retryAfterSeconds || (temporary ? OVERLOADED_RETRY_SECONDS : 0);
  if (retry > 0) headers['Retry-After'] = String(retry);
  return headers;
}

/** A header's value with one of these could end the header (RFC 9110 §5.5). */
const UNSOUND = /[^\t -~\x80-\xff]/;

/**
 * Status and all headers of a reply; the HTTP layer adds length, date and connection.
 * Throws on a value that no header can hold.
 */
export function headOf(
  reply: Reply,
  requestId: string,
  serverTiming: string,
  rate: RateVerdict | null,
): ResponseHead {
  const { status, headers, cookies } = reply;
  const lines: string[] = [];
  for (const name in headers) addLine(lines, name, headers[name] ?? '');
  if (cookies !== undefined) for (const cookie of cookies) addLine(lines, 'Set-Cookie', cookie);
  if (!('Cache-Control' in headers)) lines.push('Cache-Control', 'no-store');
  if (serverTiming !== '') lines.push('Server-Timing', serverTiming);
  if (rate !== null) pushRate(lines, rate);
  lines.push('X-Request-Id', requestId, 'X-Content-Type-Options', 'nosniff');
  return { status, lines };
}

/** The fields of draft-ietf-httpapi-ratelimit-headers: structured fields (RFC 9651), in seconds. */
function pushRate(lines: string[], { limit, remaining, retryAfterMs }: RateVerdict): void {
  lines.push('RateLimit-Policy', `"minute";q=${limit};w=60`);
  lines.push(
    'RateLimit',
    `"minute";r=${remaining};t=${Math.max(0, Math.ceil(retryAfterMs / 1000))}`,
  );
}

function addLine(lines: string[], name: string, value: string): void {
  if (UNSOUND.test(value)) throw new Error(`header ${name} holds what no header can`);
  lines.push(name, value);
}
