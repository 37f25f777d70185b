/** Words for the most frequent error codes of misspelt addresses and broken disks. */
const WORDS: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EDQUOT: 'the disk quota is used up',
  EEXIST: 'a file of that name is in the way',
  EINVAL: 'the file system cannot do that',
  EIO: 'the disk reports a fault',
  EISDIR: 'it is a folder',
  EMFILE: 'too many files are open',
  ENFILE: 'too many files are open',
  ENOENT: 'there is no such folder, and it cannot be made',
  ENOSPC: 'the disk is full',
  ENOTDIR: 'a part of its path is not a folder',
  EPERM: 'permission denied',
  EROFS: 'the file system is read-only',
  ECONNREFUSED: 'the connection was refused',
  ECONNRESET: 'the connection was cut',
  EAI_AGAIN: 'the name of the host cannot be looked up now',
  EHOSTUNREACH: 'the host cannot be reached',
  ENETUNREACH: 'the network cannot be reached',
  ENOTFOUND: 'there is no host of that name',
  ETIMEDOUT: 'it did not answer in time',
  ER_ACCESS_DENIED_ERROR: 'user or password were refused',
  ER_BAD_DB_ERROR: 'there is no such database',
  ER_DBACCESS_DENIED_ERROR: 'the user may not use that database',
  // Primary result codes of SQLite.
  SQLITE_7: 'memory is used up',
  SQLITE_8: 'the file or its folder cannot be written',
  SQLITE_10: 'the disk reports a fault',
  SQLITE_11: 'the file is damaged',
  SQLITE_13: 'the disk is full',
  SQLITE_14: 'the file cannot be opened',
  SQLITE_26: 'the file is not an SQLite database',
  ERR_TLS_CERT_ALTNAME_INVALID: 'the certificate is of another server',
  SELF_SIGNED_CERT_IN_CHAIN: 'no known authority signed the certificate',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'no known authority signed the certificate',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'no known authority signed the certificate',
  CERT_HAS_EXPIRED: 'the certificate has expired',
  HANDSHAKE_SSL_ERROR: 'TLS could not be agreed on',
};

/** An error code of the system or a driver in words, followed by the code. */
export function reasonOf(code: string): string {
  const words = WORDS[code];
  return words === undefined ? code : `${words} (${code})`;
}
