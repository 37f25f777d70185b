import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A certification authority for one test; it keeps its files in a folder. */
export interface Certificates {
  /** The authority's certificate, which clients trust, as a PEM file. */
  readonly authority: string;
  /** Makes a key and a certificate of this name; PEM files `<file>.key` and `<file>.pem`. */
  issue(file: string, name: string): { readonly key: Buffer; readonly cert: Buffer };
}

/** Makes the authority; throws when openssl is not installed. */
export function makeAuthority(folder: string): Certificates {
  const openssl = (...args: string[]): void => {
    execFileSync('openssl', args, { cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] });
  };
  const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '2'];
  const basic = 'basicConstraints=critical,CA:TRUE';
  const own = ['-x509', '-subj', '/CN=Test authority', '-addext', basic];
  openssl('req', ...newKey, ...own, '-keyout', 'ca.key', '-out', 'ca.pem');
  return {
    authority: join(folder, 'ca.pem'),
    issue(file, name) {
      const signed = ['-CA', 'ca.pem', '-CAkey', 'ca.key', '-addext', `subjectAltName=DNS:${name}`];
      const subject = ['-x509', '-subj', `/CN=${name}`, ...signed];
      openssl('req', ...newKey, ...subject, '-keyout', `${file}.key`, '-out', `${file}.pem`);
      return {
        key: readFileSync(join(folder, `${file}.key`)),
        cert: readFileSync(join(folder, `${file}.pem`)),
      };
    },
  };
}

/**
 * The reason why certificates cannot be made here; '' when they can. Throws with
 * INTAGLIO_FORBID_SKIPS=1.
 */
export function missingOpenssl(): string {
  try {
    execFileSync('openssl', ['version'], { stdio: 'ignore' });
    return '';
  } catch (error) {
    if (process.env['INTAGLIO_FORBID_SKIPS'] === '1') throw error;
    return 'openssl is not installed';
  }
}
