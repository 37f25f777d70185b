import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Arguments of `openssl req` for each kind of key. */
const KEY_ARGUMENTS = {
  'RSA-3072': ['rsa:3072'],
  'P-256': ['ec', '-pkeyopt', 'ec_paramgen_curve:P-256'],
} as const;
export type SignerKind = keyof typeof KEY_ARGUMENTS;
export const SIGNER_KINDS: readonly SignerKind[] = ['RSA-3072', 'P-256'];

/** The certificate of the signer in its folder, as PEM. */
export const CERTIFICATE_FILE = 'certificate';

/**
 * Makes a new key with its certificate by OpenSSL in `folder`, and the file that lists it as the
 * signer of `team`; returns that file's path.
 */
export function makeSigner(folder: string, team: string, kind: SignerKind): string {
  const openssl = (line: string, ...more: readonly string[]): void => {
    execFileSync('openssl', [...line.split(' '), ...more], { cwd: folder, stdio: 'pipe' });
  };
  const request = `req -x509 -nodes -subj /CN=Bench -keyout key -out ${CERTIFICATE_FILE} -newkey`;
  openssl(request, ...KEY_ARGUMENTS[kind]);
  writeFileSync(join(folder, 'password'), 'bench');
  openssl(
    `pkcs12 -export -inkey key -in ${CERTIFICATE_FILE} -out signer.p12 -passout file:password`,
  );
  const file = join(folder, 'signers.json');
  const signer = { pkcs12: 'signer.p12', passwordFile: 'password' };
  writeFileSync(file, JSON.stringify({ teams: { [team]: signer } }));
  return file;
}
