import { createHash, verify, type X509Certificate } from 'node:crypto';
import type { SignaturePlace } from '#engine';
import { asCertificate } from './long-term/revocation.ts';
import { appendSecurityStore } from './long-term/security-store.ts';
import type { GatherProofs } from './long-term/validation-data.ts';
import type { Signer } from './signers.ts';
import { SigningError } from './signing-error.ts';
import { requestTimeStamp } from './time-stamp.ts';

/** A signed file with the SHA-256 of its bytes, in lowercase hex. */
export interface SignedPdf {
  readonly pdf: Uint8Array;
  readonly sha256: string;
}

/**
 * Signs a file with a CAdES signature over all bytes but the signature itself, and adds a time
 * stamp and long-term data if the signer is configured for them. Writes into the given bytes and
 * returns the signed file, which is longer with long-term data. Throws `SigningError`; the file
 * must not be delivered then. `gather` takes the place of the signer's own long-term data.
 */
export async function signPdf(
  pdf: Uint8Array,
  place: SignaturePlace,
  signer: Signer,
  gather: GatherProofs | null = gatherOf(signer),
): Promise<SignedPdf> {
  // Bytes before the signature are hashed once, for the signature and for the file.
  const head = createHash('sha256').update(pdf.subarray(0, place.from));
  const digest = head.copy().update(pdf.subarray(place.to)).digest();
  const toBeSigned = signer.format.toBeSigned(digest);
  const value = await signer.sign(toBeSigned);
  const [certificate] = signer.chain;
  if (certificate === undefined || !isSignatureBy(certificate, toBeSigned, value)) {
    throw new SigningError('the signer gave a signature of something else, or of another key');
  }
  const stamp =
    signer.timeStampUrl === null
      ? null
      : await requestTimeStamp({
          url: signer.timeStampUrl,
          signature: value,
          timeoutMs: signer.timeoutMs,
          anchors: signer.authorities,
        });
  writeSignature(pdf, place, signer.format.encode(digest, value, stamp?.token ?? null));
  let file = pdf;
  if (gather !== null) {
    const certificates = [...signer.chain.map(asCertificate), ...(stamp?.certificates ?? [])];
    file = appendSecurityStore(pdf, place, await gather(certificates));
  }
  return { pdf: file, sha256: head.update(file.subarray(place.from)).digest('hex') };
}

/** Gathers the long-term data of a signer; null: its signatures have none. */
export function gatherOf({ longTerm }: Signer): GatherProofs | null {
  return longTerm === null ? null : (certificates) => longTerm.gather(certificates);
}

/** Writes the signature as a hexadecimal string between the brackets of its place. */
function writeSignature(pdf: Uint8Array, place: SignaturePlace, signature: Buffer): void {
  const hex = signature.toString('hex');
  if (hex.length > place.to - place.from - '<>'.length) {
    throw new SigningError('the signature is longer than the room for it');
  }
  const file = Buffer.from(pdf.buffer, pdf.byteOffset, pdf.byteLength);
  const at = place.from + '<'.length;
  file.write(hex, at, 'latin1');
  // Overwrite the rest: a longer signature may have been written here before, whose long-term data
  // could not be obtained.
  file.fill('0', at + hex.length, place.to - '>'.length);
}

function isSignatureBy(certificate: X509Certificate, data: Uint8Array, value: Uint8Array): boolean {
  try {
    return verify('sha256', data, certificate.publicKey, value);
  } catch {
    // The bytes are not a signature.
    return false;
  }
}
