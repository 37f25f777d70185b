import { createHash } from 'node:crypto';
import { renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { CommandFailed, unwritable } from '../console/failure.ts';
import { type Client, Interrupted, readError, type Reply, type ServiceError } from './client.ts';
import type { BatchRecord } from './input.ts';
import type { Manifest, ManifestEntry } from './manifest.ts';
import { type NamedRecord, withNames } from './named.ts';

export interface BatchPlan {
  readonly url: string;
  readonly apiKey: string;
  readonly templateId: string;
  readonly version: number | null;
  readonly mode: 'sync' | 'async';
  /** The request's `options`, or null. */
  readonly options: unknown;
  readonly out: string;
  /** Pattern of the file names; null: numbers. */
  readonly name: string | null;
  readonly concurrency: number;
  /** Whether documents of another input in the folder are removed, instead of ending the batch. */
  readonly overwrite: boolean;
}

/** Called with the progress of a batch. */
export interface BatchWatch {
  settled(counts: BatchCounts): void;
  /** Reports a record that cannot be made, and why. */
  failed(record: BatchRecord, error: ServiceError): void;
}

export interface BatchCounts {
  made: number;
  failed: number;
  /** Made by an earlier run of the same batch. */
  skipped: number;
}

/** Error codes that concern one record. Any other would hit every record, so it ends the batch. */
const RECORD_ERRORS = new Set(['invalid_data', 'render_failed', 'payload_too_large']);

/**
 * Makes every record that is not done in the manifest, which belongs to these records
 * (`BatchFolder.review`). When the client is stopped, it resolves with the counts so far.
 */
export async function runBatch(
  plan: BatchPlan,
  manifest: Manifest,
  records: AsyncGenerator<BatchRecord, void, undefined>,
  client: Client,
  watch: BatchWatch,
): Promise<BatchCounts> {
  const counts: BatchCounts = { made: 0, failed: 0, skipped: 0 };
  let isStopped = false;
  const named = withNames(plan, records, manifest);
  const lane = async (): Promise<void> => {
    // An async generator queues calls of next(), so each lane gets the next record in order.
    for (;;) {
      const next = await named.next();
      if (next.done === true || isStopped) return;
      await settle(next.value);
    }
  };
  const settle = async (record: NamedRecord): Promise<void> => {
    try {
      if (record.isDone) {
        counts.skipped += 1;
      } else {
        const { entry, error } = await make(plan, record, client);
        manifest.add(entry);
        if (error === null) {
          counts.made += 1;
        } else {
          counts.failed += 1;
          watch.failed(record, error);
        }
      }
      watch.settled(counts);
    } catch (error) {
      // The other lanes finish their records, so that the manifest has them.
      isStopped = true;
      if (!(error instanceof Interrupted)) throw error;
    }
  };
  const lanes = await Promise.allSettled(Array.from({ length: plan.concurrency }, lane));
  const rejected = lanes.find((result) => result.status === 'rejected');
  try {
    manifest.compact();
  } catch (error) {
    // On a full disk both fail; the first reason is the one to report.
    if (rejected === undefined) throw unwritable(plan.out, error);
  }
  if (rejected !== undefined) throw unwritable(plan.out, rejected.reason);
  return counts;
}

/** The outcome of one record. */
interface Outcome {
  readonly entry: ManifestEntry;
  /** null: the record was made. */
  readonly error: ServiceError | null;
}

async function make(
  plan: BatchPlan,
  { number, data, name, file, input }: NamedRecord,
  client: Client,
): Promise<Outcome> {
  const reply = await client.call(`${plan.url}/v1/generate`, {
    method: 'POST',
    headers: {
      'x-api-key': plan.apiKey,
      'content-type': 'application/json',
      // A record that is sent again after a lost reply gets the same document.
      ...(plan.mode === 'async' ? { 'idempotency-key': input } : {}),
    },
    body: requestBody(plan, data),
  });
  const base = { number, input, name, file: '', sha256: '', documentId: '', code: '', fields: [] };
  if (reply.status !== 200 && reply.status !== 201) {
    const error = recordError(reply, number);
    const { code, fields } = error;
    return { entry: { ...base, status: 'failed', code, fields }, error };
  }
  const { pdf, documentId, defect } =
    plan.mode === 'sync'
      ? { pdf: reply.body, documentId: '', defect: pdfDefect(reply) }
      : await fetchStored(reply, client);
  if (defect !== null) {
    const error = { code: NO_DOCUMENT, error: defect, fields: [] };
    return { entry: { ...base, status: 'failed', code: NO_DOCUMENT }, error };
  }
  const path = join(plan.out, file);
  // The documents are as confidential as in the service, whose files only their owner may read.
  writeFileSync(`${path}.part`, pdf, { mode: 0o600 });
  renameSync(`${path}.part`, path);
  const entry = { ...base, status: 'done', file, sha256: digest(pdf), documentId } as const;
  return { entry, error: null };
}

/** Inserts the data as text, so that the digits of its numbers do not change. */
function requestBody({ templateId, version, mode, options }: BatchPlan, data: string): string {
  const rest = JSON.stringify({
    templateId,
    ...(version === null ? {} : { version }),
    mode,
    ...(options === null ? {} : { options }),
  });
  return `${rest.slice(0, -1)},"data":${data}}`;
}

/** The error of this record; throws when it would hit every other record, too. */
function recordError(reply: Reply, number: number): ServiceError {
  const error = readError(reply);
  if (RECORD_ERRORS.has(error.code)) return error;
  const { error: message, code } = error;
  throw new CommandFailed(`record ${number} was refused: ${message} (${code}); the batch stopped`);
}

/** The response to a request in mode async. */
interface StoredDocument {
  readonly documentId: string;
  readonly url: string;
  readonly sha256: string;
}

async function fetchStored(
  acknowledged: Reply,
  client: Client,
): Promise<{ pdf: Buffer; documentId: string; defect: string | null }> {
  const stored = readStored(acknowledged);
  if (stored === null) {
    const defect = 'the response is no acknowledgement of a document; does a proxy answer?';
    return { pdf: Buffer.alloc(0), documentId: '', defect };
  }
  const { documentId, url, sha256 } = stored;
  const reply = await client.call(url, { method: 'GET' });
  const { status, body } = reply;
  if (status !== 200) throw new CommandFailed(`the file of ${documentId} answered ${status}`);
  const defect = pdfDefect(reply);
  if (defect === null && digest(body) !== sha256) {
    throw new CommandFailed(`the file of ${documentId} does not have its digest`);
  }
  return { pdf: body, documentId, defect };
}

/** null: the response did not come from the service, which sends this shape with status 201. */
function readStored({ body }: Reply): StoredDocument | null {
  try {
    const value: unknown = JSON.parse(body.toString('utf8'));
    const isStored =
      typeof value === 'object' &&
      value !== null &&
      ['documentId', 'url', 'sha256'].every((key) => typeof Reflect.get(value, key) === 'string');
    return isStored ? (value as StoredDocument) : null;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return null;
  }
}

/** The code of a record whose response holds no whole document. */
const NO_DOCUMENT = 'no_document';
/** `%%EOF` stands within the last bytes of a PDF (ISO 32000-2 §7.5.5). */
const END_BYTES = 1_024;

/** Says why a response with status 200 is not a whole PDF; null when it is one. */
function pdfDefect({ body, headers }: Reply): string | null {
  const type = (headers['content-type'] ?? '').split(';', 1)[0]?.trim().toLowerCase();
  if (type !== 'application/pdf') return 'the response is no PDF; does a proxy answer?';
  if (!body.subarray(0, 5).equals(Buffer.from('%PDF-'))) return 'the response is no PDF';
  if (!body.subarray(-END_BYTES).includes('%%EOF')) return 'the PDF was cut off';
  // A proxy that compresses makes a weak entity tag of a strong one (RFC 9110 §8.8.1).
  const tag = /^(?:W\/)?"([0-9a-f]{64})"$/.exec(headers.etag ?? '')?.[1];
  if (tag !== undefined && tag !== digest(body)) return 'the PDF does not have its digest';
  return null;
}

function digest(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}
