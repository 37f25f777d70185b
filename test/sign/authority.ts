import { execFileSync, spawnSync } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { Test } from 'tap';

/** A certification authority of the tests, with all that it issues, in one folder. */
export class Authority {
  readonly folder: string;

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

  /** A key with its certificate: NAME.key, NAME.pem, NAME.p12 and the chain in NAME.chain.pem. */
  issue(name: string, algorithm: readonly string[], extensions: string): void {
    writeFileSync(this.path('extensions'), `${extensions}\n`);
    this.#openssl(
      ['req', '-newkey', ...algorithm, '-nodes', '-keyout', `${name}.key`],
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

  /** Serial number of a certificate, as the audit has it. */
  serialOf(name: string): string {
    return new X509Certificate(this.read(`${name}.pem`)).serialNumber;
  }

  /** A time-stamp authority over HTTP; `spoil` changes what it answers. */
  async timeStamps(t: Test, spoil: (token: Buffer) => Buffer = (token) => token): Promise<string> {
    this.issue('tsa', ['rsa:2048'], 'extendedKeyUsage=critical,timeStamping');
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

  /** A signer over HTTP that has a key, and sees nothing but digests. */
  async remote(t: Test, name: string, seen: Buffer[]): Promise<string> {
    return listen(t, (request, body) => {
      seen.push(body);
      if (request.headers.authorization !== 'Bearer token of the signer') return null;
      const { digest } = JSON.parse(body.toString()) as { digest: string };
      const signature = this.#signDigest(`${name}.key`, Buffer.from(digest, 'base64'));
      return JSON.stringify({ signature: signature.toString('base64') });
    });
  }

  #openssl(...words: readonly (readonly string[])[]): void {
    execFileSync('openssl', words.flat(), { cwd: this.folder, stdio: 'pipe' });
  }

  /** Signs a digest that is made already, as a device does. */
  #signDigest(keyName: string, digest: Buffer): Buffer {
    const words = ['pkeyutl', '-sign', '-inkey', keyName, '-pkeyopt', 'digest:sha256'];
    const made = spawnSync('openssl', words, { cwd: this.folder, input: digest });
    if (made.status !== 0) throw new Error(made.stderr.toString());
    return made.stdout;
  }
}

type Answer = (request: IncomingMessage, body: Buffer) => Buffer | string | null;

/** null is answered 403. */
async function listen(t: Test, answer: Answer): Promise<string> {
  const server: Server = createServer((request: IncomingMessage, response: ServerResponse) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      const made = answer(request, Buffer.concat(parts));
      response.statusCode = made === null ? 403 : 200;
      response.end(made ?? '');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}
