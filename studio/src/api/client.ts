import { toJson } from './exact.ts';
import { heardFrom } from './service-time.ts';
import type { ErrorBody, FieldError } from './types.ts';

/** The error body of the service. A proxy may send another, and the Studio has own codes. */
type RefusalBody = Partial<Omit<ErrorBody, 'code'> & { readonly code: string }>;

/** Reasons of the layout, which refuses a value that the field contract allows. */
export const NO_ROOM = /place on the page$|edge of the page$|amount beside it$/;

/** What the service says of a stored file, of a document or of a run, that it cannot deliver. */
const FILE_LOST = / is damaged or lost\.$/;

/** The service refused a call, or could not be reached (`status` 0, code `offline`). */
export class ApiError extends Error {
  readonly status: number;
  readonly code: string;
  readonly requestId: string;
  readonly fields: readonly FieldError[];
  /** Seconds after which the call may be made again; 0: unknown. */
  readonly retryAfterSeconds: number;

  constructor(status: number, body: RefusalBody, retryAfterSeconds = 0) {
    super(body.error ?? '');
    this.name = 'ApiError';
    this.status = status;
    this.code = body.code ?? (status === 0 ? 'offline' : 'internal_error');
    this.requestId = body.requestId ?? '';
    this.fields = body.fields ?? [];
    this.retryAfterSeconds = retryAfterSeconds;
  }

  /** Whether the layout refused values that the field contract allows. */
  get isOfLayout(): boolean {
    return this.fields.length > 0 && this.fields.every(({ reason }) => NO_ROOM.test(reason));
  }

  /** Whether a stored file is damaged or lost: only an operator can bring it back. */
  get isOfLostFile(): boolean {
    return this.code === 'internal_error' && FILE_LOST.test(this.message);
  }

  /** Whether what was asked for is lost, expired or not there: trying again does not bring it back. */
  get isOfLostThing(): boolean {
    return this.isOfLostFile || this.status === 404 || this.status === 410;
  }

  /** Whether the same request would be refused again, so that repeating it is useless. */
  get isFinal(): boolean {
    return this.status >= 400 && this.status < 500 && !REPEATABLE.has(this.status);
  }
}

/** Refusals of a request that came too slowly, too early or too often (RFC 9110, 8470, 6585). */
const REPEATABLE: ReadonlySet<number> = new Set([408, 425, 429]);

/** Called when a request finds that the session has ended. */
let onSignedOut: () => void = () => undefined;

export function whenSignedOut(listener: () => void): void {
  onSignedOut = listener;
}

/** The user whom this page takes for signed in; '' for none. */
let believedUser = '';
/** Called when a request finds that another user has signed in with this browser. */
let onOtherUser: () => void = () => undefined;

/** Has the service refuse requests when another user than this one is signed in. */
export function believeUser(userId: string): void {
  believedUser = userId;
}

export function whenOtherUser(listener: () => void): void {
  onOtherUser = listener;
}

/** The header by which the service compares. To ask who is signed in, it must not refuse. */
export function believedHeader(address: string): Readonly<Record<string, string>> {
  if (believedUser === '' || address === '/v1/session') return {};
  return { 'intaglio-user': encodeURIComponent(believedUser) };
}

/**
 * Throws what the service would refuse a file with that the browser is going to fetch by itself: it
 * sends no header that names the user, and saves a refusal as if it were the file.
 */
export async function confirmFile(address: string): Promise<void> {
  try {
    await call(address, { method: 'HEAD' });
  } catch (error) {
    if (!(error instanceof ApiError) || error.status === 0) throw error;
    // The response to a HEAD has no body, so only the request itself tells the reason.
    const response = await call(address);
    await response.body?.cancel();
  }
}

/** Called when a request is refused for want of a right: the role may have changed. */
let onForbidden: () => void = () => undefined;

export function whenForbidden(listener: () => void): void {
  onForbidden = listener;
}

export interface CallOptions {
  readonly method?: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'DELETE';
  /** Sent as JSON, except that a string or a Blob is sent unchanged. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal | undefined;
}

/** Sends one request; throws ApiError unless it succeeds. */
export async function call(address: string, options: CallOptions = {}): Promise<Response> {
  const { method = 'GET', body, headers = {}, signal } = options;
  const hasBody = body !== undefined;
  const isReady = typeof body === 'string' || body instanceof Blob;
  const sent = isReady ? body : toJson(body);
  let response: Response;
  try {
    response = await fetch(address, {
      method,
      headers: {
        ...(hasBody ? { 'content-type': 'application/json' } : {}),
        ...believedHeader(address),
        ...headers,
      },
      ...(hasBody ? { body: sent } : {}),
      ...(signal === undefined ? {} : { signal }),
    });
  } catch (error) {
    if (signal?.aborted === true) throw error;
    throw new ApiError(0, {});
  }
  heardFrom(response);
  if (response.ok) return response;
  const refused = new ApiError(
    response.status,
    await readRefusal(response),
    Number(response.headers.get('retry-after') ?? 0),
  );
  if (refused.status === 401 && !address.startsWith('/auth/')) onSignedOut();
  if (refused.code === 'session_changed') onOtherUser();
  if (refused.status === 403 && address !== '/v1/session') onForbidden();
  throw refused;
}

/** Like `call`, but resolves to the JSON body. /openapi.json describes its shape. */
export async function callJson<T>(address: string, options: CallOptions = {}): Promise<T> {
  const response = await call(address, options);
  return (await readBody(response.json())) as T;
}

/** Like `call`, but resolves to the text of the body. */
export async function callText(address: string, options: CallOptions = {}): Promise<string> {
  const response = await call(address, options);
  return readBody(response.text());
}

/** Throws what `call` throws without an answer if the connection breaks while the body is read. */
export async function readBody<T>(reading: Promise<T>): Promise<T> {
  try {
    return await reading;
  } catch (error) {
    if (error instanceof TypeError) throw new ApiError(0, {});
    throw error;
  }
}

async function readRefusal(response: Response): Promise<RefusalBody> {
  try {
    return (await response.json()) as RefusalBody;
  } catch (error) {
    // A proxy in between may respond with an HTML page; the connection may break.
    if (error instanceof SyntaxError || error instanceof TypeError) return {};
    throw error;
  }
}

/** A template tag that builds a path and percent-encodes its parts. */
export function path(strings: TemplateStringsArray, ...parts: (string | number)[]): string {
  return String.raw({ raw: strings }, ...parts.map((part) => encodeURIComponent(part)));
}

/** Builds a query string from the parameters that are not empty. */
export function query(parts: Readonly<Record<string, string | number | null | undefined>>): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(parts)) {
    if (value !== undefined && value !== null && value !== '') search.set(name, String(value));
  }
  const text = search.toString();
  return text === '' ? '' : `?${text}`;
}
