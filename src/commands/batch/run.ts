import { createHash } from 'node:crypto';
import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { CommandFailed } from '../failure.ts';
import { type Client, readError, type Reply } from './client.ts';
import type { BatchRecord } from './input.ts';
import { Manifest, type ManifestEntry } from './manifest.ts';

export interface BatchPlan {
  readonly url: string;
  readonly apiKey: string;
  readonly templateId: string;
  readonly version: number | null;
  readonly mode: 'sync' | 'async';
  /** The request's `options`, or null. */
  readonly options: unknown;
  readonly out: string;
  readonly concurrency: number;
}

export interface BatchCounts {
  made: number;
  failed: number;
  /** Made by an earlier run of the same batch. */
  skipped: number;
}

/**
 * Refusals that would meet every record. In mode async a record's own fault is `invalid_data`,
 * `render_failed`, or a body too large; everything else is about the batch.
 */
const OWN_FAULTS = new Set(['invalid_data', 'render_failed', 'payload_too_large']);

/** Makes every record that the manifest does not hold yet. */
export async function runBatch(
  plan: BatchPlan,
  records: AsyncGenerator<BatchRecord, void, undefined>,
  client: Client,
  onEntry: (counts: BatchCounts) => void,
): Promise<BatchCounts> {
  mkdirSync(plan.out, { recursive: true });
  const manifest = new Manifest(join(plan.out, 'manifest.ndjson'));
  const state = { counts: { made: 0, failed: 0, skipped: 0 }, stopped: false };
  const lane = async (): Promise<void> => {
    // Calls of next() on a generator queue up: every lane gets the next record, in order.
    for (;;) {
      const next = await records.next();
      if (next.done === true || state.stopped) return;
      await settle(next.value);
    }
  };
  const settle = async (record: BatchRecord): Promise<void> => {
    const { counts } = state;
    try {
      const input = inputDigest(plan, record);
      if (manifest.has(record.number, input)) {
        counts.skipped += 1;
      } else {
        const entry = await make(plan, record, input, client);
        manifest.add(entry);
        counts[entry.status === 'done' ? 'made' : 'failed'] += 1;
      }
      onEntry(counts);
    } catch (error) {
      // The other lanes finish what they have begun, so that the manifest holds it.
      state.stopped = true;
      throw error;
    }
  };
  const lanes = await Promise.allSettled(Array.from({ length: plan.concurrency }, lane));
  const broken = lanes.find(({ status }) => status === 'rejected');
  if (broken?.status === 'rejected') throw broken.reason;
  return state.counts;
}

function inputDigest(plan: BatchPlan, { number, data }: BatchRecord): string {
  const { templateId, version, mode, options } = plan;
  const identity = JSON.stringify([templateId, version, mode, options, number]);
  return createHash('sha256').update(identity).update(data).digest('hex');
}

async function make(
  plan: BatchPlan,
  { number, data }: BatchRecord,
  input: string,
  client: Client,
): Promise<ManifestEntry> {
  const reply = await client.call(`${plan.url}/v1/generate`, {
    method: 'POST',
    headers: {
      'x-api-key': plan.apiKey,
      'content-type': 'application/json',
      // The same record asked for again after a lost reply gives the same document.
      ...(plan.mode === 'async' ? { 'idempotency-key': input } : {}),
    },
    body: requestBody(plan, data),
  });
  if (reply.status !== 200 && reply.status !== 201) return refused(reply, number, input);
  const file = `${String(number).padStart(8, '0')}.pdf`;
  const { pdf, documentId } =
    plan.mode === 'sync' ? { pdf: reply.body, documentId: '' } : await fetchStored(reply, client);
  const path = join(plan.out, file);
  writeFileSync(`${path}.part`, pdf);
  renameSync(`${path}.part`, path);
  const sha256 = digest(pdf);
  return { number, input, status: 'done', file, sha256, documentId, code: '', fields: [] };
}

/** The data goes in as it was read: the digits of its numbers stay as they were sent. */
function requestBody({ templateId, version, mode, options }: BatchPlan, data: string): string {
  const rest = JSON.stringify({
    templateId,
    ...(version === null ? {} : { version }),
    mode,
    ...(options === null ? {} : { options }),
  });
  return `${rest.slice(0, -1)},"data":${data}}`;
}

function refused(reply: Reply, number: number, input: string): ManifestEntry {
  const { code, error, fields } = readError(reply);
  if (!OWN_FAULTS.has(code)) {
    throw new CommandFailed(`record ${number} was refused: ${error} (${code}); the batch stopped`);
  }
  return { number, input, status: 'failed', file: '', sha256: '', documentId: '', code, fields };
}

interface Stored {
  readonly documentId: string;
  readonly url: string;
  readonly sha256: string;
}

async function fetchStored(
  acknowledged: Reply,
  client: Client,
): Promise<{ pdf: Buffer; documentId: string }> {
  // The acknowledgement of the spec.
  const { documentId, url, sha256 } = JSON.parse(acknowledged.body.toString('utf8')) as Stored;
  const { status, body } = await client.call(url, { method: 'GET' });
  if (status !== 200) throw new CommandFailed(`the file of ${documentId} answered ${status}`);
  if (digest(body) !== sha256) {
    throw new CommandFailed(`the file of ${documentId} does not have its digest`);
  }
  return { pdf: body, documentId };
}

function digest(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}
