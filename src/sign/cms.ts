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

/** DER that is encoded once, with the offsets at which parts of fixed length are filled in. */
interface Form {
  readonly der: Buffer;
  readonly digestAt: number;
  /** Offset of the signature's value; -1: this form has none. */
  readonly valueAt: number;
}

/** Stands for the file's digest in a form; no other part of a form has these bytes. */
const DIGEST_MARK = sha256(Buffer.from('digest'));

/**
 * The CAdES signatures of one signer for PAdES baseline (ETSI EN 319 142-1, 6.3): detached; signed
 * attributes hold the digest of the file and the signer's certificate, but no signing time, which
 * the PDF states. Only digest, value and time stamp differ between them, so the rest is encoded
 * once.
 */
export class SignatureFormat {
  readonly #chain: readonly Certificate[];
  readonly #own: Certificate;
  readonly #kind: KeyKind;
  readonly #certificateId: Sequence;
  readonly #attributes: Form;
  /** Forms by the length of the value: ECDSA values have a few lengths. */
  readonly #forms = new Map<number, Form>();

  constructor(chain: readonly X509Certificate[], kind: KeyKind) {
    this.#chain = chain.map(({ raw }) => Certificate.fromBER(new Uint8Array(raw)));
    const [own] = this.#chain;
    const [certificate] = chain;
    if (own === undefined || certificate === undefined)
      throw new Error('a signer has a certificate');
    this.#own = own;
    this.#kind = kind;
    this.#certificateId = certificateId(own, sha256(certificate.raw));
    const encoded = this.#signedAttributes(DIGEST_MARK).map((one) => derOf(one.toSchema()));
    const content = Buffer.concat(encoded);
    const der = Buffer.concat([Buffer.from([0x31]), derLength(content.length), content]);
    this.#attributes = { der, digestAt: placeOf(der, DIGEST_MARK), valueAt: -1 };
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
    const { der, digestAt, valueAt } = this.#form(value.length);
    const filled = Buffer.from(der);
    filled.set(digest, digestAt);
    filled.set(value, valueAt);
    return filled;
  }

  #form(length: number): Form {
    const known = this.#forms.get(length);
    if (known !== undefined) return known;
    const mark = Buffer.alloc(length, sha256(Buffer.from('value')));
    const der = this.#encode(DIGEST_MARK, mark, null);
    const made = { der, digestAt: placeOf(der, DIGEST_MARK), valueAt: placeOf(der, mark) };
    this.#forms.set(length, made);
    return made;
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

function derLength(length: number): Buffer {
  if (length < 0x80) return Buffer.from([length]);
  const bytes = length < 0x100 ? [length] : [length >> 8, length & 0xff];
  return Buffer.from([0x80 | bytes.length, ...bytes]);
}
