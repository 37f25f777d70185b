import { randomBytes } from 'node:crypto';
import { Integer, Null } from 'asn1js';
import { request } from 'undici';
import { AlgorithmIdentifier, MessageImprint, TimeStampReq, TimeStampResp, TSTInfo } from 'pkijs';
import { SignedData } from 'pkijs';
import { octets, sha256 } from './cms.ts';
import { SigningError } from './signing-error.ts';

const SHA_256 = '2.16.840.1.101.3.4.2.1';
const NONCE_BYTES = 8;
/** Bound for a token with its certificates, which has some kilobytes. */
const ANSWER_BYTES_MAX = 64 * 1024;
/** Accepted status values (RFC 3161, 2.4.2): granted, and granted with modifications. */
const GRANTED: ReadonlySet<number> = new Set([0, 1]);

/**
 * Asks a time-stamp authority for a token over a signature's value (RFC 3161). A token is refused
 * unless it covers this value and answers this request.
 */
export async function requestTimeStamp(
  url: string,
  signature: Uint8Array,
  timeoutMs: number,
): Promise<Uint8Array> {
  const digest = sha256(signature);
  const nonce = randomBytes(NONCE_BYTES);
  // Any random value becomes a positive integer without leading zeros.
  nonce[0] = ((nonce[0] ?? 0) & 0x3f) | 0x40;
  const question = new TimeStampReq({
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
  const body = Buffer.from(question.toSchema().toBER(false));
  const answer = await post(url, 'application/timestamp-query', body, timeoutMs);
  return readToken(answer, digest, nonce);
}

function readToken(answer: Uint8Array, digest: Buffer, nonce: Buffer): Uint8Array {
  try {
    const response = TimeStampResp.fromBER(new Uint8Array(answer));
    const token = response.timeStampToken;
    if (!GRANTED.has(response.status.status) || token === undefined) {
      throw new SigningError('the time-stamp authority refused');
    }
    const signed = new SignedData({ schema: token.content });
    const content = signed.encapContentInfo.eContent?.getValue();
    if (content === undefined) throw new SigningError('the time stamp is empty');
    const info = TSTInfo.fromBER(content);
    const about = Buffer.from(info.messageImprint.hashedMessage.getValue());
    const echoed = Buffer.from(info.nonce?.valueBlock.valueHexView ?? new Uint8Array(0));
    if (!about.equals(digest) || !echoed.equals(nonce)) {
      throw new SigningError('the time stamp covers another value or answers another request');
    }
    return Buffer.from(token.toSchema().toBER(false));
  } catch (error) {
    if (error instanceof SigningError) throw error;
    throw new SigningError('the time-stamp authority returned no token');
  }
}

/** Sends one POST with bounds on time and size; any failure is a `SigningError` without addresses. */
export async function post(
  url: string,
  contentType: string,
  body: Uint8Array | string,
  timeoutMs: number,
  headers: Readonly<Record<string, string>> = {},
): Promise<Uint8Array> {
  try {
    const signal = AbortSignal.timeout(timeoutMs);
    const answer = await request(url, {
      method: 'POST',
      headers: { 'content-type': contentType, ...headers },
      body,
      signal,
    });
    const parts: Buffer[] = [];
    let size = 0;
    for await (const part of answer.body as AsyncIterable<Buffer>) {
      size += part.length;
      if (size > ANSWER_BYTES_MAX) throw new SigningError('its response is too large');
      parts.push(part);
    }
    if (answer.statusCode !== 200) throw new SigningError(`it answered ${answer.statusCode}`);
    return Buffer.concat(parts);
  } catch (error) {
    if (error instanceof SigningError) throw error;
    throw new SigningError('it cannot be reached, or was too slow');
  }
}
