import type { Dispatcher } from './options.ts';

/** Gives the value of a header by its name in lower case; '': there is none. */
export type Header = (name: string) => string;

/** A request as it is sent once. */
export interface WireRequest {
  readonly url: string;
  readonly method: string;
  readonly headers: Record<string, string>;
  readonly body: string | Uint8Array<ArrayBuffer> | null;
  readonly signal: AbortSignal;
  /** How long nothing may be heard. */
  readonly silenceMs: number;
}

/** An answer whose body is still to be read. */
export interface WireAnswer {
  readonly status: number;
  readonly header: Header;
  readonly body: AsyncIterable<Uint8Array> | null;
}

/** Sends requests, and follows no redirects: they would hand the key on. */
export interface Wire {
  /** Whether it ends requests that hear nothing for `silenceMs` by itself. */
  readonly watchesSilence: boolean;
  request(request: WireRequest): Promise<WireAnswer>;
  /** Ends connections that are kept open. */
  close(): void;
}

/** Requests by a function with the interface of `fetch`. */
export function fetchWire(send: typeof fetch): Wire {
  return {
    watchesSilence: false,
    close: () => undefined,
    request: async ({ url, method, headers, body, signal }) => {
      const sent = body === null ? {} : { body };
      const response = await send(url, { method, headers, signal, redirect: 'manual', ...sent });
      const header = (name: string): string => response.headers.get(name) ?? '';
      return { status: response.status, header, body: response.body };
    },
  };
}

/** Requests by undici, which take a third of the CPU of its `fetch`. */
export function dispatcherWire(dispatcher: Dispatcher): Wire {
  return {
    watchesSilence: true,
    // It is the caller's.
    close: () => undefined,
    request: async ({ url, silenceMs, ...request }) => {
      const { origin, pathname, search } = new URL(url);
      const timeouts = { headersTimeout: silenceMs, bodyTimeout: silenceMs };
      const asked = { origin, path: pathname + search, ...request, ...timeouts };
      const { statusCode, headers, body } = await dispatcher.request(asked);
      return { status: statusCode, header: headerOf(headers), body };
    },
  };
}

/** Reads headers as Node and undici give them. */
export function headerOf(headers: Readonly<Record<string, string | string[] | undefined>>): Header {
  return (name) => {
    const value = headers[name] ?? '';
    return typeof value === 'string' ? value : value.join(', ');
  };
}
