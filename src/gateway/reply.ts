import { STATUS_CODES } from 'node:http';
import type { ErrorCode, Failure } from '../errors.ts';
import { ERRORS } from '../errors.ts';
import type { StoredFile } from '../store/store.ts';

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
  readonly body: string | Uint8Array | FileSlice;
  /** Nobody else has the bytes of the body: their memory is given back when they are sent. */
  readonly isPassing?: boolean;
  /** `Set-Cookie`, one each. */
  readonly cookies?: readonly string[];
  /** Status line and headers as they go out, where they were made before: those of `usualHead`. */
  readonly head?: string;
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
  if (retryAfterSeconds === 0 && extra === NO_HEADERS) return { ...usualRefusal(code), body };
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

type RefusalHead = Required<Pick<Reply, 'status' | 'headers' | 'head'>>;
const USUAL_REFUSALS = new Map<ErrorCode, RefusalHead>();

/** By code alone: a flood is turned away with the same line and headers again and again. */
function usualRefusal(code: ErrorCode): RefusalHead {
  const known = USUAL_REFUSALS.get(code);
  if (known !== undefined) return known;
  const { status } = ERRORS[code];
  const headers = refusalHeaders(code, 0, NO_HEADERS);
  const made = { status, headers, head: usualHead({ status, headers, body: '' }) };
  USUAL_REFUSALS.set(code, made);
  return made;
}

const STATUS_LINES = new Map<number, string>(
  Object.entries(STATUS_CODES).map(([status, text]) => [
    Number(status),
    `HTTP/1.1 ${status} ${text}\r\n`,
  ]),
);

/** Cannot stand in a header's value: it could end the header (RFC 9110 §5.5). */
const UNSOUND = /[^\t -~\x80-\xff]/;
const NO_COOKIES: readonly string[] = [];

/**
 * Status line and headers of an answer as they go out, one character a byte (RFC 9112 §4, §5).
 * Throws on a value that no header can hold.
 */
export function replyHead(
  reply: Reply,
  requestId: string,
  serverTiming: string,
  closes: boolean,
): string {
  let head = reply.head ?? usualHead(reply);
  if (serverTiming !== '') head += `Server-Timing: ${serverTiming}\r\n`;
  if (closes) head += 'Connection: close\r\n';
  return (
    `${head}X-Request-Id: ${requestId}\r\nX-Content-Type-Options: nosniff\r\n` +
    `Date: ${httpDate()}\r\nContent-Length: ${bodyLength(reply.body)}\r\n\r\n`
  );
}

/** What depends on the reply alone. */
function usualHead({ status, headers, cookies }: Reply): string {
  let head = STATUS_LINES.get(status) ?? `HTTP/1.1 ${status} \r\n`;
  for (const name in headers) {
    const value = headers[name] ?? '';
    if (UNSOUND.test(value)) throw new Error(`header ${name} holds what no header can`);
    head += `${name}: ${value}\r\n`;
  }
  for (const cookie of cookies ?? NO_COOKIES) {
    if (UNSOUND.test(cookie)) throw new Error('a cookie holds what no header can');
    head += `Set-Cookie: ${cookie}\r\n`;
  }
  return 'Cache-Control' in headers ? head : `${head}Cache-Control: no-store\r\n`;
}

function bodyLength(body: Reply['body']): number {
  if (typeof body === 'string') return Buffer.byteLength(body);
  return 'file' in body ? body.to - body.from : body.byteLength;
}

let dateSecond = 0;
let dateText = '';

/** Now, as RFC 9110 §5.6.7 writes it; made anew once a second. */
function httpDate(): string {
  const second = Math.floor(Date.now() / 1_000);
  if (second !== dateSecond) {
    dateSecond = second;
    dateText = new Date(second * 1_000).toUTCString();
  }
  return dateText;
}
