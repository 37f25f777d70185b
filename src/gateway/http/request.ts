import type { RequestHeaders } from './headers.ts';
import { readHeaders } from './headers.ts';
import type { UwsRequest } from './uws.ts';

/** The head of a request. */
export interface Request {
  /** As sent: methods are case-sensitive (RFC 9110 §9.1). */
  readonly method: string;
  /** Without the query; percent-encoded as sent. */
  readonly path: string;
  /** Without the question mark. */
  readonly query: string;
  readonly headers: RequestHeaders;
  /** Why the request cannot be answered and the connection has to end; '' for a sound one. */
  readonly fault: string;
}

/** RFC 9110 §5.6.2: the characters of a token, which a method is. */
const METHOD = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]{1,32}$/;

/** Copies out of `req` what is needed of it, because it is valid inside its handler only. */
export function readRequest(req: UwsRequest): Request {
  const method = req.getCaseSensitiveMethod();
  const { headers, fault } = readHeaders((visit) => req.forEach(visit));
  return {
    method,
    path: req.getUrl(),
    query: req.getQuery() ?? '',
    headers,
    fault: METHOD.test(method) ? fault : 'The request line is malformed.',
  };
}

/**
 * Whether the response has to be the last one of its connection, because what follows may be a
 * smuggled request (RFC 9112 §11.2): after a faulty head; after a chunked body, which uWebSockets.js
 * reads loosely (it accepts malformed sizes and takes a trailer for the next request); after a POST
 * without a length, which a header line without a name may have hidden: reading ends at that line.
 */
export function isLastOfConnection({ method, headers, fault }: Request): boolean {
  if (fault !== '' || headers.chunked) return true;
  return headers.contentLength === -1 && method !== 'GET' && method !== 'HEAD';
}
