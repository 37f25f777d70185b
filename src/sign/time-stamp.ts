import { randomBytes } from 'node:crypto';
import { Integer, Null } from 'asn1js';
import {
  AlgorithmIdentifier,
  type Certificate,
  MessageImprint,
  TimeStampReq,
  TimeStampResp,
} from 'pkijs';
import { leadsTo } from './certificates.ts';
import { octets, sha256 } from './cms.ts';
import { ask } from './http.ts';
import { signerOf } from './signed-data.ts';
import { SigningError } from './signing-error.ts';
import { readTimeStampToken, type TimeStampFault, timeStampFaults } from './time-stamp-token.ts';

const SHA_256 = '2.16.840.1.101.3.4.2.1';
const NONCE_BYTES = 8;
/** Limit of a response: a token with its certificates takes a few kilobytes. */
const RESPONSE_BYTES_MAX = 64 * 1024;
/** Accepted status values (RFC 3161, 2.4.2): granted, and granted with modifications. */
const GRANTED: ReadonlySet<number> = new Set([0, 1]);
/** The clock of an authority may differ from the service's by this. */
const CLOCK_MS_MAX = 5 * 60_000;

const FAULTS: Readonly<Record<TimeStampFault, string>> = {
  other_data: 'the time stamp covers another value',
  signature: 'the time stamp is not signed by its authority',
  usage: "the authority's certificate is not for time stamps (extended key usage, critical)",
  validity: "the authority's certificate is not valid at the time of its time stamp",
  weak_digest: 'the time stamp uses SHA-1 or MD5',
};

/** A token with those certificates in it that lead to known ones. */
export interface TimeStamp {
  readonly token: Uint8Array;
  readonly certificates: readonly Certificate[];
}

export interface TimeStampRequest {
  readonly url: string;
  /** The value of the signature. */
  readonly signature: Uint8Array;
  readonly timeoutMs: number;
  /** Certificates to one of which that of the authority must lead. */
  readonly anchors: readonly Certificate[];
}

/**
 * Asks a time-stamp authority for a token over a signature's value (RFC 3161). A token is refused
 * unless it covers this value, answers this request, states the present time, and is signed by a
 * certificate for time stamps that leads to a known one.
 */
export async function requestTimeStamp(request: TimeStampRequest): Promise<TimeStamp> {
  const { url, signature, timeoutMs } = request;
  const nonce = randomBytes(NONCE_BYTES);
  // As a DER INTEGER, the nonce must be positive and have no leading zeros.
  nonce[0] = ((nonce[0] ?? 0) & 0x3f) | 0x40;
  const query = new TimeStampReq({
    version: 1,
    messageImprint: new MessageImprint({
      hashAlgorithm: new AlgorithmIdentifier({
        algorithmId: SHA_256,
        algorithmParams: new Null(),
      }),
      hashedMessage: octets(sha256(signature)),
    }),
    nonce: new Integer({ valueHex: new Uint8Array(nonce).buffer }),
    certReq: true,
  });
  const body = Buffer.from(query.toSchema().toBER(false));
  const contentType = 'application/timestamp-query';
  const response = await ask({ url, body, contentType, timeoutMs, bytesMax: RESPONSE_BYTES_MAX });
  try {
    return await readToken(response, nonce, request);
  } catch (error) {
    if (error instanceof SigningError) throw error;
    // The library throws various errors for bytes that are something else.
    throw new SigningError('the time-stamp authority returned no token');
  }
}

/** Reads the token in a response and checks it against the signature and the request. */
async function readToken(
  bytes: Uint8Array,
  nonce: Buffer,
  { signature, anchors }: TimeStampRequest,
): Promise<TimeStamp> {
  const response = TimeStampResp.fromBER(new Uint8Array(bytes));
  const encoded = response.timeStampToken;
  if (!GRANTED.has(response.status.status) || encoded === undefined) {
    throw new SigningError('the time-stamp authority refused');
  }
  const token = readTimeStampToken(encoded);
  if (token === null) throw new SigningError('the time-stamp authority returned no token');
  const { cms, info, certificates, atMs } = token;
  const returnedNonce = Buffer.from(info.nonce?.valueBlock.valueHexView ?? new Uint8Array(0));
  if (!returnedNonce.equals(nonce)) {
    throw new SigningError('the time stamp answers another request');
  }
  const [fault] = await timeStampFaults(token, signature);
  if (fault !== undefined) throw new SigningError(FAULTS[fault]);
  const nowMs = Date.now();
  if (Math.abs(atMs - nowMs) > CLOCK_MS_MAX) {
    throw new SigningError('the time stamp states another time than the present');
  }
  const own = signerOf(cms);
  if (own === null || !(await leadsTo(anchors, own, certificates, nowMs))) {
    throw new SigningError('the time-stamp authority is unknown: add it to "timeStampAuthorities"');
  }
  const known: Certificate[] = [];
  for (const one of certificates) {
    if (await leadsTo(anchors, one, certificates, nowMs)) known.push(one);
  }
  return { token: Buffer.from(encoded.toSchema().toBER(false)), certificates: known };
}
