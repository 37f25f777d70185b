/** Why a TLS connection to the service failed, and what helps. */
interface TlsFault {
  readonly words: string;
  readonly remedy: string;
}

const AUTHORITY: TlsFault = {
  words: 'no authority that this machine knows signed its certificate',
  remedy: "name the file of the authority's certificate (PEM) in NODE_EXTRA_CA_CERTS",
};

/** By the code of Node's error (node:tls, OpenSSL's X509_V_ERR_*). */
const FAULTS: Readonly<Record<string, TlsFault>> = {
  SELF_SIGNED_CERT_IN_CHAIN: AUTHORITY,
  DEPTH_ZERO_SELF_SIGNED_CERT: {
    words: 'its certificate is self-signed',
    remedy: 'name the file of that certificate (PEM) in NODE_EXTRA_CA_CERTS',
  },
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: AUTHORITY,
  UNABLE_TO_GET_ISSUER_CERT: AUTHORITY,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: AUTHORITY,
  CERT_HAS_EXPIRED: {
    words: 'its certificate has expired',
    remedy: 'renew the certificate of the service, or set the clock of this machine',
  },
  CERT_NOT_YET_VALID: {
    words: 'its certificate is not valid yet',
    remedy: 'set the clock of this machine, or replace the certificate of the service',
  },
  ERR_TLS_CERT_ALTNAME_INVALID: {
    words: 'its certificate is for another name',
    remedy: 'call the service by a name that stands in it',
  },
  ERR_SSL_WRONG_VERSION_NUMBER: {
    words: 'it does not speak TLS there',
    remedy: 'is it http instead of https, or another port?',
  },
  ERR_SSL_PACKET_LENGTH_TOO_LONG: {
    words: 'it does not speak TLS there',
    remedy: 'is it http instead of https, or another port?',
  },
};

/** The fault with this code of an error; null: it is another kind of error. A retry does not help. */
export function tlsFaultOf(code: string): TlsFault | null {
  return Object.hasOwn(FAULTS, code) ? (FAULTS[code] ?? null) : null;
}
