/**
 * The cipher suites of TLS 1.2: a key exchange with forward secrecy and an authenticated cipher, as
 * RFC 9325 §4.2 recommends. Without a list the library also takes RSA key exchange and CBC with
 * SHA-1. The suites of TLS 1.3 all qualify, and are not affected.
 */
export const CIPHER_SUITES = [
  'ECDHE-ECDSA-AES128-GCM-SHA256',
  'ECDHE-RSA-AES128-GCM-SHA256',
  'ECDHE-ECDSA-AES256-GCM-SHA384',
  'ECDHE-RSA-AES256-GCM-SHA384',
  'ECDHE-ECDSA-CHACHA20-POLY1305',
  'ECDHE-RSA-CHACHA20-POLY1305',
].join(':');
