import { execFile, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { ContentInfo, SignedData } from 'pkijs';
import type { SignaturePlace } from '#engine';
import type { Authority } from './authority.ts';

/** What programs of other authors report about a signature. */

const run = promisify(execFile);

/** A database of certificates for pdfsig that trusts the authority of the test. */
export function trustingDatabase(authority: Authority): string {
  const folder = authority.path('nss');
  const database = `sql:${folder}`;
  if (existsSync(folder)) return database;
  mkdirSync(folder);
  spawnSync('certutil', ['-N', '-d', database, '--empty-password']);
  const ca = authority.path('ca.pem');
  spawnSync('certutil', ['-A', '-d', database, '-n', 'ca', '-t', 'CT,C,C', '-i', ca]);
  return database;
}

/** The output of pdfsig, which trusts the authority of the test; `options` may give a password. */
export async function pdfsig(
  authority: Authority,
  pdf: Uint8Array,
  options: readonly string[] = [],
): Promise<string> {
  const file = authority.path('signed.pdf');
  writeFileSync(file, pdf);
  const database = trustingDatabase(authority);
  // Asynchronous, because this thread answers the OCSP requests of pdfsig.
  return (await run('pdfsig', ['-nssdir', database, ...options, file])).stdout;
}

/** The CMS of a signature, without the zeros that fill its place. */
export function cmsIn(pdf: Uint8Array, { from, to }: SignaturePlace): Buffer {
  const hex = Buffer.from(pdf.subarray(from + 1, to - 1)).toString('latin1');
  const length = 4 + Buffer.from(hex.slice(4, 8), 'hex').readUInt16BE(0);
  return Buffer.from(hex.slice(0, length * 2), 'hex');
}

/** The exit code of `openssl cms -verify` for the signed bytes of the file. */
export function opensslVerify(
  authority: Authority,
  pdf: Uint8Array,
  place: SignaturePlace,
  signedLength = pdf.length,
): number | null {
  writeFileSync(authority.path('cms'), cmsIn(pdf, place));
  const content = [pdf.subarray(0, place.from), pdf.subarray(place.to, signedLength)];
  writeFileSync(authority.path('content'), Buffer.concat(content));
  const words = ['cms', '-verify', '-binary', '-inform', 'DER', '-in', 'cms'];
  const trusted = ['-CAfile', 'ca.pem', '-purpose', 'any', '-out', 'out'];
  const args = [...words, '-content', 'content', ...trusted];
  return spawnSync('openssl', args, { cwd: authority.folder }).status;
}

const TIME_STAMP_TOKEN = '1.2.840.113549.1.9.16.2.14';

/** The output of `openssl ts -verify` for the time stamp on the signature's value. */
export function timeStampVerify(
  authority: Authority,
  pdf: Uint8Array,
  place: SignaturePlace,
): string {
  const cms = ContentInfo.fromBER(new Uint8Array(cmsIn(pdf, place)));
  const [signer] = new SignedData({ schema: cms.content }).signerInfos;
  const stamp = signer?.unsignedAttrs?.attributes.find(({ type }) => type === TIME_STAMP_TOKEN);
  const [token] = stamp?.values ?? [];
  if (signer === undefined || token === undefined) return 'no time stamp';
  writeFileSync(authority.path('token.der'), Buffer.from(token.toBER(false)));
  writeFileSync(authority.path('value'), signer.signature.valueBlock.valueHexView);
  const words = ['ts', '-verify', '-in', 'token.der', '-token_in', '-data', 'value'];
  const done = spawnSync('openssl', [...words, '-CAfile', 'ca.pem'], { cwd: authority.folder });
  return `${done.stdout.toString()}${done.stderr.toString()}`;
}
