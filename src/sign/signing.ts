import type { X509Certificate } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { type Failure, fail, type Outcome, succeed } from '../errors.ts';
import type { Log } from '../log/log.ts';
import type { SignaturePlace, SignatureRequest } from '#engine';
import { validityFault } from './signer-check.ts';
import type { Signer } from './signers.ts';
import { gatherOf, type SignedPdf, signPdf } from './sign-pdf.ts';
import type { GatherProofs } from './long-term/validation-data.ts';
import { RunProofs } from './rows/run-proofs.ts';
import { SignerQueue } from './rows/signer-queue.ts';
import { SigningError } from './signing-error.ts';

/** Bytes for the signature value, its attributes and algorithms; the certificates come on top. */
const SIGNATURE_BYTES = 2_048;
/** Bytes for a time-stamp token with the certificates of its authority. */
const TIME_STAMP_BYTES = 8_192;

/** The signer, as the audit records it. */
export interface SignedBy {
  readonly subject: string;
  readonly serialNumber: string;
}

/** A signed file: the bytes that were given, or longer ones with long-term data. */
export interface SignedFile extends SignedPdf {
  readonly by: SignedBy;
}

/** The size of a team's signatures and the name that they show. */
export type SignatureOffer = Pick<SignatureRequest, 'bytesMax' | 'signer'>;

/** Signs documents on behalf of their teams. */
export interface Signing {
  /** When the first certificate of any signer expires, in ms since the epoch; NaN: there is none. */
  readonly expiresAtMs: number;
  /** What rendering must know of a team's signature; 0 bytes: the team has no signer. */
  offerFor(teamId: string): SignatureOffer;
  /** Signs and takes over the bytes. On `signing_unavailable` they must not be delivered. */
  sign(teamId: string, pdf: Uint8Array, place: SignaturePlace): Promise<Outcome<SignedFile>>;
  /**
   * The same for a row of a run: requests come first, and documents of a run share their long-term
   * data. The message of a failure is the reason, for operators.
   */
  signRow(
    teamId: string,
    runId: string,
    pdf: Uint8Array,
    place: SignaturePlace,
  ): Promise<Outcome<SignedFile>>;
  /** Rows of runs that the team's signer signs at a time. */
  rowsMaxOf(teamId: string): number;
}

/** Runs whose long-term data is kept. */
const RUNS_MAX = 100;

/** Signing with the signers of teams, which are given by the ids of the teams. */
export function createSigning(
  signers: ReadonlyMap<string, Signer>,
  log: Log,
  wallMs: () => number = Date.now,
): Signing {
  const queues = new Map<string, SignerQueue>();
  for (const [teamId, { rowsMax }] of signers) queues.set(teamId, new SignerQueue(rowsMax));
  const proofs = new LRUCache<string, RunProofs>({ max: RUNS_MAX });
  /** Throws `SigningError`. */
  const signBy = async (
    signer: Signer,
    pdf: Uint8Array,
    place: SignaturePlace,
    gather: GatherProofs | null,
  ): Promise<SignedFile> => {
    const [certificate] = signer.chain;
    const fault = validityFault(signer.chain, wallMs());
    if (fault !== null) throw new SigningError(fault);
    if (certificate === undefined) throw new SigningError('there is no certificate');
    return { ...(await signPdf(pdf, place, signer, gather)), by: signedBy(certificate) };
  };
  const gatherFor = (signer: Signer, runId: string): GatherProofs | null => {
    const gather = gatherOf(signer);
    if (gather === null) return null;
    const kept = proofs.get(runId) ?? new RunProofs(gather, wallMs);
    proofs.set(runId, kept);
    return (certificates) => kept.gather(certificates);
  };
  return {
    expiresAtMs: earliestExpiry(signers),
    offerFor: (teamId) => {
      const signer = signers.get(teamId);
      if (signer === undefined) return { bytesMax: 0, signer: '' };
      return { bytesMax: signatureBytesMax(signer), signer: nameOf(signer) };
    },
    sign: async (teamId, pdf, place) => {
      const signer = signers.get(teamId);
      const queue = queues.get(teamId);
      if (signer === undefined || queue === undefined) return fail('signing_unavailable');
      try {
        const sign = () => signBy(signer, pdf, place, gatherOf(signer));
        return succeed(await queue.request(sign));
      } catch (error) {
        return failureOf(error, teamId, log);
      }
    },
    signRow: async (teamId, runId, pdf, place) => {
      const signer = signers.get(teamId);
      const queue = queues.get(teamId);
      if (signer === undefined || queue === undefined) return fail('signing_unavailable');
      try {
        const sign = () => signBy(signer, pdf, place, gatherFor(signer, runId));
        return succeed(await queue.row(sign));
      } catch (error) {
        if (!(error instanceof SigningError)) throw error;
        return fail('signing_unavailable', error.message);
      }
    },
    rowsMaxOf: (teamId) => signers.get(teamId)?.rowsMax ?? 0,
  };
}

/** Earliest expiry in all chains: signatures expire with the certificate of an authority, too. */
function earliestExpiry(signers: ReadonlyMap<string, Signer>): number {
  const chains = [...signers.values()].flatMap(({ chain }) => chain);
  const times = chains.map(({ validTo }) => Date.parse(validTo));
  return times.length === 0 ? Number.NaN : Math.min(...times);
}

/** Limit of the size of a signature, for which the PDF leaves room. */
function signatureBytesMax({ chain, timeStampUrl }: Signer): number {
  const certificates = chain.reduce((sum, { raw }) => sum + raw.length, 0);
  return SIGNATURE_BYTES + certificates + (timeStampUrl === null ? 0 : TIME_STAMP_BYTES);
}

/** The common name of the signer's certificate, or that of its organisation. */
function nameOf({ chain: [certificate] }: Signer): string {
  const { CN, O } = certificate?.toLegacyObject().subject ?? {};
  const name: unknown = CN ?? O;
  // Node gives an array where a certificate has several.
  const first: unknown = Array.isArray(name) ? name[0] : name;
  return typeof first === 'string' ? first : '';
}

function signedBy({ subject, serialNumber }: X509Certificate): SignedBy {
  return { subject: subject.replaceAll('\n', ', '), serialNumber };
}

/** Logs why a document was not signed; rethrows errors that are bugs. */
function failureOf(error: unknown, teamId: string, log: Log): Failure {
  if (!(error instanceof SigningError)) throw error;
  log.warn({ msg: 'not signed', teamId, reason: error.message });
  return fail('signing_unavailable');
}
