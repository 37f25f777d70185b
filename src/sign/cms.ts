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

/** The properties of a signer that the structure of the signature depends on. */
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

/**
 * A CAdES signature for PAdES baseline (ETSI EN 319 142-1, 6.3): detached; its signed attributes hold
 * the digest of the file and the signer's certificate, but no signing time, which the PDF states.
 */
export class DetachedSignature {
  readonly #chain: readonly Certificate[];
  readonly #kind: KeyKind;
  readonly #attributes: readonly Attribute[];
  /** The bytes to sign: the attributes as a SET OF, in DER. */
  readonly toBeSigned: Buffer;

  constructor(digest: Uint8Array, chain: readonly X509Certificate[], kind: KeyKind) {
    this.#chain = chain.map(({ raw }) => Certificate.fromBER(new Uint8Array(raw)));
    this.#kind = kind;
    const [own] = chain;
    if (own === undefined) throw new Error('a signer has a certificate');
    const attributes = [
      new Attribute({
        type: OID.contentType,
        values: [new ObjectIdentifier({ value: OID.data })],
      }),
      new Attribute({ type: OID.messageDigest, values: [octets(digest)] }),
      new Attribute({ type: OID.signingCertificateV2, values: [this.#certificateId(own)] }),
    ];
    const encoded = attributes.map((attribute) => ({
      attribute,
      der: Buffer.from(attribute.toSchema().toBER(false)),
    }));
    // DER sorts the members of a set by their encoding (X.690, 11.6).
    encoded.sort((one, other) => Buffer.compare(one.der, other.der));
    this.#attributes = encoded.map(({ attribute }) => attribute);
    const content = Buffer.concat(encoded.map(({ der }) => der));
    this.toBeSigned = Buffer.concat([Buffer.from([0x31]), derLength(content.length), content]);
  }

  /** Encodes the signature in DER; `timeStamp`: a token over its value (RFC 3161), or null. */
  encode(value: Uint8Array, timeStamp: Uint8Array | null): Buffer {
    const [own] = this.#chain;
    if (own === undefined) throw new Error('a signer has a certificate');
    const signer = new SignerInfo({
      version: 1,
      sid: new IssuerAndSerialNumber({ issuer: own.issuer, serialNumber: own.serialNumber }),
      digestAlgorithm: sha256Algorithm(),
      signatureAlgorithm:
        this.#kind === 'rsa'
          ? new AlgorithmIdentifier({ algorithmId: OID.rsa, algorithmParams: new Null() })
          : new AlgorithmIdentifier({ algorithmId: OID.ecdsaSha256 }),
      signature: octets(value),
      signedAttrs: new SignedAndUnsignedAttributes({ type: 0, attributes: [...this.#attributes] }),
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
    return Buffer.from(info.toSchema().toBER(false));
  }

  /** SigningCertificateV2 (RFC 5035): digest, issuer and serial number of the signer's certificate. */
  #certificateId(own: X509Certificate): Sequence {
    const [certificate] = this.#chain;
    if (certificate === undefined) throw new Error('a signer has a certificate');
    const directoryName = new Constructed({
      idBlock: { tagClass: 3, tagNumber: 4 },
      value: [certificate.issuer.toSchema()],
    });
    const issuerSerial = new Sequence({
      value: [new Sequence({ value: [directoryName] }), certificate.serialNumber],
    });
    const id = new Sequence({ value: [octets(sha256(own.raw)), issuerSerial] });
    return new Sequence({ value: [new Sequence({ value: [id] })] });
  }
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
