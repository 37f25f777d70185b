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

/**
 * Whether an answer has a status that HTTP knows (RFC 9110 §15) and a coding that can be taken off
 * (RFC 9112 §6.1). Browsers tell no more of a redirect than 0.
 */
export function isHttp({ status, header }: WireAnswer): boolean {
  const isKnown = status === 0 || (status >= 200 && status < 600);
  return isKnown && /^(?:chunked)?$/i.test(header('transfer-encoding').trim());
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
      const timeouts = { headersTimeout: silenceMs, bodyTimeout: silenceMs };
      const asked = { ...splitAddress(url), ...request, ...timeouts };
      const { statusCode, headers, body } = await dispatcher.request(asked);
      return { status: statusCode, header: headerOf(headers), body };
    },
  };
}

/** Addresses that are written as URL would write them, which takes several microseconds for each. */
const PLAIN = /^(https?:\/\/[a-z\d.-]+(?::\d+)?)(\/[\w/?&=%~-][\w/?&=%.~-]*)$/;

function splitAddress(address: string): { readonly origin: string; readonly path: string } {
  const [, plain, path] = PLAIN.exec(address) ?? [];
  if (plain !== undefined && path !== undefined && !/\/\.|%2e/i.test(path)) {
    return { origin: plain, path };
  }
  const { origin, pathname, search } = new URL(address);
  return { origin, path: pathname + search };
}

/** Reads headers as Node and undici give them. */
export function headerOf(headers: Readonly<Record<string, string | string[] | undefined>>): Header {
  return (name) => {
    const value = headers[name] ?? '';
    return typeof value === 'string' ? value : value.join(', ');
  };
}
