/** The few parts of a CMS signature that the rules speak of (RFC 5652), read from its DER. */

interface Value {
  readonly tag: number;
  readonly content: Buffer;
  /** The whole encoding. */
  readonly whole: Buffer;
}

function valuesIn(bytes: Buffer): Value[] {
  const values: Value[] = [];
  for (let at = 0; at + 2 <= bytes.length;) {
    const first = bytes[at + 1] ?? 0;
    const longer = first < 0x80 ? 0 : first & 0x7f;
    const length = longer === 0 ? first : bytes.readUIntBE(at + 2, Math.min(longer, 6));
    const from = at + 2 + longer;
    values.push({
      tag: bytes[at] ?? 0,
      content: bytes.subarray(from, from + length),
      whole: bytes.subarray(at, from + length),
    });
    at = from + length;
  }
  return values;
}

const SEQUENCE = 0x30;
const SET = 0x31;
const TAGGED = 0xa0;

export interface SignedDataFacts {
  readonly SignerInfoCount: number;
  readonly signingCertificatePresent: boolean;
}

/** Reads ContentInfo; zeros after it are padding of the placeholder. */
export function readSignedData(bytes: Buffer): SignedDataFacts {
  const none = { SignerInfoCount: 0, signingCertificatePresent: false };
  const [info] = valuesIn(bytes);
  if (info?.tag !== SEQUENCE) return none;
  const [, tagged] = valuesIn(info.content);
  const [data] = tagged?.tag === TAGGED ? valuesIn(tagged.content) : [];
  if (data === undefined) return none;
  const parts = valuesIn(data.content);
  const signers = valuesIn(parts.findLast(({ tag }) => tag === SET)?.content ?? Buffer.alloc(0));
  const certificates = parts.find(({ tag }) => tag === TAGGED)?.content ?? Buffer.alloc(0);
  const [, id] = valuesIn(signers[0]?.content ?? Buffer.alloc(0));
  const [issuer, serial] = valuesIn(id?.content ?? Buffer.alloc(0));
  const isPresent =
    issuer !== undefined &&
    serial !== undefined &&
    certificates.includes(issuer.whole) &&
    certificates.includes(serial.whole);
  return { SignerInfoCount: signers.length, signingCertificatePresent: isPresent };
}
