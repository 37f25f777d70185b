import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import type { Authority } from '../authority.ts';

/** Signing by pdfsig, which writes CMS with NSS, in BER with indefinite lengths. */
export class Nss {
  readonly #authority: Authority;
  readonly #database: string;

  /** Takes an RSA key with its certificate: pdfsig fails when ECDSA values differ in length. */
  constructor(authority: Authority, name: string) {
    this.#authority = authority;
    this.#database = `sql:${authority.path('signing-nss')}`;
    mkdirSync(authority.path('signing-nss'), { recursive: true });
    const p12 = [
      '-inkey',
      `${name}.key`,
      '-in',
      `${name}.pem`,
      '-certfile',
      'ca.pem',
      '-name',
      name,
    ];
    this.#run('openssl', ['pkcs12', '-export', ...p12, '-out', 'nss.p12', '-passout', 'pass:x']);
    this.#run('certutil', ['-N', '-d', this.#database, '--empty-password']);
    const trusted = ['-n', 'ca', '-t', 'CT,C,C', '-i', 'ca.pem'];
    this.#run('certutil', ['-A', '-d', this.#database, ...trusted]);
    this.#run('pk12util', ['-d', this.#database, '-i', 'nss.p12', '-W', 'x', '-K', '']);
  }

  sign(pdf: Uint8Array, name: string): Buffer {
    writeFileSync(this.#authority.path('nss-in.pdf'), pdf);
    const words = ['-nssdir', this.#database, '-add-signature', '-nick', name, '-nss-pwd', ''];
    this.#run('pdfsig', [...words, 'nss-in.pdf', 'nss-out.pdf']);
    return readFileSync(this.#authority.path('nss-out.pdf'));
  }

  #run(program: string, words: readonly string[]): void {
    const { status, stderr } = spawnSync(program, words, { cwd: this.#authority.folder });
    if (status !== 0) throw new Error(`${program}: ${stderr.toString()}`);
  }
}
