import type { BitString } from 'asn1js';
import {
  type BasicConstraints,
  Certificate,
  CertificateChainValidationEngine,
  type ExtKeyUsage,
  id_BasicConstraints,
  id_ExtKeyUsage,
  id_KeyUsage,
  type SignedData,
} from 'pkijs';

/** Bits of the first byte of KeyUsage (RFC 5280, 4.2.1.3). */
const DIGITAL_SIGNATURE = 0x80;
const NON_REPUDIATION = 0x40;
const TIME_STAMPING = '1.3.6.1.5.5.7.3.8';
/** Purposes for something else than documents: serverAuth, codeSigning, timeStamping, OCSPSigning. */
const OTHER_PURPOSES: ReadonlySet<string> = new Set([
  '1.3.6.1.5.5.7.3.1',
  '1.3.6.1.5.5.7.3.3',
  TIME_STAMPING,
  '1.3.6.1.5.5.7.3.9',
]);
/** Signature algorithms with MD5 or SHA-1: RSA, ECDSA, DSA. */
const WEAK_SIGNATURES: ReadonlySet<string> = new Set([
  '1.2.840.113549.1.1.4',
  '1.2.840.113549.1.1.5',
  '1.2.840.10045.4.1',
  '1.2.840.10040.4.3',
]);
/** Names of digests by their object identifier; SHA-2 alone. */
const DIGESTS: ReadonlyMap<string, string> = new Map([
  ['2.16.840.1.101.3.4.2.1', 'sha256'],
  ['2.16.840.1.101.3.4.2.2', 'sha384'],
  ['2.16.840.1.101.3.4.2.3', 'sha512'],
]);

/** The name of a digest for `node:crypto`; null: it is weak, or not known. */
export function digestNameOf(algorithmId: string): string | null {
  return DIGESTS.get(algorithmId) ?? null;
}

export function isWeakSignature(algorithmId: string): boolean {
  return WEAK_SIGNATURES.has(algorithmId);
}

/** Whether a certificate may sign documents (RFC 5280, 4.2.1.3 and 4.2.1.12). */
export function maySignDocuments(certificate: Certificate): boolean {
  if (!maySign(certificate)) return false;
  const purposes = purposesOf(certificate);
  return purposes === null || !purposes.every((one) => OTHER_PURPOSES.has(one));
}

/** Whether a certificate is one of a time-stamp authority: for time stamps only, critically (RFC 3161, 2.3). */
export function mayStampTime(certificate: Certificate): boolean {
  const extension = extensionOf(certificate, id_ExtKeyUsage);
  const purposes = purposesOf(certificate);
  const isOnly = purposes?.length === 1 && purposes[0] === TIME_STAMPING;
  return isOnly && extension?.critical === true && maySign(certificate);
}

/** Without the extension a key may be used for everything. */
function maySign(certificate: Certificate): boolean {
  const extension = extensionOf(certificate, id_KeyUsage);
  if (extension === undefined) return true;
  // The library parses this extension into this type.
  const [bits = 0] =
    (extension.parsedValue as BitString | undefined)?.valueBlock.valueHexView ?? [];
  return (bits & (DIGITAL_SIGNATURE | NON_REPUDIATION)) !== 0;
}

/** null: the certificate names none. */
function purposesOf(certificate: Certificate): readonly string[] | null {
  const extension = extensionOf(certificate, id_ExtKeyUsage);
  if (extension === undefined) return null;
  // The library parses this extension into this type.
  return (extension.parsedValue as ExtKeyUsage | undefined)?.keyPurposes ?? [];
}

function extensionOf(
  { extensions = [] }: Certificate,
  id: string,
): NonNullable<Certificate['extensions']>[number] | undefined {
  return extensions.find(({ extnID }) => extnID === id);
}

/** Whether a time lies in the validity period of a certificate. */
export function validityAt(
  { notBefore, notAfter }: Certificate,
  atMs: number,
): 'valid' | 'expired' | 'not yet valid' {
  if (atMs < notBefore.value.getTime()) return 'not yet valid';
  return atMs > notAfter.value.getTime() ? 'expired' : 'valid';
}

/** Whether a certificate leads to an anchor at a time, by way of the certificates of authorities in `others`. */
export async function leadsTo(
  anchors: readonly Certificate[],
  certificate: Certificate,
  others: readonly Certificate[],
  atMs: number,
): Promise<boolean> {
  const authorities = others.filter((one) => one !== certificate && isAuthority(one));
  const engine = new CertificateChainValidationEngine({
    trustedCerts: [...anchors],
    // The last one is the one to be checked.
    certs: [...authorities, certificate],
    checkDate: new Date(atMs),
  });
  try {
    return (await engine.verify()).result;
  } catch {
    // The library throws various errors for certificates that it cannot use.
    return false;
  }
}

function isAuthority(certificate: Certificate): boolean {
  const extension = extensionOf(certificate, id_BasicConstraints);
  // The library parses this extension into this type.
  return (extension?.parsedValue as BasicConstraints | undefined)?.cA === true;
}

/** The certificates that a signature brings. */
export function certificatesOf({ certificates = [] }: SignedData): Certificate[] {
  return certificates.filter((one) => one instanceof Certificate);
}

export function isSelfIssued({ issuer, subject }: Certificate): boolean {
  return issuer.isEqual(subject);
}
