import {
  Certificate,
  ContentInfo,
  IssuerAndSerialNumber,
  SignedData,
  SignedDataVerifyError,
  TSTInfo,
} from 'pkijs';
import { sha256 } from '../cms.ts';
import { needsProof, findIssuer } from '../long-term/validation-data.ts';
import { readProof } from '../long-term/revocation.ts';
import type { ValidationData } from '../long-term/validation-data.ts';
import { readSecurityStore } from '../long-term/security-store.ts';
import type { FoundSignature } from './signed-file.ts';

/** What a signature says, and whether it is valid. */
export interface Verdict {
  /** No byte that was signed changed, and the certificate's key made the signature. */
  readonly isIntact: boolean;
  /** Bytes after the signed part: none, the security store of this service, or anything else. */
  readonly after: 'nothing' | 'validation data' | 'changes';
  readonly level: 'B-B' | 'B-T' | 'B-LT';
  readonly signer: string;
  /** In hexadecimal digits. */
  readonly serialNumber: string;
  /** Whether the chain ends at a given anchor; null: none was given. */
  readonly isTrusted: boolean | null;
  /** null: there is no time stamp. */
  readonly timeStamp: TimeStampVerdict | null;
}

export interface TimeStampVerdict {
  readonly isIntact: boolean;
  readonly atMs: number;
  readonly authority: string;
  readonly isTrusted: boolean | null;
}

const TIME_STAMP_TOKEN = '1.2.840.113549.1.9.16.2.14';
const SIGNING_CERTIFICATE = '1.2.840.113549.1.9.16.2.47';
const COMMON_NAME = '2.5.4.3';

/** Checks one signature of a file against trust anchors; an empty list: trust is not judged. */
export async function verifySignature(
  pdf: Uint8Array,
  found: FoundSignature,
  anchors: readonly Certificate[],
): Promise<Verdict> {
  try {
    return await judge(pdf, found, anchors);
  } catch {
    // The library throws various errors for certificates and tokens that were changed.
    const nothing = { signer: '', serialNumber: '', timeStamp: null } as const;
    return { isIntact: false, after: 'changes', level: 'B-B', isTrusted: null, ...nothing };
  }
}

async function judge(
  pdf: Uint8Array,
  found: FoundSignature,
  anchors: readonly Certificate[],
): Promise<Verdict> {
  const { cms, signed, length } = found;
  const own = signerOf(cms);
  const stamp = timeStampOf(cms);
  const token = stamp === 'unreadable' ? null : stamp;
  const timeStamp = await verifyTimeStamp(cms, token, anchors);
  const chain = certificatesOf(cms);
  const isIntact =
    found.isTidy &&
    stamp !== 'unreadable' &&
    own !== null &&
    namesItsSigner(cms, own) &&
    (await isSignatureOf(cms, signed)) &&
    (await areConsistent(chain));
  const store = await storeAfter(pdf, length);
  const stampChain = token === null ? [] : certificatesOf(token.signed);
  const isProven =
    store !== null && token !== null && (await areProven([...chain, ...stampChain], store));
  return {
    isIntact,
    after: contentAfter(pdf, length, store),
    level: levelOf(token, isProven),
    signer: own === null ? '' : nameOf(own),
    serialNumber: own === null ? '' : hexOf(own.serialNumber.valueBlock.valueHexView),
    isTrusted: await isTrusted(cms, signed, anchors, timeStamp?.atMs ?? Date.now()),
    timeStamp,
  };
}

function contentAfter(
  pdf: Uint8Array,
  length: number,
  store: ValidationData | null,
): Verdict['after'] {
  if (length === pdf.length) return 'nothing';
  return store === null ? 'changes' : 'validation data';
}

function levelOf(token: Token | null, isProven: boolean): Verdict['level'] {
  if (isProven) return 'B-LT';
  return token === null ? 'B-B' : 'B-T';
}

/** The security store after the signed part; null: there is none, or something else. */
async function storeAfter(pdf: Uint8Array, length: number): Promise<ValidationData | null> {
  if (length === pdf.length) return null;
  const store = readSecurityStore(pdf, { length });
  return store !== null && (await isSound(store)) ? store : null;
}

/** Whether the signature was made over these bytes by the key of its certificate. */
async function isSignatureOf(cms: SignedData, signed: Uint8Array): Promise<boolean> {
  try {
    return await cms.verify({ signer: 0, data: new Uint8Array(signed).buffer });
  } catch (error) {
    if (error instanceof SignedDataVerifyError) return false;
    throw error;
  }
}

/** Whether the chain leads to an anchor at a time; null without anchors. */
async function isTrusted(
  cms: SignedData,
  signed: Uint8Array,
  anchors: readonly Certificate[],
  atMs: number,
): Promise<boolean | null> {
  if (anchors.length === 0) return null;
  const data = new Uint8Array(signed).buffer;
  const trustedCerts = [...anchors];
  try {
    const checkDate = new Date(atMs);
    return await cms.verify({ signer: 0, data, trustedCerts, checkChain: true, checkDate });
  } catch (error) {
    if (error instanceof SignedDataVerifyError) return false;
    throw error;
  }
}

/** The token with its content; null: there is none, 'unreadable': the attribute holds no token. */
function timeStampOf(cms: SignedData): Token | 'unreadable' | null {
  const stamps = cms.signerInfos[0]?.unsignedAttrs?.attributes ?? [];
  if (stamps.length === 0) return null;
  const token: unknown = stamps.find(({ type }) => type === TIME_STAMP_TOKEN)?.values[0];
  try {
    const signed = new SignedData({ schema: new ContentInfo({ schema: token }).content });
    const content = signed.encapContentInfo.eContent?.getValue();
    if (content === undefined) return 'unreadable';
    return { signed, atMs: TSTInfo.fromBER(content).genTime.getTime() };
  } catch {
    // The library throws various errors for bytes that are something else.
    return 'unreadable';
  }
}

interface Token {
  readonly signed: SignedData;
  readonly atMs: number;
}

async function verifyTimeStamp(
  cms: SignedData,
  token: Token | null,
  anchors: readonly Certificate[],
): Promise<TimeStampVerdict | null> {
  const value = cms.signerInfos[0]?.signature.valueBlock.valueHexView;
  if (token === null || value === undefined) return null;
  const { signed, atMs } = token;
  const own = signerOf(signed);
  return {
    isIntact: (await isSignatureOf(signed, value)) && (await areConsistent(certificatesOf(signed))),
    atMs,
    authority: own === null ? '' : nameOf(own),
    isTrusted: await isTrusted(signed, value, anchors, atMs),
  };
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

/** Whether each certificate that could be revoked has a statement that it was not. */
async function areProven(
  chain: readonly Certificate[],
  { certificates, ocsps, crls }: ValidationData,
): Promise<boolean> {
  const others = certificates.map(decode).filter((one) => one !== null);
  for (const certificate of chain.filter(needsProof)) {
    const issuer = await findIssuer(certificate, [...chain, ...others]);
    if (issuer === null) return false;
    const proofs = await Promise.all(
      [...ocsps, ...crls].map((der) => readProof(der, certificate, issuer)),
    );
    if (!proofs.some((proof) => proof?.state === 'good')) return false;
  }
  return true;
}

/** Whether each part of a store is signed by another, so that no byte of it was changed. */
async function isSound({ certificates, ocsps, crls }: ValidationData): Promise<boolean> {
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

function certificatesOf(cms: SignedData): Certificate[] {
  return (cms.certificates ?? []).filter((one) => one instanceof Certificate);
}

function signerOf(cms: SignedData): Certificate | null {
  const sid: unknown = cms.signerInfos[0]?.sid;
  if (!(sid instanceof IssuerAndSerialNumber)) return null;
  const own = certificatesOf(cms).find(
    ({ issuer, serialNumber }) =>
      issuer.isEqual(sid.issuer) && serialNumber.isEqual(sid.serialNumber),
  );
  return own ?? null;
}

/**
 * Whether the signed attributes hold the digest of the signer's certificate (RFC 5035), so that it
 * cannot be exchanged for another with the same key.
 */
function namesItsSigner(cms: SignedData, own: Certificate): boolean {
  const attributes = cms.signerInfos[0]?.signedAttrs?.attributes ?? [];
  const attribute = attributes.find(({ type }) => type === SIGNING_CERTIFICATE);
  const [value] = (attribute?.values ?? []) as { toBER(sizeOnly: boolean): ArrayBuffer }[];
  if (value === undefined) return false;
  const digest = sha256(new Uint8Array(own.toSchema().toBER(false)));
  return Buffer.from(value.toBER(false)).includes(digest);
}

function nameOf({ subject }: Certificate): string {
  const names = subject.typesAndValues.map(({ type, value }) =>
    type === COMMON_NAME ? `CN=${value.valueBlock.value}` : '',
  );
  return names.find((name) => name !== '') ?? 'a certificate without a common name';
}

function hexOf(bytes: Uint8Array): string {
  // A leading zero keeps the number positive in DER; node:crypto leaves it out.
  return Buffer.from(bytes)
    .toString('hex')
    .toUpperCase()
    .replace(/^00(?=.)/, '');
}
