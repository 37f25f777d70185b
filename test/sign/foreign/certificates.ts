import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import type { Authority } from '../authority.ts';

export const SIGNING = 'keyUsage=critical,digitalSignature,nonRepudiation';
const STAMPING = 'extendedKeyUsage=critical,timeStamping';

export interface Issue {
  readonly name: string;
  /** Name of the certificate whose key is used; a new P-256 key unless given. */
  readonly keyOf?: string;
  readonly algorithm?: readonly string[];
  readonly extensions?: string;
  /** Validity, as `openssl ca` takes it. */
  readonly from?: string;
  readonly to?: string;
  /** Name of the issuer; '': the key itself. */
  readonly by?: string;
  readonly digest?: string;
}

const EC = (curve: string): readonly string[] => ['ec', '-pkeyopt', `ec_paramgen_curve:${curve}`];

const ISSUES: readonly Issue[] = [
  { name: 'rsa', algorithm: ['rsa:2048'] },
  { name: 'p256', algorithm: EC('P-256') },
  { name: 'p384', algorithm: EC('P-384') },
  { name: 'p521', algorithm: EC('P-521') },
  { name: 'plain-usage', keyOf: 'p256', extensions: 'basicConstraints=CA:FALSE' },
  { name: 'mail', keyOf: 'p256', extensions: `${SIGNING}\nextendedKeyUsage=emailProtection` },
  { name: 'encipher', keyOf: 'rsa', extensions: 'keyUsage=critical,keyEncipherment' },
  { name: 'agree', keyOf: 'p256', extensions: 'keyUsage=critical,keyAgreement' },
  { name: 'web', keyOf: 'p256', extensions: `${SIGNING}\nextendedKeyUsage=serverAuth` },
  { name: 'expired', keyOf: 'p256', from: '200101000000Z', to: '210101000000Z' },
  { name: 'future', keyOf: 'p256', from: '480101000000Z', to: '491231000000Z' },
  { name: 'sha1', keyOf: 'p256', digest: 'sha1' },
  { name: 'by-leaf', keyOf: 'p256', by: 'rsa' },
  { name: 'self', keyOf: 'p256', by: '' },
  { name: 'tsa', keyOf: 'rsa', extensions: STAMPING },
  { name: 'tsa-old', keyOf: 'rsa', extensions: STAMPING, from: '190101000000Z' },
  { name: 'tsa-loose', keyOf: 'rsa', extensions: 'extendedKeyUsage=timeStamping' },
  {
    name: 'tsa-more',
    keyOf: 'rsa',
    extensions: 'extendedKeyUsage=critical,timeStamping,serverAuth',
  },
  {
    name: 'tsa-expired',
    keyOf: 'rsa',
    extensions: STAMPING,
    from: '200101000000Z',
    to: '210101000000Z',
  },
];

/** Issues certificates of many kinds: NAME.pem and NAME.key in the folder of the authority. */
export function issueAll(authority: Authority, issues = ISSUES): void {
  mkdirSync(authority.path('issued'), { recursive: true });
  renewAuthority(authority);
  for (const issue of issues) {
    const { name, keyOf, algorithm = EC('P-256'), extensions = SIGNING, by = 'ca' } = issue;
    const { from = '250101000000Z', to = '491231000000Z', digest = 'sha256' } = issue;
    const lines = [
      '[ca]',
      'default_ca = own',
      '[own]',
      'database = issued/index',
      'rand_serial = yes',
    ];
    lines.push('new_certs_dir = issued', 'policy = any', 'unique_subject = no');
    lines.push('[any]', 'commonName = supplied', '[ext]', extensions);
    writeFileSync(authority.path('issue.cnf'), `${lines.join('\n')}\n`);
    writeFileSync(authority.path('issued/index'), '');
    const key =
      keyOf === undefined
        ? ['-newkey', ...algorithm, '-nodes', '-keyout', `${name}.key`]
        : ['-new', '-key', `${keyOf}.key`];
    openssl(authority, ['req', ...key, '-out', 'request', '-subj', `/CN=${name}`]);
    if (keyOf !== undefined) {
      writeFileSync(authority.path(`${name}.key`), authority.read(`${keyOf}.key`));
    }
    if (by === '') {
      selfSign(authority, name);
      continue;
    }
    const issuer = ['-cert', `${by}.pem`, '-keyfile', `${by}.key`, '-md', digest];
    const dates = ['-startdate', from, '-enddate', to];
    const rest = ['-batch', '-notext', '-extensions', 'ext', '-in', 'request'];
    const made = ['-out', `${name}.pem`];
    openssl(authority, ['ca', '-config', 'issue.cnf', ...issuer, ...dates, ...rest, ...made]);
  }
}

function selfSign(authority: Authority, name: string): void {
  const key = ['-signkey', `${name}.key`, '-days', '9000'];
  openssl(authority, ['x509', '-req', '-in', 'request', ...key, '-out', `${name}.pem`]);
}

/** The authority's certificate with a validity that covers all times of the samples. */
function renewAuthority(authority: Authority): void {
  const lines = [
    '[ext]',
    'basicConstraints=critical,CA:TRUE',
    'keyUsage=critical,keyCertSign,cRLSign',
  ];
  lines.push('[ca]', 'default_ca = own', '[own]', 'database = issued/index', 'rand_serial = yes');
  lines.push('new_certs_dir = issued', 'policy = any', '[any]', 'commonName = supplied');
  writeFileSync(authority.path('renew.cnf'), `${lines.join('\n')}\n`);
  writeFileSync(authority.path('issued/index'), '');
  openssl(authority, ['req', '-new', '-key', 'ca.key', '-out', 'request', '-subj', '/CN=Test CA']);
  const dates = ['-startdate', '190101000000Z', '-enddate', '491231235959Z', '-md', 'sha256'];
  const rest = ['-batch', '-notext', '-extensions', 'ext', '-in', 'request', '-out', 'ca.pem'];
  openssl(authority, [
    'ca',
    '-config',
    'renew.cnf',
    '-selfsign',
    '-keyfile',
    'ca.key',
    ...dates,
    ...rest,
  ]);
}

/** A CRL of the authority in DER that names `revoked` certificates, valid between two times. */
export function crlOf(
  authority: Authority,
  revoked: readonly string[],
  { from = '250101000000Z', to = '491231000000Z', digest = 'sha256' } = {},
): Buffer {
  const rows = revoked.map((name) =>
    [
      'R',
      '491231235959Z',
      '250201000000Z',
      authority.serialOf(name),
      'unknown',
      `/CN=${name}`,
    ].join('\t'),
  );
  writeFileSync(authority.path('crl.index'), rows.map((row) => `${row}\n`).join(''));
  const lines = [
    '[ca]',
    'default_ca = own',
    '[own]',
    'database = crl.index',
    'default_crl_days = 9',
  ];
  writeFileSync(authority.path('crl.cnf'), `${lines.join('\n')}\n`);
  const key = ['-keyfile', 'ca.key', '-cert', 'ca.pem', '-md', digest];
  const dates = ['-crl_lastupdate', from, '-crl_nextupdate', to];
  openssl(authority, ['ca', '-gencrl', '-config', 'crl.cnf', ...key, ...dates, '-out', 'x.crl']);
  openssl(authority, ['crl', '-in', 'x.crl', '-outform', 'DER', '-out', 'x.crl.der']);
  return authority.read('x.crl.der');
}

function openssl(authority: Authority, words: readonly string[]): void {
  execFileSync('openssl', words, { cwd: authority.folder, stdio: 'pipe' });
}
