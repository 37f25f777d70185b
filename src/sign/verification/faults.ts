/** What can be wrong with a signature, in the words of `./intaglio verify`. */
export const FAULTS = {
  unreadable:
    'There is a signature dictionary, but its byte range or its signature cannot be read.',
  damaged: 'The signature or a certificate in it is damaged.',
  room: 'The room for the signature holds other data.',
  signers: 'It has several signers, or none.',
  content: 'It signs content of its own or of another type, not the bytes of this file.',
  digest: 'The signed bytes have changed since, or are those of another file.',
  value: "The key of the signer's certificate did not make it.",
  weak_digest: 'It uses SHA-1 or MD5, which can be forged.',
  certificate: "The signer's certificate is missing.",
  bound_certificate: "The signed attributes name another certificate than the signer's.",
  chain: 'Certificates in it are not as their issuers signed them.',
  changes:
    'The file was changed after it was signed, or readers may understand an update of it differently.',
  usage: "The signer's certificate is not for signing documents (key usage).",
  expired: "The signer's certificate had expired at this time.",
  not_yet_valid: "The signer's certificate was not valid yet at this time.",
  revoked: "The signer's certificate, or one above it, is revoked.",
  untrusted: 'The certificate does not lead to one that --trust names.',
  stamp_unreadable: 'The time stamp cannot be read.',
  stamp_other_data: 'The time stamp is that of another signature.',
  stamp_signature: 'The time stamp is not signed by its authority.',
  stamp_usage: "The authority's certificate is not for time stamps (extended key usage).",
  stamp_validity: "The authority's certificate was not valid at the time of the time stamp.",
  stamp_weak_digest: 'The time stamp uses SHA-1 or MD5, which can be forged.',
  stamp_untrusted: 'The time stamp does not lead to a certificate that --trust names.',
} as const;

export type Fault = keyof typeof FAULTS;

/** What a reader should know of a signature that may be valid all the same. */
export const NOTES = {
  stale_proofs:
    'OCSP responses or CRLs in the file had expired before the time stamp was made: they do not count.',
  weak_proofs: 'OCSP responses or CRLs in the file use SHA-1 or MD5: they do not count.',
  drawn_over: 'A later signature shows something on a page: compare the page with the signed file.',
} as const;

export type Note = keyof typeof NOTES;
