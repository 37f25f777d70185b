import { X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { Certificate } from 'pkijs';
import { asCertificate } from '../../sign/long-term/revocation.ts';
import { FAULTS, NOTES } from '../../sign/verification/faults.ts';
import type { TimeStampVerdict } from '../../sign/verification/stamp.ts';
import { type Verdict, verifyFile } from '../../sign/verification/verify-signature.ts';
import { CommandFailed, unreadable } from '../console/failure.ts';
import { isoTime } from '../console/output.ts';

/** Checks every signature of a file; `trustPath` is PEM of the certificates to trust, or null. */
export async function verifySignatures(
  pdf: Uint8Array,
  trustPath: string | null,
): Promise<readonly Verdict[]> {
  const anchors = trustPath === null ? [] : await readAnchors(trustPath);
  return verifyFile(pdf, anchors);
}

async function readAnchors(path: string): Promise<readonly Certificate[]> {
  const pem = await readFile(path, 'utf8').catch((error: unknown) => {
    throw unreadable(path, error);
  });
  const blocks = pem.match(/-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g) ?? [];
  if (blocks.length === 0) throw new CommandFailed(`${path}: no certificate in PEM`);
  return blocks.map((block) => asCertificate(new X509Certificate(block)));
}

/** Whether a signature holds as far as it was checked. */
export function isValid({ faults }: Verdict): boolean {
  return faults.length === 0;
}

/** Whether it is a signature of somebody: a time stamp of the file tells only when it existed. */
export function isSignature({ level }: Verdict): boolean {
  return level !== 'time stamp';
}

/** A verdict for `--json`. */
export function signatureJson(verdict: Verdict): Record<string, unknown> {
  const { timeStamp, ...rest } = verdict;
  if (timeStamp === null) return { isValid: isValid(verdict), ...rest, timeStamp };
  const { atMs, ...stamp } = timeStamp;
  return { isValid: isValid(verdict), ...rest, timeStamp: { at: isoTime(atMs), ...stamp } };
}

export function describeSignatures(verdicts: readonly Verdict[]): string[] {
  const lines = verdicts.flatMap(describe);
  return verdicts.some(isSignature) ? lines : ['Not signed.', ...lines];
}

function describe(verdict: Verdict): string[] {
  const { level, isTrusted, timeStamp, faults, notes } = verdict;
  if (faults.includes('unreadable')) {
    return ['A signature that cannot be read: NOT VALID.', `  Fault: ${FAULTS.unreadable}`];
  }
  const lines = [
    `${titleOf(verdict)}: ${isValid(verdict) ? 'valid' : 'NOT VALID'}.`,
    `  Bytes: ${integrityOf(verdict)}`,
    `  Certificate: ${TRUST[String(isTrusted) as keyof typeof TRUST]}`,
  ];
  if (level !== 'time stamp') {
    lines.push(`  Time stamp: ${timeStamp === null ? 'none.' : describeTimeStamp(timeStamp)}`);
  }
  for (const fault of faults) lines.push(`  Fault: ${FAULTS[fault]}`);
  for (const note of notes) lines.push(`  Note: ${NOTES[note]}`);
  return lines;
}

function titleOf({ signer, serialNumber, level, timeStamp }: Verdict): string {
  const by = `by ${printable(signer)}, serial number ${serialNumber}`;
  if (level === 'time stamp')
    return `Time stamp of the file ${by}, ${isoTime(timeStamp?.atMs ?? 0)}`;
  return `Signature ${by}, ${level === 'CMS' ? 'CMS' : `PAdES ${level}`}`;
}

function integrityOf({ isIntact, after }: Verdict): string {
  if (!isIntact) return 'what was signed has changed, or the signature is forged.';
  switch (after) {
    case 'nothing':
      return 'the whole file is as it was signed.';
    case 'validation data':
      return 'the file is as it was signed; certificates and their state were added.';
    case 'signatures':
      return 'the file is as it was signed; later signatures were added.';
    case 'changes':
      return 'the file was changed after it was signed.';
  }
}

const TRUST = {
  true: 'it leads to one that --trust names.',
  false: 'it does not lead to one that --trust names.',
  null: 'not checked; --trust names a file of those to trust.',
} as const;

function describeTimeStamp({ isIntact, atMs, authority, isTrusted }: TimeStampVerdict): string {
  const trust = { true: ', trusted', false: ', NOT trusted', null: '' }[String(isTrusted)] ?? '';
  const state = isIntact ? '' : ', NOT VALID';
  return `${isoTime(atMs)} by ${printable(authority)}${trust}${state}.`;
}

/** A name of a certificate without characters that a terminal would obey. */
function printable(name: string): string {
  return name.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '?');
}
