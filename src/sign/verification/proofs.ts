import { Certificate } from 'pkijs';
import type { Proof } from '../long-term/revocation.ts';
import { readProof } from '../long-term/revocation.ts';
import { findIssuer, needsProof, type ValidationData } from '../long-term/validation-data.ts';
import type { Revision } from './file/revision.ts';
import { asStream, UnreadableFile } from './file/values.ts';

/** What the validation data in a file says about the certificates of a signature. */
export interface ProofState {
  /** Each certificate that could be revoked has a usable statement that it was not. */
  readonly areProven: boolean;
  readonly isRevoked: boolean;
  /** A statement had expired before the time stamp, or uses a weak digest. */
  readonly isStale: boolean;
  readonly isWeak: boolean;
}

/** Clocks of authorities may differ by this. */
const SKEW_MS = 5 * 60_000;
/** Limit of the parts of a store that are read. */
const PARTS_MAX = 500;

/** The document security store of a file, also one that another program wrote; null: there is none. */
export function storeOf(revision: Revision): ValidationData | null {
  try {
    const store = revision.dictionary(revision.catalog.get('DSS'));
    if (store === null) return null;
    const parts = (key: string): Uint8Array[] =>
      revision
        .list(store.get(key))
        .slice(0, PARTS_MAX)
        .map((part) => asStream(revision.resolve(part)))
        .filter((stream) => stream !== null)
        .map((stream) => Uint8Array.from(revision.data(stream)));
    return { certificates: parts('Certs'), ocsps: parts('OCSPs'), crls: parts('CRLs') };
  } catch (error) {
    if (error instanceof UnreadableFile) return null;
    throw error;
  }
}

/** Judges the statements of a store about certificates at the time of a stamp. */
export async function judgeProofs(
  chain: readonly Certificate[],
  { certificates, ocsps, crls }: ValidationData,
  atMs: number,
): Promise<ProofState> {
  const others = certificates.map(decode).filter((one) => one !== null);
  const state = { areProven: true, isRevoked: false, isStale: false, isWeak: false };
  for (const certificate of chain.filter(needsProof)) {
    const issuer = await findIssuer(certificate, [...chain, ...others]);
    const proofs: Proof[] = [];
    for (const der of issuer === null ? [] : [...ocsps, ...crls]) {
      const proof = issuer === null ? null : await readProof(der, certificate, issuer);
      if (proof !== null) proofs.push(proof);
    }
    const current = proofs.filter(({ nextUpdateMs }) => nextUpdateMs + SKEW_MS >= atMs);
    const usable = current.filter(({ isWeak }) => !isWeak);
    if (proofs.some((proof) => proof.state === 'revoked')) state.isRevoked = true;
    if (usable.some((proof) => proof.state === 'good')) continue;
    state.areProven = false;
    if (current.length > 0) state.isWeak = true;
    else if (proofs.length > 0) state.isStale = true;
  }
  return state;
}

/** Whether each part of a store is signed by another, so that no byte of it was changed. */
export async function isSound({ certificates, ocsps, crls }: ValidationData): Promise<boolean> {
  const all = certificates.map(decode).filter((one) => one !== null);
  if (all.length < certificates.length) return false;
  const issuers = new Map<Certificate, Certificate>();
  for (const certificate of all) {
    const issuer = await findIssuer(certificate, all);
    if (issuer === null) return false;
    issuers.set(certificate, issuer);
  }
  for (const der of [...ocsps, ...crls]) {
    const proofs = await Promise.all(
      [...issuers].map(([certificate, issuer]) => readProof(der, certificate, issuer)),
    );
    if (proofs.every((proof) => proof === null)) return false;
  }
  return true;
}

/** null: the bytes are not a certificate, or not DER. */
function decode(der: Uint8Array): Certificate | null {
  try {
    const certificate = Certificate.fromBER(new Uint8Array(der));
    const again = Buffer.from(certificate.toSchema().toBER(false));
    return again.equals(der) ? certificate : null;
  } catch {
    // The library throws various errors for bytes that are something else.
    return null;
  }
}
