import { createHash, verify, type X509Certificate } from 'node:crypto';
import type { SignaturePlace } from '../workers/job.ts';
import { DetachedSignature } from './cms.ts';
import { asCertificate } from './long-term/revocation.ts';
import { appendSecurityStore } from './long-term/security-store.ts';
import type { Signer } from './signers.ts';
import { SigningError } from './signing-error.ts';
import { requestTimeStamp } from './time-stamp.ts';

/**
 * Signs a file with a CAdES signature over all bytes but the signature itself, with a time stamp
 * where the signer has an authority, and with long-term data where it has that, too. Fills in the
 * given bytes and gives the signed file, which is longer with long-term data. Throws `SigningError`;
 * the file must not be delivered then.
 */
export async function signPdf(
  pdf: Uint8Array,
  place: SignaturePlace,
  signer: Signer,
): Promise<Uint8Array> {
  const digest = createHash('sha256')
    .update(pdf.subarray(0, place.from))
    .update(pdf.subarray(place.to))
    .digest();
  const signature = new DetachedSignature(digest, signer.chain, signer.kind);
  const value = await signer.sign(signature.toBeSigned);
  const [own] = signer.chain;
  if (own === undefined || !isBy(own, signature.toBeSigned, value)) {
    throw new SigningError('the signer gave a signature of something else, or of another key');
  }
  const stamp =
    signer.timeStampUrl === null
      ? null
      : await requestTimeStamp(signer.timeStampUrl, value, signer.timeoutMs);
  const hex = signature.encode(value, stamp?.token ?? null).toString('hex');
  if (hex.length > place.to - place.from - 2) {
    throw new SigningError('the signature is longer than the room for it');
  }
  Buffer.from(pdf.buffer, pdf.byteOffset, pdf.byteLength).write(hex, place.from + 1, 'latin1');
  if (signer.longTerm === null) return pdf;
  const certificates = [...signer.chain.map(asCertificate), ...(stamp?.certificates ?? [])];
  return appendSecurityStore(pdf, place, await signer.longTerm.gather(certificates));
}

function isBy(certificate: X509Certificate, data: Uint8Array, value: Uint8Array): boolean {
  try {
    return verify('sha256', data, certificate.publicKey, value);
  } catch {
    // The bytes are not a signature.
    return false;
  }
}
