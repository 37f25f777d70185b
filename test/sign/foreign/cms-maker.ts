import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { fromBER, Integer, Null, OctetString } from 'asn1js';
import {
  AlgorithmIdentifier,
  Attribute,
  ContentInfo,
  MessageImprint,
  SignedAndUnsignedAttributes,
  SignedData,
  TSTInfo,
} from 'pkijs';
import type { Authority } from '../authority.ts';

/** CMS and time stamps by OpenSSL, and ways to change them that no signature notices. */

/** `openssl cms -sign` over the bytes; `words` are further options. */
export function opensslCms(
  authority: Authority,
  name: string,
  content: Buffer,
  words: readonly string[] = ['-cades'],
): Buffer {
  writeFileSync(authority.path('cms.in'), content);
  const key = ['-signer', `${name}.pem`, '-inkey', `${name}.key`, '-certfile', 'ca.pem'];
  execFileSync(
    'openssl',
    [
      'cms',
      '-sign',
      '-binary',
      '-outform',
      'DER',
      '-in',
      'cms.in',
      '-out',
      'cms.out',
      ...key,
      ...words,
    ],
    { cwd: authority.folder, stdio: 'pipe' },
  );
  return authority.read('cms.out');
}

const TST_INFO = '1.2.840.113549.1.9.16.1.4';
const OIDS = { sha1: '1.3.14.3.2.26', sha256: '2.16.840.1.101.3.4.2.1' } as const;

/** A time-stamp token over data, of any time, by any certificate. */
export function timeStampToken(
  authority: Authority,
  name: string,
  data: Uint8Array,
  atMs: number,
  digest: keyof typeof OIDS = 'sha256',
): Buffer {
  const hash = createHash(digest).update(data).digest();
  return tokenOver(authority, name, hash, { atMs, algorithmId: OIDS[digest] });
}

export interface TokenOptions {
  readonly atMs: number;
  readonly algorithmId?: string;
  readonly nonce?: Integer;
  /** Further options of `openssl cms`. */
  readonly words?: readonly string[];
}

/** The same over a digest. */
export function tokenOver(
  authority: Authority,
  name: string,
  hash: Uint8Array,
  { atMs, algorithmId = OIDS.sha256, nonce, words = [] }: TokenOptions,
): Buffer {
  const info = new TSTInfo({
    version: 1,
    policy: '1.2.3',
    messageImprint: new MessageImprint({
      hashAlgorithm: new AlgorithmIdentifier({ algorithmId, algorithmParams: new Null() }),
      hashedMessage: new OctetString({ valueHex: new Uint8Array(hash).buffer }),
    }),
    serialNumber: new Integer({ value: 7 }),
    genTime: new Date(atMs),
    ...(nonce === undefined ? {} : { nonce }),
  });
  const content = Buffer.from(info.toSchema().toBER(false));
  const all = ['-nodetach', '-cades', '-econtent_type', TST_INFO, ...words];
  return opensslCms(authority, name, content, all);
}

/** The CMS with a token as unsigned attribute. */
export function stamped(cms: Buffer, tokenFor: (value: Uint8Array) => Buffer): Buffer {
  return rewritten(cms, (signed) => {
    const [signer] = signed.signerInfos;
    if (signer === undefined) throw new Error('no signer');
    const token = fromBER(new Uint8Array(tokenFor(signer.signature.valueBlock.valueHexView)));
    const type = '1.2.840.113549.1.9.16.2.14';
    const attributes = [new Attribute({ type, values: [token.result] })];
    signer.unsignedAttrs = new SignedAndUnsignedAttributes({ type: 1, attributes });
  });
}

/** The CMS with content of its own, which no signed attribute covers. */
export function wrapped(cms: Buffer, content: Buffer, contentType = ''): Buffer {
  return rewritten(cms, (signed) => {
    signed.encapContentInfo.eContent = new OctetString({
      valueHex: new Uint8Array(content).buffer,
    });
    if (contentType !== '') signed.encapContentInfo.eContentType = contentType;
  });
}

export function rewritten(cms: Buffer, change: (signed: SignedData) => void): Buffer {
  const info = ContentInfo.fromBER(new Uint8Array(cms));
  const signed = new SignedData({ schema: info.content });
  change(signed);
  info.content = signed.toSchema(true);
  return Buffer.from(info.toSchema().toBER(false));
}

/**
 * The same CMS in BER with indefinite lengths around the signed attributes, as NSS and BouncyCastle
 * write it (X.690, 8.1.3.6).
 */
export function asBer(cms: Buffer): Buffer {
  return indefinite(cms, 4);
}

function indefinite(der: Buffer, depth: number): Buffer {
  const { headBytes, length } = headOf(der);
  const isConstructed = ((der[0] ?? 0) & 0x20) !== 0;
  if (!isConstructed || depth === 0) return der.subarray(0, headBytes + length);
  const children: Buffer[] = [];
  for (let at = headBytes; at < headBytes + length;) {
    const child = der.subarray(at);
    const size = headOf(child).headBytes + headOf(child).length;
    // Certificates and signer information stay in DER: their bytes are signed or digested.
    const isSet = child[0] === 0x31 || child[0] === 0xa0;
    children.push(isSet && depth < 4 ? child.subarray(0, size) : indefinite(child, depth - 1));
    at += size;
  }
  return Buffer.concat([der.subarray(0, 1), Buffer.from([0x80]), ...children, Buffer.alloc(2)]);
}

function headOf(der: Buffer): { readonly headBytes: number; readonly length: number } {
  const first = der[1] ?? 0;
  if (first < 0x80) return { headBytes: 2, length: first };
  const count = first & 0x7f;
  return { headBytes: 2 + count, length: der.readUIntBE(2, count) };
}
