import type { X509Certificate } from 'node:crypto';
import { fromBER, OctetString } from 'asn1js';
import {
  BasicOCSPResponse,
  Certificate,
  CertificateRevocationList,
  type BasicConstraints,
  type CRLDistributionPoints,
  type GeneralName,
  id_AuthorityInfoAccess,
  id_BasicConstraints,
  id_CRLDistributionPoints,
  id_IssuingDistributionPoint,
  type InfoAccess,
  type IssuingDistributionPoint,
  OCSPRequest,
  OCSPResponse,
} from 'pkijs';
import { isWeakSignature } from '../certificates.ts';

/** A statement of an authority about one certificate, with its bytes as they came. */
export interface Proof {
  readonly kind: 'ocsp' | 'crl';
  readonly der: Uint8Array;
  readonly state: 'good' | 'revoked';
  /** When the authority made it, and until when it holds; in ms. */
  readonly thisUpdateMs: number;
  readonly nextUpdateMs: number;
  /** Whether it is signed with SHA-1 or MD5, so that it may be forged. */
  readonly isWeak: boolean;
  /** Certificates that came with it: those of an OCSP responder. */
  readonly certificates: readonly Certificate[];
}

/** The addresses at which a certificate's revocation state can be asked for. */
export interface RevocationAddresses {
  readonly ocsp: readonly string[];
  readonly crl: readonly string[];
}

const OCSP_ACCESS = '1.3.6.1.5.5.7.48.1';
const BASIC_RESPONSE = '1.3.6.1.5.5.7.48.1.1';
/** Values of CertStatus (RFC 6960, 4.2.1); 1 is `revoked`. */
const GOOD = 0;
const UNKNOWN = 2;
/** X.690: the tag of an ENUMERATED. */
const ENUMERATED = 10;
/** Type of a GeneralName that is a URI (RFC 5280, 4.2.1.6). */
const URI = 6;
/** Extension of a CRL that lists only changes (RFC 5280, 5.2.4). */
const DELTA_INDICATOR = '2.5.29.27';
/** How long a statement that names no end is valid. */
const UNBOUNDED_MS = 24 * 3_600_000;

export function asCertificate({ raw }: X509Certificate): Certificate {
  return Certificate.fromBER(new Uint8Array(raw));
}

/** The HTTP addresses in a certificate (RFC 5280, 4.2.1.13 and 4.2.2.1); `hosts`: only at these. */
export function addressesIn(
  certificate: Certificate,
  hosts: readonly string[] | null,
): RevocationAddresses {
  const isAllowed = (url: string): boolean =>
    hosts === null || (URL.canParse(url) && hosts.includes(new URL(url).hostname));
  const ocsp: string[] = [];
  const crl: string[] = [];
  for (const { extnID, parsedValue } of certificate.extensions ?? []) {
    if (extnID === id_AuthorityInfoAccess) {
      // The library parses this extension into this type.
      for (const { accessMethod, accessLocation } of (parsedValue as InfoAccess)
        .accessDescriptions) {
        if (accessMethod === OCSP_ACCESS) ocsp.push(...urlsOf([accessLocation]));
      }
    } else if (extnID === id_CRLDistributionPoints) {
      // The library parses this extension into this type, too.
      for (const { distributionPoint } of (parsedValue as CRLDistributionPoints)
        .distributionPoints) {
        if (Array.isArray(distributionPoint)) crl.push(...urlsOf(distributionPoint));
      }
    }
  }
  return { ocsp: ocsp.filter(isAllowed), crl: crl.filter(isAllowed) };
}

function urlsOf(names: readonly GeneralName[]): string[] {
  return names
    .filter(({ type }) => type === URI)
    .map(({ value }) => String(value))
    .filter((url) => /^https?:\/\//.test(url));
}

/**
 * An OCSP request about one certificate (RFC 6960, 4.1), without a nonce, so that caches can
 * answer.
 */
export async function ocspRequest(certificate: Certificate, issuer: Certificate): Promise<Buffer> {
  const request = new OCSPRequest();
  // Responders must know SHA-1 (RFC 6960, 4.3); it names the issuer here and protects nothing.
  const parameters = { hashAlgorithm: 'SHA-1', issuerCertificate: issuer };
  await request.createForCertificate(certificate, parameters);
  return Buffer.from(request.toSchema(true).toBER(false));
}

/**
 * Reads DER that is an OCSP response or a CRL; null: it says nothing reliable about the
 * certificate.
 */
export async function readProof(
  der: Uint8Array,
  certificate: Certificate,
  issuer: Certificate,
): Promise<Proof | null> {
  try {
    return (await readOcsp(der, certificate, issuer)) ?? (await readCrl(der, certificate, issuer));
  } catch {
    // The library throws various errors for other bytes and for wrong signatures.
    return null;
  }
}

async function readOcsp(
  der: Uint8Array,
  certificate: Certificate,
  issuer: Certificate,
): Promise<Proof | null> {
  const basic = basicResponse(der);
  if (basic === null) return null;
  const embedded = basic.certs ?? [];
  basic.certs = [...embedded, issuer];
  if (!(await basic.verify({ trustedCerts: [issuer] }))) return null;
  const found = await basic.getCertificateStatus(certificate, issuer);
  const [single] = basic.tbsResponseData.responses;
  if (!found.isForCertificate || found.status === UNKNOWN || single === undefined) return null;
  if (basic.tbsResponseData.responses.length > 1) return null;
  const thisUpdateMs = single.thisUpdate.getTime();
  return {
    kind: 'ocsp',
    der,
    state: found.status === GOOD ? 'good' : 'revoked',
    thisUpdateMs,
    nextUpdateMs: single.nextUpdate?.getTime() ?? thisUpdateMs + UNBOUNDED_MS,
    isWeak: isWeakSignature(basic.signatureAlgorithm.algorithmId),
    certificates: embedded,
  };
}

/** The basic response in an OCSPResponse; null: the bytes are something else. */
function basicResponse(der: Uint8Array): BasicOCSPResponse | null {
  const { result, offset } = fromBER(new Uint8Array(der));
  if (offset === -1) return null;
  const [first] = (result.valueBlock as { value?: unknown[] }).value ?? [];
  // An OCSPResponse begins with an ENUMERATED; a CRL with a SEQUENCE.
  if (
    (first as { idBlock?: { tagNumber?: number } } | undefined)?.idBlock?.tagNumber !== ENUMERATED
  ) {
    return null;
  }
  const { responseBytes } = new OCSPResponse({ schema: result });
  if (responseBytes?.responseType !== BASIC_RESPONSE) return null;
  if (!(responseBytes.response instanceof OctetString)) return null;
  return BasicOCSPResponse.fromBER(responseBytes.response.valueBlock.valueHexView);
}

async function readCrl(
  der: Uint8Array,
  certificate: Certificate,
  issuer: Certificate,
): Promise<Proof | null> {
  const list = CertificateRevocationList.fromBER(new Uint8Array(der));
  if (!(await list.verify({ issuerCertificate: issuer }))) return null;
  if (!isAbout(list, certificate)) return null;
  const thisUpdateMs = list.thisUpdate.value.getTime();
  return {
    kind: 'crl',
    der,
    state: list.isCertificateRevoked(certificate) ? 'revoked' : 'good',
    thisUpdateMs,
    nextUpdateMs: list.nextUpdate?.value.getTime() ?? thisUpdateMs + UNBOUNDED_MS,
    isWeak: isWeakSignature(list.signatureAlgorithm.algorithmId),
    certificates: [],
  };
}

/**
 * Whether a CRL would list the certificate if it were revoked: some cover only a part (RFC 5280,
 * 5.2.5).
 */
function isAbout(list: CertificateRevocationList, certificate: Certificate): boolean {
  const extensions = list.crlExtensions?.extensions ?? [];
  if (extensions.some(({ extnID }) => extnID === DELTA_INDICATOR)) return false;
  const scope = extensions.find(({ extnID }) => extnID === id_IssuingDistributionPoint);
  if (scope === undefined) return true;
  // The library parses these extensions into these types.
  const part = scope.parsedValue as IssuingDistributionPoint;
  const constraints = (certificate.extensions ?? []).find(
    ({ extnID }) => extnID === id_BasicConstraints,
  )?.parsedValue as BasicConstraints | undefined;
  if (part.indirectCRL || part.onlyContainsAttributeCerts) return false;
  if (part.onlySomeReasons !== undefined) return false;
  return constraints?.cA === true ? !part.onlyContainsUserCerts : !part.onlyContainsCACerts;
}
