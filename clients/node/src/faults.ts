const CUT = 'the connection was cut';
const NO_TLS = 'no TLS is spoken at url: is it http instead of https, or another port?';

/** What happened, for each error code of a connection. */
const LOSSES: ReadonlyMap<string, string> = new Map([
  ['ECONNREFUSED', 'the connection was refused'],
  ['ECONNRESET', CUT],
  ['EPIPE', CUT],
  ['UND_ERR_SOCKET', CUT],
  ['UND_ERR_DESTROYED', 'the connection was closed'],
  ['ENOTFOUND', 'there is no host of that name'],
  ['EAI_AGAIN', 'the host name could not be resolved'],
  ['EHOSTUNREACH', 'the host cannot be reached'],
  ['ENETUNREACH', 'the network cannot be reached'],
  ['ETIMEDOUT', 'the connection timed out'],
  ['UND_ERR_CONNECT_TIMEOUT', 'no connection within the time limit of undici'],
]);
const AUTHORITY =
  'no authority that Node knows signed the certificate of the service: name the file of the ' +
  "authority's certificate (PEM) in NODE_EXTRA_CA_CERTS";

/** Explanation and advice for each error code of a refused certificate. */
const FAULTS: ReadonlyMap<string, string> = new Map([
  ['SELF_SIGNED_CERT_IN_CHAIN', AUTHORITY],
  ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', AUTHORITY],
  ['UNABLE_TO_GET_ISSUER_CERT', AUTHORITY],
  ['UNABLE_TO_GET_ISSUER_CERT_LOCALLY', AUTHORITY],
  [
    'DEPTH_ZERO_SELF_SIGNED_CERT',
    'the certificate of the service is self-signed: name its file (PEM) in NODE_EXTRA_CA_CERTS',
  ],
  [
    'CERT_HAS_EXPIRED',
    'the certificate of the service has expired: renew it, or set the clock of this machine',
  ],
  [
    'CERT_NOT_YET_VALID',
    'the certificate of the service is not valid yet: set the clock of this machine, or replace it',
  ],
  [
    'ERR_TLS_CERT_ALTNAME_INVALID',
    'the certificate of the service is for another name: url needs one that stands in it',
  ],
  ['ERR_SSL_WRONG_VERSION_NUMBER', NO_TLS],
  ['ERR_SSL_PACKET_LENGTH_TOO_LONG', NO_TLS],
  ['EPROTO', NO_TLS],
]);

/** The reason in words, then the error code, which can be searched for. */
export function lossOf(code: string, silenceMs: number): string {
  const limit = `${silenceMs / 1_000} s`;
  if (code === 'UND_ERR_HEADERS_TIMEOUT') return `no answer within ${limit} (${code})`;
  if (code === 'UND_ERR_BODY_TIMEOUT') return `the response stalled for ${limit} (${code})`;
  if (code.startsWith('HPE_')) return `the answer is no HTTP, or has too long a head (${code})`;
  return `${LOSSES.get(code) ?? 'the request could not be sent'} (${code})`;
}

/** null: the code is none of a certificate. A repetition is refused again. */
export function certificateFault(code: string): string | null {
  const fault = FAULTS.get(code);
  return fault === undefined ? null : `${fault} (${code})`;
}
