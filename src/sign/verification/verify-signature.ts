import type { Certificate } from 'pkijs';
import {
  certificatesOf,
  isSelfIssued,
  isWeakSignature,
  leadsTo,
  maySignDocuments,
  validityAt,
} from '../certificates.ts';
import { findIssuer } from '../long-term/validation-data.ts';
import { DATA, faultsOf, isSignedBy, namesItsSigner, signerOf } from '../signed-data.ts';
import { asTimeStampToken, type TimeStampToken, timeStampFaults } from '../time-stamp-token.ts';
import { updatesAfter, type UpdateStep } from './after-signing.ts';
import type { Fault, Note } from './faults.ts';
import { isSound, judgeProofs, type ProofState, storeOf } from './proofs.ts';
import { type FoundSignature, readSignedFile, type SignedFile } from './signed-file.ts';
import { nameOf, serialNumberOf, stampOf, type TimeStampVerdict } from './stamp.ts';

/** What a signature says, and whether it is valid. */
export interface Verdict {
  /** No byte that was signed changed, and the certificate's key made the signature. */
  readonly isIntact: boolean;
  /** What was done to the file after it was signed. */
  readonly after: 'nothing' | 'validation data' | 'signatures' | 'changes';
  /** `CMS`: a signature without what PAdES asks for; `time stamp`: the file itself is stamped. */
  readonly level: 'CMS' | 'B-B' | 'B-T' | 'B-LT' | 'time stamp';
  readonly signer: string;
  /** In hexadecimal digits. */
  readonly serialNumber: string;
  /** Whether the chain ends at a given anchor; null: none was given. */
  readonly isTrusted: boolean | null;
  /** null: there is no time stamp. */
  readonly timeStamp: TimeStampVerdict | null;
  /** Why it is not valid; empty: it is. */
  readonly faults: readonly Fault[];
  readonly notes: readonly Note[];
}

const UNREADABLE: Verdict = {
  isIntact: false,
  after: 'changes',
  level: 'CMS',
  signer: '',
  serialNumber: '',
  isTrusted: null,
  timeStamp: null,
  faults: ['unreadable'],
  notes: [],
};

/** Faults with which a signature is not one over the bytes of the file. */
const BROKEN: ReadonlySet<Fault> = new Set([
  'damaged',
  'room',
  'signers',
  'content',
  'digest',
  'value',
  'certificate',
  'bound_certificate',
  'chain',
  'stamp_unreadable',
]);

/**
 * Checks every signature of a file, in the order in which they were made, against trust anchors; an
 * empty list: trust is not judged. Signatures that cannot be read come last.
 */
export async function verifyFile(
  pdf: Uint8Array,
  anchors: readonly Certificate[],
): Promise<readonly Verdict[]> {
  const file = readSignedFile(pdf);
  const verdicts: Verdict[] = [];
  for (const found of file.signatures) verdicts.push(await verifySignature(file, found, anchors));
  const unread = Array.from({ length: file.unreadableCount }, () => UNREADABLE);
  const all = [...withLaterOnes(file, verdicts), ...unread];
  return all.map((verdict) =>
    verdict.after === 'changes' && verdict !== UNREADABLE
      ? { ...verdict, faults: [...verdict.faults, 'changes'] }
      : verdict,
  );
}

/** An update counts as a signature only if the signature over it is intact. */
function withLaterOnes(file: SignedFile, verdicts: readonly Verdict[]): readonly Verdict[] {
  const intact = new Set(
    file.signatures.filter((_, index) => verdicts[index]?.isIntact).map(({ length }) => length),
  );
  return verdicts.map((verdict, index) => {
    const steps = updatesAfter(file, file.signatures[index]?.length ?? 0);
    const isSigned = steps?.every(({ kind, end }) => kind !== 'signatures' || intact.has(end));
    return isSigned === true ? verdict : { ...verdict, after: 'changes' };
  });
}

async function verifySignature(
  file: SignedFile,
  found: FoundSignature,
  anchors: readonly Certificate[],
): Promise<Verdict> {
  try {
    return await judge(file, found, anchors);
  } catch {
    // The library throws various errors for certificates and tokens that were changed.
    return { ...UNREADABLE, faults: ['damaged'] };
  }
}

async function judge(
  file: SignedFile,
  found: FoundSignature,
  anchors: readonly Certificate[],
): Promise<Verdict> {
  const token = asTimeStampToken(found.cms);
  const steps = updatesAfter(file, found.length);
  const after = await contentAfter(file, steps);
  const judged =
    token === null
      ? await judgeSigner(file, found, anchors, after)
      : await judgeDocumentStamp(found, token, anchors);
  const isDrawnOver = steps?.some(({ draws }) => draws) ?? false;
  const notes = isDrawnOver ? [...judged.notes, 'drawn_over' as const] : judged.notes;
  const faults = found.isTidy ? judged.faults : [...judged.faults, 'room' as const];
  const isIntact = !faults.some((fault) => BROKEN.has(fault));
  return { ...judged, isIntact, after, faults, notes };
}

/** The part of a verdict that does not depend on what follows the signed bytes. */
type Judged = Omit<Verdict, 'isIntact' | 'after'>;

async function judgeSigner(
  file: SignedFile,
  { cms, signed }: FoundSignature,
  anchors: readonly Certificate[],
  after: Verdict['after'],
): Promise<Judged> {
  const faults: Fault[] = await faultsOf(cms, DATA, signed);
  const own = signerOf(cms);
  const isOver = !faults.some((fault) => BROKEN.has(fault));
  if (isOver && !(await isSignedBy(cms, signed))) faults.push('value');
  const chain = certificatesOf(cms);
  if (!(await areConsistent(chain))) faults.push('chain');
  const stamp = await stampOf(cms, anchors);
  faults.push(...stamp.faults);
  const { atMs } = stamp;
  const isTrusted = own === null ? false : await trust(anchors, own, chain, atMs);
  const judged = { signer: '', serialNumber: '', isTrusted, timeStamp: stamp.verdict };
  if (own === null) return { ...judged, level: 'CMS', faults, notes: [] };
  faults.push(...certificateFaults(own, chain, atMs));
  if (isTrusted === false) faults.push('untrusted');
  const proofs = await proofsIn(file, after, [...chain, ...stamp.certificates], atMs);
  if (proofs?.isRevoked === true) faults.push('revoked');
  const isStamped = stamp.verdict !== null;
  const level = levelOf(namesItsSigner(cms, own), isStamped, proofs?.areProven === true);
  const notes = isStamped ? notesOn(proofs) : [];
  const names = { signer: nameOf(own), serialNumber: serialNumberOf(own) };
  return { ...judged, ...names, level, faults, notes };
}

async function judgeDocumentStamp(
  { signed }: FoundSignature,
  token: TimeStampToken,
  anchors: readonly Certificate[],
): Promise<Judged> {
  const own = signerOf(token.cms);
  const isTrusted =
    own === null ? false : await trust(anchors, own, token.certificates, token.atMs);
  const faults = (await timeStampFaults(token, signed)).map((fault): Fault => {
    return fault === 'other_data' ? 'digest' : fault === 'signature' ? 'value' : `stamp_${fault}`;
  });
  if (isTrusted === false) faults.push('untrusted');
  const signer = own === null ? '' : nameOf(own);
  const serialNumber = own === null ? '' : serialNumberOf(own);
  const { atMs } = token;
  const timeStamp = { isIntact: faults.length === 0, atMs, authority: signer, isTrusted };
  return { level: 'time stamp', signer, serialNumber, isTrusted, timeStamp, faults, notes: [] };
}

async function trust(
  anchors: readonly Certificate[],
  own: Certificate,
  chain: readonly Certificate[],
  atMs: number,
): Promise<boolean | null> {
  return anchors.length === 0 ? null : leadsTo(anchors, own, chain, atMs);
}

function levelOf(isNamed: boolean, isStamped: boolean, isProven: boolean): Verdict['level'] {
  if (!isNamed) return 'CMS';
  if (!isStamped) return 'B-B';
  return isProven ? 'B-LT' : 'B-T';
}

function certificateFaults(
  own: Certificate,
  chain: readonly Certificate[],
  atMs: number,
): readonly Fault[] {
  const faults: Fault[] = [];
  if (!maySignDocuments(own)) faults.push('usage');
  const validity = validityAt(own, atMs);
  if (validity === 'expired') faults.push('expired');
  if (validity === 'not yet valid') faults.push('not_yet_valid');
  if (chain.some(isForgeable)) faults.push('weak_digest');
  return faults;
}

/** Nobody relies on the signature of a certificate on itself. */
function isForgeable(certificate: Certificate): boolean {
  return !isSelfIssued(certificate) && isWeakSignature(certificate.signatureAlgorithm.algorithmId);
}

/** What the file's own validation data says; null: it has none. */
async function proofsIn(
  { revision }: SignedFile,
  after: Verdict['after'],
  chain: readonly Certificate[],
  atMs: number,
): Promise<ProofState | null> {
  if (revision === null || after === 'changes') return null;
  const store = storeOf(revision);
  return store === null ? null : judgeProofs(chain, store, atMs);
}

function notesOn(proofs: ProofState | null): readonly Note[] {
  const notes: Note[] = [];
  if (proofs?.isStale === true) notes.push('stale_proofs');
  if (proofs?.isWeak === true) notes.push('weak_proofs');
  return notes;
}

async function contentAfter(
  { revision }: SignedFile,
  steps: readonly UpdateStep[] | null,
): Promise<Verdict['after']> {
  if (steps === null) return 'changes';
  if (steps.length === 0) return 'nothing';
  if (steps.some(({ kind }) => kind === 'changes')) return 'changes';
  const store = revision === null ? null : storeOf(revision);
  // Each part of the data that this service adds is signed by another part.
  const isOwn = steps.some((step) => step.isOwn);
  if (isOwn && (store === null || !(await isSound(store)))) return 'changes';
  return steps.some(({ kind }) => kind === 'signatures') ? 'signatures' : 'validation data';
}

/**
 * Whether the certificates in a signature are as they were issued: the signature does not cover them,
 * but each whose issuer is among them must be signed by that.
 */
async function areConsistent(certificates: readonly Certificate[]): Promise<boolean> {
  for (const certificate of certificates) {
    const { issuer } = certificate;
    const hasIssuer = certificates.some(({ subject }) => subject.isEqual(issuer));
    if (hasIssuer && (await findIssuer(certificate, certificates)) === null) return false;
  }
  return true;
}
