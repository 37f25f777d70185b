import { execFileSync, spawnSync } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { Test } from 'tap';

/** The OCSP responder and the CRL that `Authority.revocation` serves. */
export interface Revocation {
  url: string;
  isUp: boolean;
  readonly asked: { ocsp: number; crl: number };
}

const DIGITAL_SIGNATURE = 'keyUsage=critical,digitalSignature';
/** An expiry and a revocation, in the form of OpenSSL's database. */
const FAR = '491231235959Z';
const PAST = '260101000000Z';

/** A certification authority of the tests; it keeps everything that it issues in one folder. */
export class Authority {
  readonly folder: string;
  readonly #issued: string[] = [];
  readonly #revoked = new Set<string>();

  constructor(folder: string) {
    this.folder = folder;
    const usage = 'critical,keyCertSign,cRLSign';
    this.#openssl(
      ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-keyout', 'ca.key', '-out', 'ca.pem'],
      ['-days', '30', '-subj', '/CN=Test CA', '-addext', 'basicConstraints=critical,CA:TRUE'],
      ['-addext', `keyUsage=${usage}`],
    );
    writeFileSync(this.path('password'), 'secret of the file\n');
  }

  path(name: string): string {
    return join(this.folder, name);
  }

  read(name: string): Buffer {
    return readFileSync(this.path(name));
  }

  /**
   * Issues a key with its certificate: NAME.key, NAME.pem, NAME.p12 and the chain in
   * NAME.chain.pem.
   */
  issue(name: string, algorithm: readonly string[], extensions: string): void {
    if (!this.#issued.includes(name)) this.#issued.push(name);
    writeFileSync(this.path('extensions'), `${extensions}\n`);
    this.#openssl(
      ['req', '-utf8', '-newkey', ...algorithm, '-nodes', '-keyout', `${name}.key`],
      ['-out', 'request', '-subj', `/CN=${name}`],
    );
    this.#openssl(
      ['x509', '-req', '-in', 'request', '-CA', 'ca.pem', '-CAkey', 'ca.key'],
      ['-CAcreateserial', '-out', `${name}.pem`, '-days', '30', '-extfile', 'extensions'],
    );
    this.#openssl(
      ['pkcs12', '-export', '-inkey', `${name}.key`, '-in', `${name}.pem`],
      ['-certfile', 'ca.pem', '-out', `${name}.p12`, '-passout', 'file:password'],
    );
    writeFileSync(
      this.path(`${name}.chain.pem`),
      Buffer.concat([this.read(`${name}.pem`), this.read('ca.pem')]),
    );
  }

  /** The serial number of a certificate, in the form of the audit records. */
  serialOf(name: string): string {
    return new X509Certificate(this.read(`${name}.pem`)).serialNumber;
  }

  /**
   * Serves revocation data over HTTP: a CRL at paths that end in .crl, OCSP at all others. A test
   * may change `isUp`; `asked` counts requests. Certificates issued later can name its address.
   */
  async revocation(t: Test): Promise<Revocation> {
    this.issue(
      'ocsp',
      ['rsa:2048'],
      `${DIGITAL_SIGNATURE}\nextendedKeyUsage=OCSPSigning\nnoCheck=yes`,
    );
    const state: Revocation = { url: '', isUp: true, asked: { ocsp: 0, crl: 0 } };
    const url = await listen(t, ({ url: path = '' }, body) => {
      if (!state.isUp) return null;
      this.#writeIndex();
      if (path.endsWith('.crl')) {
        state.asked.crl += 1;
        return this.crl();
      }
      state.asked.ocsp += 1;
      // NSS sends requests with GET (RFC 6960, A.1).
      const asked = Buffer.from(decodeURIComponent(path.slice(1)), 'base64');
      writeFileSync(this.path('ocsp.request'), body.length > 0 ? body : asked);
      this.#openssl(
        ['ocsp', '-index', 'index.txt', '-rsigner', 'ocsp.pem', '-rkey', 'ocsp.key'],
        ['-CA', 'ca.pem', '-reqin', 'ocsp.request', '-respout', 'ocsp.reply', '-nmin', '60'],
      );
      return this.read('ocsp.reply');
    });
    state.url = url;
    return state;
  }

  /** The CRL, in DER. */
  crl(): Buffer {
    this.#writeIndex();
    const lines = ['[ca]', 'default_ca = own', '[own]', 'database = index.txt'];
    lines.push('default_md = sha256', 'default_crl_days = 1');
    writeFileSync(this.path('ca.cnf'), `${lines.join('\n')}\n`);
    this.#openssl(
      ['ca', '-gencrl', '-config', 'ca.cnf', '-keyfile', 'ca.key', '-cert', 'ca.pem'],
      ['-out', 'crl.pem'],
    );
    this.#openssl(['crl', '-in', 'crl.pem', '-outform', 'DER', '-out', 'ca.crl']);
    return this.read('ca.crl');
  }

  revoke(name: string): void {
    this.#revoked.add(this.serialOf(name));
  }

  /** The database of `openssl ca` and `openssl ocsp`: every certificate, with its state. */
  #writeIndex(): void {
    const rows = this.#issued.map((name) => {
      const serial = this.serialOf(name);
      const state = this.#revoked.has(serial) ? ['R', FAR, PAST] : ['V', FAR, ''];
      return [...state, serial, 'unknown', `/CN=${name}`].join('\t');
    });
    writeFileSync(this.path('index.txt'), `${rows.join('\n')}\n`);
  }

  /** Starts a time-stamp authority; `spoil` may change its responses. */
  async timeStamps(
    t: Test,
    spoil: (token: Buffer) => Buffer = (token) => token,
    more = '',
  ): Promise<string> {
    this.issue('tsa', ['rsa:2048'], `extendedKeyUsage=critical,timeStamping\n${more}`);
    const lines = ['[tsa]', 'default_tsa = own', '[own]', 'serial = tsa.serial'];
    lines.push('signer_digest = sha256', 'default_policy = 1.2.3', 'digests = sha256');
    writeFileSync(this.path('tsa.cnf'), `${lines.join('\n')}\n`);
    writeFileSync(this.path('tsa.serial'), '01\n');
    return listen(t, (_request, body) => {
      writeFileSync(this.path('query'), body);
      this.#openssl(
        ['ts', '-reply', '-config', 'tsa.cnf', '-queryfile', 'query', '-signer', 'tsa.pem'],
        ['-inkey', 'tsa.key', '-chain', 'ca.pem', '-out', 'reply'],
      );
      return spoil(this.read('reply'));
    });
  }

  /**
   * Starts a remote signer with the key of this name; `seen` collects the bodies that it receives.
   */
  async remote(t: Test, name: string, seen: Buffer[]): Promise<string> {
    return listen(t, (request, body) => {
      seen.push(body);
      if (request.headers.authorization !== 'Bearer token of the signer') return null;
      const { digest } = JSON.parse(body.toString()) as { digest: string };
      const signature = this.#signDigest(`${name}.key`, Buffer.from(digest, 'base64'));
      return JSON.stringify({ signature: signature.toString('base64') });
    });
  }

  /** Starts a remote signer whose responses `answer` writes. */
  async answering(t: Test, answer: (response: ServerResponse) => void): Promise<string> {
    const server = createServer((_request, response) => answer(response));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    t.teardown(() => {
      server.closeAllConnections();
      server.close();
    });
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  }

  #openssl(...words: readonly (readonly string[])[]): void {
    execFileSync('openssl', words.flat(), { cwd: this.folder, stdio: 'pipe' });
  }

  /** Signs a digest that is computed already, as a device does. */
  #signDigest(keyName: string, digest: Buffer): Buffer {
    const words = ['pkeyutl', '-sign', '-inkey', keyName, '-pkeyopt', 'digest:sha256'];
    const made = spawnSync('openssl', words, { cwd: this.folder, input: digest });
    if (made.status !== 0) throw new Error(made.stderr.toString());
    return made.stdout;
  }
}

type Answer = (request: IncomingMessage, body: Buffer) => Buffer | string | null;

/** Serves what `answer` returns; null gives a 403. */
async function listen(t: Test, answer: Answer): Promise<string> {
  const server: Server = createServer((request: IncomingMessage, response: ServerResponse) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      const made = answer(request, Buffer.concat(parts));
      response.statusCode = made === null ? 403 : 200;
      // NSS requires this type from an OCSP responder; other clients ignore it.
      response.setHeader('content-type', 'application/ocsp-response');
      response.end(made ?? '');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}
