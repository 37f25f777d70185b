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
  idempotencyKey: string;
  range: string;
  ifRange: string;
  ifMatch: string;
  ifNoneMatch: string;
  acceptEncoding: string;
  /** X-Forwarded-For: the client's address, then those of proxies in order. */
  forwardedFor: string;
  forwardedProto: string;
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
    idempotencyKey: '',
    range: '',
    ifRange: '',
    ifMatch: '',
    ifNoneMatch: '',
    acceptEncoding: '',
    forwardedFor: '',
    forwardedProto: '',
    traceparent: '',
    tracestate: '',
  };
}

/** Calls `visit` for each header line: names in lower case, in the order sent, repeats included. */
export type ForEachHeader = (visit: (name: string, value: string) => void) => void;

/**
 * Reads the headers once. uWebSockets.js accepts what a proxy in front may read differently (two
 * lengths, unknown transfer codings): such a request could smuggle another one past that proxy
 * (RFC 9112 §11.2), so it is a fault.
 */
export function readHeaders(forEach: ForEachHeader): ReadHeaders {
  const headers = noHeaders();
  let fault = '';
  let seen = 0;
  const once = (bit: number, name: string): void => {
    if ((seen & bit) !== 0) fault = `The header ${name} was sent twice.`;
    seen |= bit;
  };
  forEach((name, value) => {
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
        readCondition(headers, name, value);
    }
  });
  if (headers.chunked && headers.contentLength !== -1) {
    fault = 'Content-Length and Transfer-Encoding exclude each other.';
  }
  if (fault === '' && headers.host === '') fault = 'The header Host is missing.';
  return { headers, fault };
}

/** Reads headers that only few routes use. */
function readCondition(headers: RequestHeaders, name: string, value: string): void {
  if (name === 'if-match') headers.ifMatch = value;
  else if (name === 'if-none-match') headers.ifNoneMatch = value;
  else if (name === 'content-digest') headers.contentDigest = value;
  else if (name === 'accept-encoding') headers.acceptEncoding = value;
  else if (name === 'x-forwarded-for') headers.forwardedFor = joined(headers.forwardedFor, value);
  else if (name === 'x-forwarded-proto') {
    headers.forwardedProto = joined(headers.forwardedProto, value);
  } else if (name === 'traceparent') headers.traceparent = value;
  else if (name === 'tracestate') headers.tracestate = joined(headers.tracestate, value);
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
