import { STATUS_CODES } from 'node:http';
import type { Failure } from '../errors.ts';
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

/** The one shape of every refusal. `retryAfterSeconds` 0: the code's own, if it has one. */
export function failureReply(
  failure: Failure,
  requestId: string,
  retryAfterSeconds: number,
  extra: Readonly<Record<string, string>> = NO_HEADERS,
): Reply {
  const { code, message, fields } = failure;
  const headers: Record<string, string> = { ...JSON_TYPE, ...extra };
  const temporary = code === 'overloaded' || code === 'storage_unavailable';
  const retry = retryAfterSeconds || (temporary ? OVERLOADED_RETRY_SECONDS : 0);
  if (retry > 0) headers['Retry-After'] = String(retry);
  const error = { error: message, code, requestId };
  const body = JSON.stringify(fields === undefined ? error : { ...error, fields });
  return { status: ERRORS[code].status, headers, body };
}

const STATUS_LINES = new Map<number, string>(
  Object.entries(STATUS_CODES).map(([status, text]) => [Number(status), `${status} ${text}`]),
);

export function statusLine(status: number): string {
  return STATUS_LINES.get(status) ?? String(status);
}
