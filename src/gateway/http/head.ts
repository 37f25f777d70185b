import type { RequestHeaders } from './headers.ts';
import { noHeaders, readHeaders } from './headers.ts';

/**
 * The head of a request (RFC 9112 §2 to §5), read strictly: what a proxy in front could read in
 * another way is a fault, because it could smuggle a request past that proxy (RFC 9112 §11.2).
 */
export interface RequestHead {
  /** As sent: methods are case-sensitive (RFC 9110 §9.1). */
  readonly method: string;
  /** Without the query; percent-encoded as sent. */
  readonly path: string;
  /** Without the question mark. */
  readonly query: string;
  readonly headers: RequestHeaders;
  /** The connection ends with the answer: the caller said so, or speaks HTTP/1.0. */
  readonly closes: boolean;
  /** Why the request cannot be answered and the connection has to end; '' for a sound one. */
  readonly fault: string;
}

/** Request line and headers together; longer ones are refused. */
export const HEAD_BYTES_MAX = 16_384;

const REQUEST_LINE = /^([!#$%&'*+\-.^_`|~0-9A-Za-z]+) ([!-~\x80-\xff]+) HTTP\/1\.([01])$/;
const AUTHORITY = /^https?:\/\/[^/?#]*/i;

export function faultyHead(fault: string): RequestHead {
  return { method: '', path: '', query: '', headers: noHeaders(), closes: true, fault };
}

/** Callers that send much send the same few heads: these are read once. */
const SEEN_MAX = 256;
const SEEN_LENGTH_MAX = 1_024;
const seen = new Map<string, RequestHead>();

/** `text`: one character a byte, from the request line up to the empty line, without either's end. */
export function readHead(text: string): RequestHead {
  const known = seen.get(text);
  if (known !== undefined) return known;
  const head = parseHead(text);
  const { idempotencyKey, cookie } = head.headers;
  if (text.length > SEEN_LENGTH_MAX || idempotencyKey !== '' || cookie !== '') return head;
  if (seen.size >= SEEN_MAX) seen.clear();
  seen.set(text, head);
  return head;
}

function parseHead(text: string): RequestHead {
  const lineEnd = text.indexOf('\r\n');
  const line = REQUEST_LINE.exec(lineEnd === -1 ? text : text.slice(0, lineEnd));
  if (line === null) return faultyHead('The request line is not one of HTTP/1.1.');
  const [, method = '', target = '', minor] = line;
  const { headers, fault } = readHeaders(text, lineEnd === -1 ? text.length : lineEnd + 2);
  const is10 = minor === '0';
  if (is10) headers.expect = '';
  const closes = is10 || saysClose(headers.connection);
  // RFC 9112 §3.2: HTTP/1.1 without a host, which names nobody, is refused.
  const hostless = is10 || headers.host !== '' ? '' : 'The header Host is missing.';
  const path = target.charAt(0) === '/' ? target : target.replace(AUTHORITY, '') || '/';
  const cut = path.indexOf('?');
  return {
    method,
    path: cut === -1 ? path : path.slice(0, cut) || '/',
    query: cut === -1 ? '' : path.slice(cut + 1),
    headers,
    closes,
    fault: fault || hostless,
  };
}

function saysClose(connection: string): boolean {
  if (connection === '' || connection === 'keep-alive') return false;
  return connection.split(',').some((option) => option.trim().toLowerCase() === 'close');
}
