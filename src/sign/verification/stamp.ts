import { type Certificate, ContentInfo, type SignedData } from 'pkijs';
import { leadsTo } from '../certificates.ts';
import { signerOf } from '../signed-data.ts';
import { readTimeStampToken, type TimeStampToken, timeStampFaults } from '../time-stamp-token.ts';
import type { Fault } from './faults.ts';

/** What the time stamp of a signature says. */
export interface TimeStampVerdict {
  readonly isIntact: boolean;
  readonly atMs: number;
  readonly authority: string;
  readonly isTrusted: boolean | null;
}

/** The time stamp of a signature, checked. */
export interface CheckedStamp {
  /** null: there is none. */
  readonly verdict: TimeStampVerdict | null;
  /** When the signature was there at the latest: the time of a good stamp, else now. */
  readonly atMs: number;
  readonly certificates: readonly Certificate[];
  readonly faults: readonly Fault[];
}

const TIME_STAMP_TOKEN = '1.2.840.113549.1.9.16.2.14';
const COMMON_NAME = '2.5.4.3';

/** Checks the time stamp on the value of a signature. */
export async function stampOf(
  cms: SignedData,
  anchors: readonly Certificate[],
): Promise<CheckedStamp> {
  const [signer] = cms.signerInfos;
  const value = signer?.signature.valueBlock.valueHexView;
  const attributes = signer?.unsignedAttrs?.attributes ?? [];
  const none = { verdict: null, atMs: Date.now(), certificates: [] };
  const stamp = attributes.find(({ type }) => type === TIME_STAMP_TOKEN);
  if (value === undefined || attributes.length === 0) return { ...none, faults: [] };
  const token = tokenIn(stamp?.values[0]);
  if (token === null) return { ...none, faults: ['stamp_unreadable'] };
  const { certificates, atMs } = token;
  const faults: Fault[] = [];
  for (const fault of await timeStampFaults(token, value)) faults.push(`stamp_${fault}`);
  const own = signerOf(token.cms);
  const isTrusted =
    own === null || anchors.length === 0 ? null : await leadsTo(anchors, own, certificates, atMs);
  const isIntact = faults.length === 0;
  if (isTrusted === false) faults.push('stamp_untrusted');
  const authority = own === null ? '' : nameOf(own);
  const verdict = { isIntact, atMs, authority, isTrusted };
  // A stamp that anybody can make says nothing about the time.
  return { verdict, atMs: faults.length === 0 ? atMs : Date.now(), certificates, faults };
}

function tokenIn(value: unknown): TimeStampToken | null {
  try {
    return readTimeStampToken(new ContentInfo({ schema: value }));
  } catch {
    // The library throws various errors for values that are something else.
    return null;
  }
}

export function nameOf({ subject }: Certificate): string {
  const names = subject.typesAndValues.map(({ type, value }) =>
    type === COMMON_NAME ? `CN=${value.valueBlock.value}` : '',
  );
  return names.find((name) => name !== '') ?? 'a certificate without a common name';
}

export function serialNumberOf({ serialNumber }: Certificate): string {
  // A leading zero keeps the number positive in DER; node:crypto leaves it out.
  return Buffer.from(serialNumber.valueBlock.valueHexView)
    .toString('hex')
    .toUpperCase()
    .replace(/^00(?=.)/, '');
}
