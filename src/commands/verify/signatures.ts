import { X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { Certificate } from 'pkijs';
import { asCertificate } from '../../sign/long-term/revocation.ts';
import { findSignatures } from '../../sign/verification/signed-file.ts';
import {
  type TimeStampVerdict,
  type Verdict,
  verifySignature,
} from '../../sign/verification/verify-signature.ts';
import { CommandFailed, unreadable } from '../console/failure.ts';
import { isoTime } from '../console/output.ts';

/** Checks every signature of a file; `trustPath` is PEM of the certificates to trust, or null. */
export async function verifySignatures(
  pdf: Uint8Array,
  trustPath: string | null,
): Promise<readonly Verdict[]> {
  const anchors = trustPath === null ? [] : await readAnchors(trustPath);
  const verdicts: Verdict[] = [];
  for (const found of findSignatures(pdf)) {
    verdicts.push(await verifySignature(pdf, found, anchors));
  }
  return verdicts;
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
export function isValid({ isIntact, after, isTrusted, timeStamp }: Verdict): boolean {
  if (!isIntact || after === 'changes' || isTrusted === false) return false;
  return timeStamp === null || (timeStamp.isIntact && timeStamp.isTrusted !== false);
}

export function describeSignatures(verdicts: readonly Verdict[]): string[] {
  return verdicts.length === 0 ? ['Not signed.'] : verdicts.flatMap(describe);
}

function describe(verdict: Verdict): string[] {
  const { signer, serialNumber, level, isTrusted, timeStamp } = verdict;
  const state = isValid(verdict) ? 'valid' : 'NOT VALID';
  return [
    `Signature by ${signer}, serial number ${serialNumber}, PAdES ${level}: ${state}.`,
    `  Bytes: ${integrityOf(verdict)}`,
    `  Certificate: ${TRUST[String(isTrusted) as keyof typeof TRUST]}`,
    `  Time stamp: ${timeStamp === null ? 'none.' : describeTimeStamp(timeStamp)}`,
  ];
}

function integrityOf({ isIntact, after }: Verdict): string {
  if (!isIntact) return 'what was signed has changed, or the signature is forged.';
  switch (after) {
    case 'nothing':
      return 'the whole file is as it was signed.';
    case 'validation data':
      return 'the file is as it was signed; certificates and their state were added.';
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
  const state = isIntact ? '' : ', NOT VALID for this signature';
  return `${isoTime(atMs)} by ${authority}${trust}${state}.`;
}
