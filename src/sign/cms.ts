import assert from 'node:assert';
import { createHash, type X509Certificate } from 'node:crypto';
import { Constructed, Null, ObjectIdentifier, OctetString, Sequence } from 'asn1js';
import {
  AlgorithmIdentifier,
  Attribute,
  Certificate,
  ContentInfo,
  EncapsulatedContentInfo,
  IssuerAndSerialNumber,
  SignedAndUnsignedAttributes,
  SignedData,
  SignerInfo,
} from 'pkijs';

/** The kind of a signer's key, which decides the structure of its signatures. */
export type KeyKind = 'rsa' | 'ec';

const OID = {
  data: '1.2.840.113549.1.7.1',
  signedData: '1.2.840.113549.1.7.2',
  contentType: '1.2.840.113549.1.9.3',
  messageDigest: '1.2.840.113549.1.9.4',
  signingCertificateV2: '1.2.840.113549.1.9.16.2.47',
  timeStampToken: '1.2.840.113549.1.9.16.2.14',
  sha256: '2.16.840.1.101.3.4.2.1',
  rsa: '1.2.840.113549.1.1.1',
  ecdsaSha256: '1.2.840.10045.4.3.2',
} as const;

export function sha256(bytes: Uint8Array): Buffer {
  return createHash('sha256').update(bytes).digest();
}

/** DER that is encoded once, with the offset at which the file's digest is filled in. */
interface DigestTemplate {
  readonly der: Buffer;
  readonly digestAt: number;
}

/** The same for a whole signature, with the offset of its value. */
interface SignatureTemplate extends DigestTemplate {
  readonly valueAt: number;
}

/** Stands for the file's digest in a template; no other part of it has these bytes. */
const DIGEST_MARK = sha256(Buffer.from('digest'));
/** X.690: the tag of a SET OF. */
const SET_TAG = 0x31;

/**
 * The CAdES signatures of one signer for PAdES baseline (ETSI EN 319 142-1, 6.3): detached; signed
 * attributes hold the digest of the file and that of the signer's certificate, but no signing time,
 * which the PDF states. Only digest, value and time stamp differ between signatures, so the rest is
 * encoded once.
 */
export class SignatureFormat {
  readonly #chain: readonly Certificate[];
  readonly #own: Certificate;
  readonly #kind: KeyKind;
  readonly #certificateId: Sequence;
  readonly #attributes: DigestTemplate;
  /** Templates by the length of the value: ECDSA values have a few lengths. */
  readonly #signatures = new Map<number, SignatureTemplate>();

  constructor(chain: readonly X509Certificate[], kind: KeyKind) {
    this.#chain = chain.map(({ raw }) => Certificate.fromBER(new Uint8Array(raw)));
    const [own] = this.#chain;
    const [certificate] = chain;
    if (own === undefined || certificate === undefined) {
      throw new Error('a signer has a certificate');
    }
    this.#own = own;
    this.#kind = kind;
    this.#certificateId = certificateId(own, sha256(certificate.raw));
    const attributes = this.#signedAttributes(DIGEST_MARK).map((one) => derOf(one.toSchema()));
    const content = Buffer.concat(attributes);
    const der = Buffer.concat([Buffer.from([SET_TAG]), derLength(content.length), content]);
    this.#attributes = { der, digestAt: placeOf(der, DIGEST_MARK) };
  }

  /** The bytes to sign for a file's digest: the attributes as a SET OF, in DER. */
  toBeSigned(digest: Uint8Array): Buffer {
    const { der, digestAt } = this.#attributes;
    const filled = Buffer.from(der);
    filled.set(digest, digestAt);
    return filled;
  }

  /** Encodes the signature in DER; `timeStamp`: a token over its value (RFC 3161), or null. */
  encode(digest: Uint8Array, value: Uint8Array, timeStamp: Uint8Array | null): Buffer {
    if (timeStamp !== null) return this.#encode(digest, value, timeStamp);
    const { der, digestAt, valueAt } = this.#templateFor(value.length);
    const filled = Buffer.from(der);
    filled.set(digest, digestAt);
    filled.set(value, valueAt);
    return filled;
  }

  #templateFor(valueLength: number): SignatureTemplate {
    const cached = this.#signatures.get(valueLength);
    if (cached !== undefined) return cached;
    const valueMark = Buffer.alloc(valueLength, sha256(Buffer.from('value')));
    const der = this.#encode(DIGEST_MARK, valueMark, null);
    const digestAt = placeOf(der, DIGEST_MARK);
    const template = { der, digestAt, valueAt: placeOf(der, valueMark) };
    this.#signatures.set(valueLength, template);
    return template;
  }

  /** The signed attributes, sorted by their encoding as DER demands of a set (X.690, 11.6). */
  #signedAttributes(digest: Uint8Array): Attribute[] {
    const attributes = [
      new Attribute({
        type: OID.contentType,
        values: [new ObjectIdentifier({ value: OID.data })],
      }),
      new Attribute({ type: OID.messageDigest, values: [octets(digest)] }),
      new Attribute({ type: OID.signingCertificateV2, values: [this.#certificateId] }),
    ];
    const encoded = attributes.map((attribute) => ({
      attribute,
      der: derOf(attribute.toSchema()),
    }));
    encoded.sort((one, other) => Buffer.compare(one.der, other.der));
    return encoded.map(({ attribute }) => attribute);
  }

  #encode(digest: Uint8Array, value: Uint8Array, timeStamp: Uint8Array | null): Buffer {
    const { issuer, serialNumber } = this.#own;
    const signer = new SignerInfo({
      version: 1,
      sid: new IssuerAndSerialNumber({ issuer, serialNumber }),
      digestAlgorithm: sha256Algorithm(),
      signatureAlgorithm:
        this.#kind === 'rsa'
          ? new AlgorithmIdentifier({ algorithmId: OID.rsa, algorithmParams: new Null() })
          : new AlgorithmIdentifier({ algorithmId: OID.ecdsaSha256 }),
      signature: octets(value),
      signedAttrs: new SignedAndUnsignedAttributes({
        type: 0,
        attributes: this.#signedAttributes(digest),
      }),
      ...(timeStamp === null ? {} : { unsignedAttrs: stampAttribute(timeStamp) }),
    });
    const data = new SignedData({
      version: 1,
      digestAlgorithms: [sha256Algorithm()],
      encapContentInfo: new EncapsulatedContentInfo({ eContentType: OID.data }),
      certificates: [...this.#chain],
      signerInfos: [signer],
    });
    const info = new ContentInfo({ contentType: OID.signedData, content: data.toSchema(true) });
    return derOf(info.toSchema());
  }
}

/** SigningCertificateV2 (RFC 5035): digest, issuer and serial number of the signer's certificate. */
function certificateId(own: Certificate, digest: Uint8Array): Sequence {
  const directoryName = new Constructed({
    idBlock: { tagClass: 3, tagNumber: 4 },
    value: [own.issuer.toSchema()],
  });
  const issuerSerial = new Sequence({
    value: [new Sequence({ value: [directoryName] }), own.serialNumber],
  });
  const id = new Sequence({ value: [octets(digest), issuerSerial] });
  return new Sequence({ value: [new Sequence({ value: [id] })] });
}

function derOf(schema: { toBER(sizeOnly: boolean): ArrayBuffer }): Buffer {
  return Buffer.from(schema.toBER(false));
}

/** The offset of a mark, which must occur exactly once. */
function placeOf(der: Buffer, mark: Buffer): number {
  const at = der.indexOf(mark);
  assert(at >= 0 && at === der.lastIndexOf(mark), 'a mark occurs once');
  return at;
}

function sha256Algorithm(): AlgorithmIdentifier {
  return new AlgorithmIdentifier({ algorithmId: OID.sha256, algorithmParams: new Null() });
}

function stampAttribute(token: Uint8Array): SignedAndUnsignedAttributes {
  const value = ContentInfo.fromBER(new Uint8Array(token)).toSchema();
  return new SignedAndUnsignedAttributes({
    type: 1,
    attributes: [new Attribute({ type: OID.timeStampToken, values: [value] })],
  });
}

export function octets(bytes: Uint8Array): OctetString {
  return new OctetString({ valueHex: new Uint8Array(bytes).buffer });
}

/** A length up to 65,535 in DER. */
function derLength(length: number): Buffer {
  if (length < 0x80) return Buffer.from([length]);
  const bytes = length < 0x100 ? [length] : [length >> 8, length & 0xff];
  return Buffer.from([0x80 | bytes.length, ...bytes]);
}
