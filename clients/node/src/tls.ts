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
]);

/** null: the code is none of a certificate. A repetition is refused again. */
export function certificateFault(code: string): string | null {
  const fault = FAULTS.get(code);
  return fault === undefined ? null : `${fault} (${code})`;
}
