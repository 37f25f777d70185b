/** The request headers this service reads; '' where one is absent. */
export interface RequestHeaders {
  apiKey: string;
  /** SHA-256 of the key in hexadecimal, once somebody has asked for it; heads are remembered. */
  apiKeyDigest: string;
  cookie: string;
  contentType: string;
  contentEncoding: string;
  /** -1: none was sent. */
  contentLength: number;
  chunked: boolean;
  connection: string;
  expect: string;
  host: string;
  origin: string;
  fetchSite: string;
  idempotencyKey: string;
  range: string;
  ifRange: string;
}

/** Headers, and what makes the request unsafe to answer on this connection, '' if nothing does. */
export interface ReadHeaders {
  readonly headers: RequestHeaders;
  readonly fault: string;
}

/** As of a request without any. */
export function noHeaders(): RequestHeaders {
  return {
    apiKey: '',
    apiKeyDigest: '',
    cookie: '',
    contentType: '',
    contentEncoding: '',
    contentLength: -1,
    chunked: false,
    connection: '',
    expect: '',
    host: '',
    origin: '',
    fetchSite: '',
    idempotencyKey: '',
    range: '',
    ifRange: '',
  };
}

/** What no line of a head may hold: controls but tab, and halves of a line's end. */
const UNSOUND = /[^\t\r\n -~\x80-\xff]|\r(?!\n)|(?<!\r)\n/;
const NAME = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
/** Names as callers spell them, checked and in lower case: most requests bring the same few. */
const NAMES_KNOWN_MAX = 256;
const known = new Map<string, string>();

/** '' for what is no name (RFC 9110 §5.1), a space before the colon included. */
function lowerName(name: string): string {
  const found = known.get(name);
  if (found !== undefined) return found;
  if (!NAME.test(name)) return '';
  const lower = name.toLowerCase();
  if (known.size < NAMES_KNOWN_MAX && name.length <= 32) known.set(name, lower);
  return lower;
}

/**
 * Reads the header lines of `text` from `at` on (RFC 9112 §5): one character a byte, `\r\n` between
 * them. Two lengths, unknown transfer codings, folded lines and whatever else a proxy in front may
 * read differently is a fault: such a request could smuggle another one (RFC 9112 §11.2).
 */
export function readHeaders(text: string, at: number): ReadHeaders {
  const headers = noHeaders();
  if (UNSOUND.test(text)) return { headers, fault: 'The headers hold control characters.' };
  let fault = '';
  let seen = 0;
  const once = (bit: number, name: string): void => {
    if ((seen & bit) !== 0) fault = `The header ${name} was sent twice.`;
    seen |= bit;
  };
  for (let from = at, end = 0; from < text.length; from = end + 2) {
    end = text.indexOf('\r\n', from);
    if (end === -1) end = text.length;
    const colon = text.indexOf(':', from);
    const name = colon === -1 || colon > end ? '' : lowerName(text.slice(from, colon));
    if (name === '') return { headers, fault: 'A header line is malformed.' };
    const value = trimmed(text, colon + 1, end);
    switch (name) {
      case 'x-api-key':
        once(1, 'X-Api-Key');
        headers.apiKey = value;
        break;
      case 'content-type':
        once(2, 'Content-Type');
        headers.contentType = value;
        break;
      case 'content-encoding':
        headers.contentEncoding = value;
        break;
      case 'content-length':
        once(4, 'Content-Length');
        if (/^\d{1,15}$/.test(value)) headers.contentLength = Number(value);
        else fault = 'The header Content-Length is not a number.';
        break;
      case 'transfer-encoding':
        once(8, 'Transfer-Encoding');
        headers.chunked = true;
        if (value.toLowerCase() !== 'chunked') fault = 'The only Transfer-Encoding is chunked.';
        break;
      case 'connection':
        headers.connection = headers.connection === '' ? value : `${headers.connection},${value}`;
        break;
      case 'expect':
        headers.expect = value.toLowerCase();
        break;
      case 'cookie':
        headers.cookie = headers.cookie === '' ? value : `${headers.cookie}; ${value}`;
        break;
      case 'host':
        once(16, 'Host');
        headers.host = value;
        break;
      case 'origin':
        once(32, 'Origin');
        headers.origin = value;
        break;
      case 'sec-fetch-site':
        headers.fetchSite = value;
        break;
      case 'idempotency-key':
        once(64, 'Idempotency-Key');
        headers.idempotencyKey = value;
        break;
      case 'range':
        headers.range = value;
        break;
      case 'if-range':
        headers.ifRange = value;
        break;
    }
  }
  if (headers.chunked && headers.contentLength !== -1) {
    fault = 'Content-Length and Transfer-Encoding exclude each other.';
  }
  return { headers, fault };
}

/** Without the spaces and tabs around a value (RFC 9110 §5.5). */
function trimmed(text: string, from: number, to: number): string {
  let start = from;
  let end = to;
  while (start < end && isBlank(text.charCodeAt(start))) start += 1;
  while (end > start && isBlank(text.charCodeAt(end - 1))) end -= 1;
  return text.slice(start, end);
}

function isBlank(code: number): boolean {
  return code === 0x20 || code === 0x09;
}

/** The value of one cookie; '' when absent. */
export function cookieOf(header: string, name: string): string {
  if (header === '') return '';
  for (const part of header.split(';')) {
    const cut = part.indexOf('=');
    if (cut !== -1 && part.slice(0, cut).trim() === name) return part.slice(cut + 1).trim();
  }
  return '';
}

/** A body as it is (RFC 9110 §8.4.1 reserves the name for Accept-Encoding, yet some send it). */
export function isIdentity(contentEncoding: string): boolean {
  return contentEncoding === '' || contentEncoding.toLowerCase() === 'identity';
}

/** application/json with any parameters; charset, when given, must be UTF-8 (RFC 8259 §8.1). */
export function isJson(contentType: string): boolean {
  if (contentType === 'application/json') return true;
  const [type = '', ...parameters] = contentType.toLowerCase().split(';');
  if (type.trim() !== 'application/json') return false;
  return parameters.every((parameter) => {
    const [name = '', value = ''] = parameter.split('=');
    return name.trim() !== 'charset' || /^"?utf-?8"?$/.test(value.trim());
  });
}
