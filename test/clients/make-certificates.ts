import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Makes an authority (`ca`) in the folder and three certificates by it: `own` for 127.0.0.1, `other` for
 * another host, and `client`, also as `client.p12` with the password `secret`. Returns the reader of
 * these files, which end in `.key` and `.pem`.
 */
export function makeCertificates(folder: string): (name: string) => Buffer {
  const openssl = (...words: readonly string[]): void => {
    const done = spawnSync('openssl', words, { cwd: folder, encoding: 'utf8' });
    if (done.status !== 0) throw new Error(done.stderr);
  };
  const make = (name: string, ...words: readonly string[]): void => {
    const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '30'];
    const files = ['-keyout', `${name}.key`, '-out', `${name}.pem`, '-subj', `/CN=${name}`];
    openssl('req', '-x509', ...curve, ...files, ...words);
  };
  const byCa = ['-CA', 'ca.pem', '-CAkey', 'ca.key'];
  make('ca');
  make('own', ...byCa, '-addext', 'subjectAltName=IP:127.0.0.1');
  make('other', ...byCa, '-addext', 'subjectAltName=DNS:bank.example');
  make('client', ...byCa);
  const packed = ['-export', '-in', 'client.pem', '-inkey', 'client.key', '-out', 'client.p12'];
  openssl('pkcs12', ...packed, '-passout', 'pass:secret');
  return (name) => readFileSync(join(folder, name));
}
