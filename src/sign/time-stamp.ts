import { randomBytes } from 'node:crypto';
import { Integer, Null } from 'asn1js';
import {
  AlgorithmIdentifier,
  Certificate,
  MessageImprint,
  SignedData,
  TimeStampReq,
  TimeStampResp,
  TSTInfo,
} from 'pkijs';
import { octets, sha256 } from './cms.ts';
import { ask } from './http.ts';
import { SigningError } from './signing-error.ts';

const SHA_256 = '2.16.840.1.101.3.4.2.1';
const NONCE_BYTES = 8;
/** Limit of a response: a token with its certificates takes a few kilobytes. */
const RESPONSE_BYTES_MAX = 64 * 1024;
/** Accepted status values (RFC 3161, 2.4.2): granted, and granted with modifications. */
const GRANTED: ReadonlySet<number> = new Set([0, 1]);

/** A token with the certificates in it. */
export interface TimeStamp {
  readonly token: Uint8Array;
  readonly certificates: readonly Certificate[];
}

/**
 * Asks a time-stamp authority for a token over a signature's value (RFC 3161). A token is refused
 * unless it covers this value, answers this request and is signed by a certificate in it.
 */
export async function requestTimeStamp(
  url: string,
  signature: Uint8Array,
  timeoutMs: number,
): Promise<TimeStamp> {
  const digest = sha256(signature);
  const nonce = randomBytes(NONCE_BYTES);
  // As a DER INTEGER, the nonce must be positive and have no leading zeros.
  nonce[0] = ((nonce[0] ?? 0) & 0x3f) | 0x40;
  const request = new TimeStampReq({
    version: 1,
    messageImprint: new MessageImprint({
      hashAlgorithm: new AlgorithmIdentifier({
        algorithmId: SHA_256,
        algorithmParams: new Null(),
      }),
      hashedMessage: octets(digest),
    }),
    nonce: new Integer({ valueHex: new Uint8Array(nonce).buffer }),
    certReq: true,
  });
  const body = Buffer.from(request.toSchema().toBER(false));
  const contentType = 'application/timestamp-query';
  const response = await ask({ url, body, contentType, timeoutMs, bytesMax: RESPONSE_BYTES_MAX });
  return readToken(response, signature, digest, nonce);
}

/** Reads the token in a response and checks it against the signature and the request. */
async function readToken(
  bytes: Uint8Array,
  signature: Uint8Array,
  digest: Buffer,
  nonce: Buffer,
): Promise<TimeStamp> {
  try {
    const response = TimeStampResp.fromBER(new Uint8Array(bytes));
    const token = response.timeStampToken;
    if (!GRANTED.has(response.status.status) || token === undefined) {
      throw new SigningError('the time-stamp authority refused');
    }
    const signed = new SignedData({ schema: token.content });
    const content = signed.encapContentInfo.eContent?.getValue();
    if (content === undefined) throw new SigningError('the time stamp is empty');
    const info = TSTInfo.fromBER(content);
    const stampedDigest = Buffer.from(info.messageImprint.hashedMessage.getValue());
    const returnedNonce = Buffer.from(info.nonce?.valueBlock.valueHexView ?? new Uint8Array(0));
    if (!stampedDigest.equals(digest) || !returnedNonce.equals(nonce)) {
      throw new SigningError('the time stamp covers another value or answers another request');
    }
    const data = new Uint8Array(signature).buffer;
    if (!(await signed.verify({ signer: 0, data }))) {
      throw new SigningError('the time stamp is not signed by its authority');
    }
    const certificates = (signed.certificates ?? []).filter((one) => one instanceof Certificate);
    return { token: Buffer.from(token.toSchema().toBER(false)), certificates };
  } catch (error) {
    if (error instanceof SigningError) throw error;
    throw new SigningError('the time-stamp authority returned no token');
  }
}
