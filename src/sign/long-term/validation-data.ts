import { readFile } from 'node:fs/promises';
import type { Certificate } from 'pkijs';
import { leadsTo } from '../certificates.ts';
import { ask } from '../http.ts';
import { SigningError } from '../signing-error.ts';
import { addressesIn, ocspRequest, type Proof, readProof } from './revocation.ts';

/** Validation data of PAdES B-LT, in DER: with it, a signature can be verified in ten years. */
export interface ValidationData {
  readonly certificates: readonly Uint8Array[];
  readonly ocsps: readonly Uint8Array[];
  readonly crls: readonly Uint8Array[];
}

/** The same, with the time until which all its proofs are current. */
export interface GatheredData extends ValidationData {
  readonly validUntilMs: number;
}

/** Gathers the data for the certificates of a signature; throws `SigningError`. */
export type GatherProofs = (certificates: readonly Certificate[]) => Promise<GatheredData>;

/** How a signer's long-term data is gathered. */
export interface LongTermSettings {
  /** Known certificates: those above the signer's, and those that the operator named. */
  readonly authorities: readonly Certificate[];
  /** CRLs and OCSP responses, read before any address is asked. */
  readonly files: readonly string[];
  /** The hosts that may be asked; null: those that the certificates name. */
  readonly hosts: readonly string[] | null;
  /** How long an answer may be reused, unless it expires earlier. */
  readonly ageMsMax: number;
  /** Time limit for each answer. */
  readonly timeoutMs: number;
}

/** Bound for a CRL, which grows with what an authority revokes; each document embeds it. */
const PROOF_BYTES_MAX = 1024 * 1024;
/** Certificates of one signature: its chain, those of the time stamp and of OCSP responders. */
const CERTIFICATES_MAX = 20;
/** Clocks of authorities may be ahead by this. */
const SKEW_MS = 5 * 60_000;
/**
 * An OCSP responder with this extension is trusted until its certificate expires (RFC 6960,
 * 4.2.2.2.1).
 */
const NO_CHECK = '1.3.6.1.5.5.7.48.1.5';

/**
 * Gathers proofs that no certificate of a signature was revoked. Answers are kept for a while, and
 * documents that are signed at the same time share the requests.
 */
export class LongTermData {
  readonly #settings: LongTermSettings;
  /** Proofs that may be reused, and those being fetched, by the identity of their certificate. */
  readonly #proofs = new Map<string, { readonly proof: Promise<Proof>; untilMs: number }>();

  constructor(settings: LongTermSettings) {
    this.#settings = settings;
  }

  /**
   * Proofs for `certificates` and those above them, up to the self-signed ones. Throws `SigningError`
   * when one is missing, and when a certificate is revoked.
   */
  async gather(certificates: readonly Certificate[]): Promise<GatheredData> {
    const all = new Map<string, Certificate>();
    const add = (one: Certificate): void => void all.set(identityOf(one), one);
    certificates.forEach(add);
    const proofs = new Map<string, Proof>();
    // Each proof may bring further certificates, which need proofs themselves.
    let unproven = [...all.values()];
    while (unproven.length > 0) {
      if (all.size > CERTIFICATES_MAX) throw new SigningError('too many certificates to check');
      const results = await Promise.all(unproven.map((one) => this.#prove(one, [...all.values()])));
      for (const result of results) {
        if (result === null) continue;
        add(result.issuer);
        proofs.set(result.identity, result.proof);
        // Addresses of others are not asked: anybody can put certificates into an answer.
        for (const one of result.proof.certificates) {
          if (await this.#isKnown(one, [...all.values()])) add(one);
        }
      }
      unproven = [...all.values()].filter((one) => needsProof(one) && !proofs.has(identityOf(one)));
    }
    const der = (kind: Proof['kind']): Uint8Array[] => {
      const ofKind = [...proofs.values()].filter((proof) => proof.kind === kind);
      return unique(ofKind.map((proof) => proof.der));
    };
    return {
      certificates: unique([...all.values()].map(encode)),
      ocsps: der('ocsp'),
      crls: der('crl'),
      validUntilMs: Math.min(...[...proofs.values()].map(({ nextUpdateMs }) => nextUpdateMs)),
    };
  }

  /** Whether a certificate leads to one that is known. */
  async #isKnown(certificate: Certificate, others: readonly Certificate[]): Promise<boolean> {
    return leadsTo(this.#settings.authorities, certificate, others, Date.now());
  }

  /** The issuer of a certificate, and a proof that it was not revoked; null: it needs no proof. */
  async #prove(
    certificate: Certificate,
    others: readonly Certificate[],
  ): Promise<{ identity: string; issuer: Certificate; proof: Proof } | null> {
    if (!needsProof(certificate)) return null;
    const issuer = await findIssuer(certificate, [...others, ...this.#settings.authorities]);
    if (issuer === null) {
      const name = nameOf(certificate);
      throw new SigningError(`the issuer of ${name} is unknown: add it to "authorities"`);
    }
    const proof = await this.#proofOf(certificate, issuer);
    if (proof.state === 'revoked') throw new SigningError(`${nameOf(certificate)} is revoked`);
    return { identity: identityOf(certificate), issuer, proof };
  }

  /** A proof that may be reused, one that is being fetched, or a new one. */
  async #proofOf(certificate: Certificate, issuer: Certificate): Promise<Proof> {
    const identity = identityOf(certificate);
    const nowMs = Date.now();
    const cached = this.#proofs.get(identity);
    if (cached !== undefined && nowMs < cached.untilMs) return cached.proof;
    const proof = this.#fetchProof(certificate, issuer);
    const entry = { proof, untilMs: nowMs + this.#settings.ageMsMax };
    this.#proofs.set(identity, entry);
    try {
      const { nextUpdateMs } = await proof;
      entry.untilMs = Math.min(entry.untilMs, nextUpdateMs);
    } catch (error) {
      // The next document asks again.
      this.#proofs.delete(identity);
      throw error;
    }
    return proof;
  }

  /** The first current proof of the files and the addresses in the certificate. */
  async #fetchProof(certificate: Certificate, issuer: Certificate): Promise<Proof> {
    const { files, hosts, timeoutMs } = this.#settings;
    const { ocsp, crl } = addressesIn(certificate, hosts);
    const bounds = { timeoutMs, bytesMax: PROOF_BYTES_MAX };
    const body = await ocspRequest(certificate, issuer);
    const contentType = 'application/ocsp-request';
    const sources = [
      ...files.map((path) => () => readFile(path)),
      ...ocsp.map((url) => () => ask({ url, body, contentType, ...bounds })),
      ...crl.map((url) => () => ask({ url, ...bounds })),
    ];
    for (const source of sources) {
      const der = await bytesOrNull(source);
      const proof = der === null ? null : await readProof(der, certificate, issuer);
      if (proof !== null && !proof.isWeak && isCurrent(proof)) return proof;
    }
    const tried = `${files.length} files, ${ocsp.length} OCSP and ${crl.length} CRL addresses`;
    throw new SigningError(`no source says whether ${nameOf(certificate)} is revoked (${tried})`);
  }
}

/** The bytes of a source; null: it failed, and another one may answer. */
async function bytesOrNull(source: () => Promise<Uint8Array>): Promise<Uint8Array | null> {
  try {
    return Uint8Array.from(await source());
  } catch (error) {
    if (error instanceof SigningError) return null;
    if (error instanceof Error && 'code' in error) return null;
    throw error;
  }
}

function isCurrent({ thisUpdateMs, nextUpdateMs }: Proof): boolean {
  const nowMs = Date.now();
  return thisUpdateMs <= nowMs + SKEW_MS && nowMs <= nextUpdateMs;
}

/**
 * Whether a certificate can be revoked: not a self-signed one, nor that of a responder with NO_CHECK.
 */
export function needsProof(certificate: Certificate): boolean {
  if (certificate.issuer.isEqual(certificate.subject)) return false;
  return !(certificate.extensions ?? []).some(({ extnID }) => extnID === NO_CHECK);
}

/** The certificate among `others` that signed this one; null: none did. */
export async function findIssuer(
  certificate: Certificate,
  others: readonly Certificate[],
): Promise<Certificate | null> {
  for (const issuer of others) {
    if (!issuer.subject.isEqual(certificate.issuer)) continue;
    if (await isSignedBy(certificate, issuer)) return issuer;
  }
  return null;
}

async function isSignedBy(certificate: Certificate, issuer: Certificate): Promise<boolean> {
  try {
    return await certificate.verify(issuer);
  } catch {
    // The library throws for algorithms that it does not know.
    return false;
  }
}

function identityOf(certificate: Certificate): string {
  return Buffer.from(encode(certificate)).toString('base64');
}

function encode(certificate: Certificate): Uint8Array {
  return new Uint8Array(certificate.toSchema().toBER(false));
}

function unique(all: readonly Uint8Array[]): Uint8Array[] {
  return [...new Map(all.map((der) => [Buffer.from(der).toString('base64'), der])).values()];
}

/** Names a certificate in a message: by its serial number, which is not personal data. */
function nameOf({ serialNumber }: Certificate): string {
  return `certificate ${Buffer.from(serialNumber.valueBlock.valueHexView).toString('hex')}`;
}
