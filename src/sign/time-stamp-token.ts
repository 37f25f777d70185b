import { createHash } from 'node:crypto';
import { type Certificate, ContentInfo, SignedData, TSTInfo } from 'pkijs';
import { certificatesOf, digestNameOf, mayStampTime, validityAt } from './certificates.ts';
import { faultsOf, isSignedBy, signerOf, TST_INFO } from './signed-data.ts';

/** A time stamp (RFC 3161), read and not checked yet. */
export interface TimeStampToken {
  readonly cms: SignedData;
  readonly info: TSTInfo;
  /** The encoded `info`, which the authority signed. */
  readonly content: Uint8Array;
  readonly atMs: number;
  readonly certificates: readonly Certificate[];
}

/** What is wrong with a time stamp. */
export type TimeStampFault = 'other_data' | 'signature' | 'usage' | 'validity' | 'weak_digest';

/** Reads a token; null: the value is something else. */
export function readTimeStampToken(token: ContentInfo): TimeStampToken | null {
  try {
    return asTimeStampToken(new SignedData({ schema: token.content }));
  } catch {
    // The library throws various errors for values that are something else.
    return null;
  }
}

/** A CMS as a token; null: its content is something else. */
export function asTimeStampToken(cms: SignedData): TimeStampToken | null {
  const { eContentType, eContent } = cms.encapContentInfo;
  if (eContentType !== TST_INFO || eContent === undefined) return null;
  const content = new Uint8Array(eContent.getValue());
  const info = TSTInfo.fromBER(content);
  const atMs = info.genTime.getTime();
  return { cms, info, content, atMs, certificates: certificatesOf(cms) };
}

/** Checks that a token is one over `data`, by an authority that may stamp time; trust is judged apart. */
export async function timeStampFaults(
  { cms, info, content, atMs }: TimeStampToken,
  data: Uint8Array,
): Promise<TimeStampFault[]> {
  const faults: TimeStampFault[] = [];
  const { hashAlgorithm, hashedMessage } = info.messageImprint;
  const name = digestNameOf(hashAlgorithm.algorithmId);
  if (name === null) return ['weak_digest'];
  const digest = createHash(name).update(data).digest();
  if (!digest.equals(Buffer.from(hashedMessage.getValue()))) faults.push('other_data');
  const cmsFaults = await faultsOf(cms, TST_INFO, content);
  if (cmsFaults.includes('weak_digest')) faults.push('weak_digest');
  const own = signerOf(cms);
  const isOther = cmsFaults.some((fault) => fault !== 'weak_digest');
  if (own === null || isOther || !(await isSignedBy(cms, data))) return [...faults, 'signature'];
  if (!mayStampTime(own)) faults.push('usage');
  if (validityAt(own, atMs) !== 'valid') faults.push('validity');
  return faults;
}
