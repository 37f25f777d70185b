/** Where the fault was met: the variable of the setting, and its place or address as it is shown. */
export interface Culprit {
  readonly variable: string;
  readonly place: string;
}

type Remedy = (culprit: Culprit) => string;

const writable: Remedy = ({ variable, place }) =>
  `let the user of the service write to ${place} (chown, chmod), or name another place in ${variable}`;
const room: Remedy = ({ variable, place }) =>
  `make room on the disk of ${place}, or name a place with more in ${variable}`;
const other: Remedy = ({ variable, place }) =>
  `something else is in the way of ${place}: remove it, or name another place in ${variable}`;
const broken: Remedy = ({ place }) =>
  `look at the log of the system (dmesg) and replace the disk of ${place}`;
const reach: Remedy = ({ variable }) =>
  `open the way in firewalls and network policies, or correct host and port in ${variable}`;
const host: Remedy = ({ variable }) =>
  `correct the host in ${variable}, or the machine's DNS servers`;
const login: Remedy = ({ variable }) =>
  `correct user and password in ${variable}, or set them in the server (docs/install.md has the SQL)`;
const grant: Remedy = ({ variable }) =>
  `grant the user all rights on the database (docs/install.md has the SQL), or correct the name in ${variable}`;
const authority: Remedy = () =>
  "name the file of the authority's certificate in NODE_EXTRA_CA_CERTS of the service";
const name: Remedy = ({ variable }) => `use the name of the certificate as host in ${variable}`;
const backup: Remedy = () => 'stop the service and restore a backup (docs/operations.md)';
const redisLogin: Remedy = ({ variable }) =>
  `correct user and password in ${variable}: redis://user:password@host, or set them in the server`;

/** What to do about a code with which the messages of store and queue end. */
const REMEDIES: Readonly<Record<string, Remedy>> = {
  EACCES: writable,
  EPERM: writable,
  ENOENT: ({ variable, place }) => `make the folder of ${place}, or correct ${variable}`,
  NO_SOCKET: ({ variable }) => `start the server, or correct ?socket= in ${variable}`,
  ENOTDIR: other,
  EEXIST: other,
  EISDIR: other,
  EROFS: ({ variable, place }) =>
    `mount the disk of ${place} writable, or name another place in ${variable}; under systemd` +
    ' only StateDirectory= and ReadWritePaths= can be written',
  ENOSPC: room,
  EDQUOT: room,
  SQLITE_13: room,
  SQLITE_4874: room,
  EIO: broken,
  SQLITE_10: broken,
  SQLITE_8: writable,
  SQLITE_14: writable,
  SQLITE_11: backup,
  SQLITE_26: ({ variable }) => `name the file of an SQLite database, or a new one, in ${variable}`,
  ECONNREFUSED: ({ variable }) => `start the server, or correct host and port in ${variable}`,
  ECONNRESET: reach,
  ETIMEDOUT: reach,
  EHOSTUNREACH: reach,
  ENETUNREACH: reach,
  UND_ERR_CONNECT_TIMEOUT: reach,
  ENOTFOUND: host,
  EAI_AGAIN: host,
  ER_ACCESS_DENIED_ERROR: login,
  ER_DBACCESS_DENIED_ERROR: grant,
  ER_TABLEACCESS_DENIED_ERROR: grant,
  ER_BAD_DB_ERROR: ({ variable }) =>
    `create the database (docs/install.md has the SQL), or correct its name in ${variable}`,
  SELF_SIGNED_CERT_IN_CHAIN: authority,
  DEPTH_ZERO_SELF_SIGNED_CERT: authority,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: authority,
  ERR_TLS_CERT_ALTNAME_INVALID: name,
  CERT_HAS_EXPIRED: () => 'renew the certificate of that server',
  ERR_SSL_WRONG_VERSION_NUMBER: ({ variable }) =>
    `the server speaks no TLS: append ?tls=off to ${variable}, or switch its TLS on`,
  ERR_SSL_PACKET_LENGTH_TOO_LONG: ({ variable }) =>
    `the server speaks no TLS: append ?tls=off to ${variable}, or switch its TLS on`,
  HANDSHAKE_NO_SSL_SUPPORT: ({ variable }) =>
    `switch TLS of the server on (ssl_cert, ssl_key), or remove tls=require from ${variable}`,
  NoSuchBucket: ({ variable }) => `create the bucket, or correct its name in ${variable}`,
  InvalidAccessKeyId: ({ variable }) =>
    `correct the access key, the part of ${variable} between s3:// and the colon`,
  SignatureDoesNotMatch: ({ variable }) =>
    `correct the secret, the part of ${variable} between colon and @ (write / as %2F)`,
  AccessDenied: ({ variable }) =>
    `allow the access key of ${variable} to get, put, delete and list objects of the bucket`,
  RequestTimeTooSkewed: () => 'let NTP set the clocks of this machine and of the object store',
  AuthorizationHeaderMalformed: ({ variable }) => `append ?region=… of the bucket to ${variable}`,
  PermanentRedirect: ({ variable }) =>
    `use the host of the bucket's region in ${variable}, with ?region=…`,
  WRONGPASS: redisLogin,
  NOAUTH: redisLogin,
  NOPERM: ({ variable }) =>
    `allow the user of ${variable} all commands on keys of its prefix (ACL SETUSER)`,
};

const CODE = /\b(?:[A-Z][A-Z0-9]*_[A-Z0-9_]+|E[A-Z]{2,}|[A-Z]{5,}|(?:[A-Z][a-z]+){2,})\b/g;

/** What to do about a fault, by the code in its message; `otherwise`: it has none that is known. */
export function remedyOf(message: string, culprit: Culprit, otherwise: string): string {
  for (const [code] of message.matchAll(CODE)) {
    // The names of variables look like codes, too.
    if (Object.hasOwn(REMEDIES, code)) return REMEDIES[code]?.(culprit) ?? otherwise;
  }
  return otherwise;
}
