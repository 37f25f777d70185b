/** Longer lengths might not be safe integers. */
const LENGTH_DIGITS_MAX = 15;

/** The request headers that this service reads; '' for absent ones. */
export interface RequestHeaders {
  apiKey: string;
  cookie: string;
  contentType: string;
  contentEncoding: string;
  /** RFC 9530. */
  contentDigest: string;
  /** -1: the header is absent. */
  contentLength: number;
  chunked: boolean;
  /** The client waits for `100 Continue` before it sends the body (RFC 9110 §10.1.1). */
  expectsContinue: boolean;
  host: string;
  origin: string;
  fetchSite: string;
  /**
   * Null if the header is absent. uWebSockets.js removes bytes below 0x21 and above 0x7f at both
   * ends, so a key of Thai letters only arrives as ''.
   */
  idempotencyKey: string | null;
  range: string;
  ifRange: string;
  ifMatch: string;
  ifNoneMatch: string;
  accept: string;
  acceptEncoding: string;
  /** X-Forwarded-For: the client's address, then those of proxies in order. */
  forwardedFor: string;
  forwardedProto: string;
  /** Intaglio-User: who is signed in as far as a page of the Studio knows, percent-encoded. */
  believedUser: string;
  /** W3C Trace Context. */
  traceparent: string;
  tracestate: string;
}

/**
 * The headers, and the fault for which the request is refused and its connection closed; '' for
 * none.
 */
export interface ReadHeaders {
  readonly headers: RequestHeaders;
  readonly fault: string;
}

/** The values for a request without headers. */
export function noHeaders(): RequestHeaders {
  return {
    apiKey: '',
    cookie: '',
    contentType: '',
    contentEncoding: '',
    contentDigest: '',
    contentLength: -1,
    chunked: false,
    expectsContinue: false,
    host: '',
    origin: '',
    fetchSite: '',
    idempotencyKey: null,
    range: '',
    ifRange: '',
    ifMatch: '',
    ifNoneMatch: '',
    accept: '',
    acceptEncoding: '',
    forwardedFor: '',
    forwardedProto: '',
    believedUser: '',
    traceparent: '',
    tracestate: '',
  };
}

/** The header lines of a request. */
export interface HeaderLines {
  /** Calls `visit` for each line: names in lower case, in the order sent, repeats included. */
  forEach(visit: (name: string, value: string) => void): void;
}

const NONE = noHeaders();

/**
 * The request that is being read. `forEach` returns before another request is read, so all share
 * these, and no closure is made for each.
 */
let headers = NONE;
let fault = '';
/** Bits of the headers that have been sent and may be sent only once. */
let seen = 0;

/**
 * Reads the headers once. uWebSockets.js accepts what a proxy in front may read differently (two
 * lengths, unknown transfer codings): such a request could smuggle another one past that proxy
 * (RFC 9112 §11.2), so it is a fault.
 */
export function readHeaders(lines: HeaderLines): ReadHeaders {
  headers = noHeaders();
  fault = '';
  seen = 0;
  lines.forEach(readLine);
  if (headers.chunked && headers.contentLength !== -1) {
    fault = 'Content-Length and Transfer-Encoding exclude each other.';
  }
  if (fault === '' && headers.host === '') fault = 'The header Host is missing.';
  const read = { headers, fault };
  // Its keys and cookies must not stay in memory until the next request.
  headers = NONE;
  return read;
}

function readLine(name: string, value: string): void {
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
      headers.contentLength = lengthOf(value);
      if (headers.contentLength === -1) fault = 'The header Content-Length is not a number.';
      break;
    case 'transfer-encoding':
      once(8, 'Transfer-Encoding');
      headers.chunked = true;
      if (value.toLowerCase() !== 'chunked') fault = 'The only Transfer-Encoding is chunked.';
      break;
    case 'expect':
      headers.expectsContinue = value.toLowerCase() === '100-continue';
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
    default:
      readCondition(name, value);
  }
}

function once(bit: number, name: string): void {
  if ((seen & bit) !== 0) fault = `The header ${name} was sent twice.`;
  seen |= bit;
}

/** Reads headers that only few routes use. */
function readCondition(name: string, value: string): void {
  if (name === 'if-match') headers.ifMatch = value;
  else if (name === 'if-none-match') headers.ifNoneMatch = value;
  else if (name === 'content-digest') headers.contentDigest = value;
  else if (name === 'accept-encoding') headers.acceptEncoding = value;
  else if (name === 'accept') headers.accept = joined(headers.accept, value);
  else if (name === 'x-forwarded-for') headers.forwardedFor = joined(headers.forwardedFor, value);
  else if (name === 'x-forwarded-proto') {
    headers.forwardedProto = joined(headers.forwardedProto, value);
  } else if (name === 'traceparent') headers.traceparent = value;
  else if (name === 'intaglio-user') headers.believedUser = value;
  else if (name === 'tracestate') headers.tracestate = joined(headers.tracestate, value);
}

/** The number that 1 to 15 digits name; -1 for anything else. */
function lengthOf(value: string): number {
  if (value.length === 0 || value.length > LENGTH_DIGITS_MAX) return -1;
  let length = 0;
  for (let i = 0; i < value.length; i++) {
    const digit = value.charCodeAt(i) - 0x30;
    if (digit < 0 || digit > 9) return -1;
    length = 10 * length + digit;
  }
  return length;
}

/** Joins repeated list headers to one list (RFC 9110 §5.3). */
function joined(before: string, value: string): string {
  return before === '' ? value : `${before}, ${value}`;
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
