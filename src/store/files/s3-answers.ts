import { createHash } from 'node:crypto';
import { SaxesParser } from 'saxes';
import { hashInSlices } from '../../runtime/hash-in-slices.ts';
import { reasonOf } from '../reason.ts';
import { StorageUnavailable } from '../terms.ts';
import type { S3Response } from './s3-client.ts';

/** Bytes read from the start of an error, which is a short XML document. */
const ERROR_BYTES_MAX = 4_096;

/** Some bytes of an object; `total` is the size of the object. */
export interface Window {
  readonly position: number;
  readonly bytes: Uint8Array;
  readonly total: number;
}

/** Throws StorageUnavailable unless the server answered with one of the statuses. */
export function expectStatus(answer: S3Response, allowed: readonly number[], step: string): void {
  if (allowed.includes(answer.status)) return;
  const code = codeOf(answer);
  const reason = code === '' ? '' : `: ${reasonOf(code)}`;
  throw new StorageUnavailable(
    `the object store answered ${answer.status}, asked to ${step}${reason}`,
  );
}

/** The code of an error (Amazon S3, "Error responses"); '' when the answer has none. */
function codeOf({ body }: S3Response): string {
  const text = body.toString('latin1', 0, ERROR_BYTES_MAX);
  return /<Code>\s*([A-Za-z]{1,64})\s*<\/Code>/.exec(text)?.[1] ?? '';
}

/**
 * Whether the server itself says that the object does not exist. A proxy, a load balancer or a
 * server without the bucket answers 404 as well, and then nothing is known of the object.
 */
export function isNoSuchKey(answer: S3Response): boolean {
  return answer.status === 404 && codeOf(answer) === 'NoSuchKey';
}

/**
 * Whether the ETag proves that the server holds this body: for a plain object it is the MD5 of its
 * bytes (Amazon S3, "Object integrity"). With encryption by KMS it is something else, and some
 * servers send none; then only a read can tell.
 */
export async function provesBody(answer: S3Response, body: Uint8Array): Promise<boolean> {
  const { etag } = answer.headers;
  const sent = typeof etag === 'string' ? /^"?([0-9a-f]{32})"?$/i.exec(etag)?.[1] : undefined;
  if (sent === undefined) return false;
  const md5 = createHash('md5');
  await hashInSlices(md5, body);
  return sent.toLowerCase() === md5.digest('hex');
}

/** The window that an answer 206 holds. Throws StorageUnavailable when it is not the one wanted. */
export function windowOf(answer: S3Response, position: number): Window {
  const range = String(answer.headers['content-range']);
  const [, first, last, total] = /^bytes (\d+)-(\d+)\/(\d+)$/.exec(range) ?? [];
  if (total === undefined) throw new StorageUnavailable('the object store gave no content-range');
  const bytes = answer.body;
  if (Number(first) !== position || Number(last) - position + 1 !== bytes.length) {
    throw new StorageUnavailable('the object store sent other bytes than were asked for');
  }
  return { position, bytes, total: Number(total) };
}

/** Parses a page of ListObjectsV2: its keys, and the token of the next page, '' after the last. */
export function parseList(text: string): { keys: readonly string[]; next: string } {
  const keys: string[] = [];
  let root = '';
  let next = '';
  let value = '';
  const parser = new SaxesParser();
  parser.on('error', () => {
    throw new StorageUnavailable('the object store gave a list that is not XML');
  });
  parser.on('opentag', (tag) => {
    if (root === '') root = tag.name;
    value = '';
  });
  parser.on('text', (chunk) => {
    value += chunk;
  });
  parser.on('closetag', (tag) => {
    if (tag.name === 'Key') keys.push(value);
    if (tag.name === 'NextContinuationToken') next = value;
    value = '';
  });
  parser.write(text).close();
  if (root !== 'ListBucketResult') {
    throw new StorageUnavailable('the object store gave something else than a list of files');
  }
  return { keys, next };
}
