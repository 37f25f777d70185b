import type { RequestHeaders } from './headers.ts';
import { readHeaders } from './headers.ts';
import type { UwsRequest } from './uws.ts';

/** The head of a request. */
export interface Request {
  /** Unchanged, because methods are case-sensitive (RFC 9110 §9.1). */
  readonly method: string;
  /** Without the query; percent-encoded as sent. */
  readonly path: string;
  /** Without the question mark. */
  readonly query: string;
  readonly headers: RequestHeaders;
  /** The fault for which the request is refused and its connection closed; '' for none. */
  readonly fault: string;
}

/** A method is a token (RFC 9110 §5.6.2). */
const METHOD = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]{1,32}$/;

/** Copies what is needed from `req`, which is valid only inside its handler. */
export function readRequest(req: UwsRequest): Request {
  const method = req.getCaseSensitiveMethod();
  const { headers, fault } = readHeaders(req);
  return {
    method,
    path: req.getUrl(),
    query: req.getQuery() ?? '',
    headers,
    fault: method === 'POST' || METHOD.test(method) ? fault : 'The request line is malformed.',
  };
}

/**
 * Whether the response must be the last of its connection, because smuggled requests may follow
 * (RFC 9112 §11.2). This is so after a faulty head; after a chunked body, because uWebSockets.js
 * accepts malformed sizes and takes a trailer for the next request; and after a POST without a
 * length, because uWebSockets.js stops reading headers at a line without a name, which may hide the
 * length.
 */
export function isLastOfConnection({ method, headers, fault }: Request): boolean {
  if (fault !== '' || headers.chunked) return true;
  return headers.contentLength === -1 && method !== 'GET' && method !== 'HEAD';
}
