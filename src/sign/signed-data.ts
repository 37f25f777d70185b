import { createHash } from 'node:crypto';
import { ObjectIdentifier, OctetString, Sequence } from 'asn1js';
import {
  type Attribute,
  type Certificate,
  IssuerAndSerialNumber,
  type SignedData,
  SignedDataVerifyError,
} from 'pkijs';
import { certificatesOf, digestNameOf, isWeakSignature } from './certificates.ts';

/** What is wrong with the signature in a CMS (RFC 5652). */
export type SignedDataFault =
  'signers' | 'content' | 'digest' | 'value' | 'weak_digest' | 'certificate' | 'bound_certificate';

/** Content types (RFC 5652, 4; RFC 3161, 2.4.2). */
export const DATA = '1.2.840.113549.1.7.1';
export const TST_INFO = '1.2.840.113549.1.9.16.1.4';
const CONTENT_TYPE = '1.2.840.113549.1.9.3';
const MESSAGE_DIGEST = '1.2.840.113549.1.9.4';
const SIGNING_CERTIFICATE = '1.2.840.113549.1.9.16.2.12';
const SIGNING_CERTIFICATE_V2 = '1.2.840.113549.1.9.16.2.47';
const WEAK_DIGESTS: ReadonlySet<string> = new Set(['1.3.14.3.2.26', '1.2.840.113549.2.5']);

/**
 * Checks a signature over `content`, which is what its digest must be of. A detached signature has no
 * content in itself: what is in a CMS beside the signed attributes is not covered by the signature, so
 * content there could be that of another document.
 */
export async function faultsOf(
  cms: SignedData,
  contentType: typeof DATA | typeof TST_INFO,
  content: Uint8Array,
): Promise<SignedDataFault[]> {
  const { encapContentInfo, signerInfos } = cms;
  const [signer] = signerInfos;
  if (signer === undefined || signerInfos.length > 1) return ['signers'];
  const isDetached = encapContentInfo.eContent === undefined;
  if (encapContentInfo.eContentType !== contentType || isDetached !== (contentType === DATA)) {
    return ['content'];
  }
  const faults: SignedDataFault[] = [];
  const attributes = signer.signedAttrs?.attributes ?? [];
  const stated = onlyValue(attributes, CONTENT_TYPE);
  if (!(stated instanceof ObjectIdentifier) || stated.getValue() !== contentType) {
    return ['content'];
  }
  const { algorithmId } = signer.digestAlgorithm;
  const isWeak = WEAK_DIGESTS.has(algorithmId);
  if (isWeak || isWeakSignature(signer.signatureAlgorithm.algorithmId)) faults.push('weak_digest');
  const name = isWeak ? 'sha1' : digestNameOf(algorithmId);
  const digest = onlyValue(attributes, MESSAGE_DIGEST);
  const isDigest =
    name !== null &&
    digest instanceof OctetString &&
    createHash(name).update(content).digest().equals(Buffer.from(digest.getValue()));
  if (!isDigest) return [...faults, 'digest'];
  const own = signerOf(cms);
  if (own === null) return [...faults, 'certificate'];
  if (bindingOf(attributes, own) === 'other') faults.push('bound_certificate');
  return faults;
}

/** Whether the key of the signer's certificate made the signature; `data` as the library takes it. */
export async function isSignedBy(cms: SignedData, data: Uint8Array): Promise<boolean> {
  try {
    return await cms.verify({ signer: 0, data: new Uint8Array(data).buffer });
  } catch (error) {
    if (error instanceof SignedDataVerifyError) return false;
    throw error;
  }
}

/** The certificate of the signer, among those that the CMS brings. */
export function signerOf(cms: SignedData): Certificate | null {
  const sid: unknown = cms.signerInfos[0]?.sid;
  if (!(sid instanceof IssuerAndSerialNumber)) return null;
  const own = certificatesOf(cms).find(
    ({ issuer, serialNumber }) =>
      issuer.isEqual(sid.issuer) && serialNumber.isEqual(sid.serialNumber),
  );
  return own ?? null;
}

/** Whether the signed attributes name the signer's certificate, so that it cannot be exchanged. */
export function namesItsSigner(cms: SignedData, own: Certificate): boolean {
  return bindingOf(cms.signerInfos[0]?.signedAttrs?.attributes ?? [], own) === 'own';
}

/** The certificate that the signed attributes hold a digest of (RFC 5035). */
function bindingOf(attributes: readonly Attribute[], own: Certificate): 'own' | 'other' | 'none' {
  const der = Buffer.from(own.toSchema().toBER(false));
  let binding: 'own' | 'none' = 'none';
  for (const type of [SIGNING_CERTIFICATE, SIGNING_CERTIFICATE_V2]) {
    if (!attributes.some((attribute) => attribute.type === type)) continue;
    const value = onlyValue(attributes, type);
    const hash = certificateHash(value, type === SIGNING_CERTIFICATE ? 'sha1' : 'sha256');
    if (hash === null) return 'other';
    if (!createHash(hash.name).update(der).digest().equals(hash.value)) return 'other';
    binding = 'own';
  }
  return binding;
}

/** The digest of the first ESSCertID or ESSCertIDv2, which is the signer's; null: it is not readable. */
function certificateHash(
  value: unknown,
  defaultName: string,
): { readonly name: string; readonly value: Buffer } | null {
  const [list] = partsOf(value);
  const [first] = partsOf(list);
  const [one, two] = partsOf(first);
  if (one instanceof OctetString) return { name: defaultName, value: bytesOf(one) };
  const [algorithm] = partsOf(one);
  if (!(algorithm instanceof ObjectIdentifier) || !(two instanceof OctetString)) return null;
  const name = digestNameOf(algorithm.getValue());
  return name === null ? null : { name, value: bytesOf(two) };
}

function partsOf(value: unknown): readonly unknown[] {
  return value instanceof Sequence ? value.valueBlock.value : [];
}

function bytesOf(octets: OctetString): Buffer {
  return Buffer.from(octets.getValue());
}

/** The value of an attribute that must be there once, with one value; null: it is not. */
function onlyValue(attributes: readonly Attribute[], type: string): unknown {
  const found = attributes.filter((attribute) => attribute.type === type);
  const [attribute] = found;
  const values = (attribute?.values ?? []) as readonly unknown[];
  return found.length === 1 && values.length === 1 ? values[0] : null;
}
