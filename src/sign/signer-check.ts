import type { X509Certificate } from 'node:crypto';
import { maySignDocuments } from './certificates.ts';
import { asCertificate } from './long-term/revocation.ts';

/** What is wrong with the certificates of a signer, whatever the time; null: nothing. */
export function chainFault(chain: readonly X509Certificate[]): string | null {
  const [own] = chain;
  if (own === undefined) return 'there is no certificate';
  if (!maySignDocuments(asCertificate(own))) {
    return `certificate ${own.serialNumber} is not for signing documents (key usage)`;
  }
  for (const [index, certificate] of chain.entries()) {
    const issuer = chain[index + 1];
    if (issuer === undefined) break;
    if (!issuer.ca || !certificate.verify(issuer.publicKey)) {
      return `certificate ${certificate.serialNumber} was not issued by the one after it`;
    }
  }
  return null;
}

/** What is wrong with the certificates of a signer at a time; null: nothing. */
export function validityFault(chain: readonly X509Certificate[], atMs: number): string | null {
  for (const { serialNumber, validFrom, validTo } of chain) {
    const [fromMs, toMs] = [Date.parse(validFrom), Date.parse(validTo)];
    if (atMs < fromMs) return `certificate ${serialNumber} is not valid before ${iso(fromMs)}`;
    if (atMs > toMs) return `certificate ${serialNumber} has expired at ${iso(toMs)}`;
  }
  return null;
}

function iso(atMs: number): string {
  return new Date(atMs).toISOString();
}
