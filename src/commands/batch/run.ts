import { renameSync } from 'node:fs';
import { join } from 'node:path';

import {
  BadAnswerError,
  CancelledError,
  DigestError,
  type DocumentRequest,
  NoDocumentError,
  type Pdf,
  ServiceError,
} from '#client';
import { CommandFailed, unwritable } from '../console/failure.ts';
import { writeWhole } from '../console/files/output-file.ts';
import type { Service } from '../console/service.ts';
import { type BatchRecord, placeOf } from './input.ts';
import { type Manifest, MANIFEST_FILE, type ManifestEntry } from './manifest.ts';
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
  /** Whether to send all records, even if none of them can be made. */
  readonly keepGoing: boolean;
}

/** Why a record cannot be made. */
export interface RecordError {
  readonly code: string;
  readonly error: string;
  readonly fields: readonly { readonly field: string; readonly reason: string }[];
}

/** Called with the progress of a batch. */
export interface BatchWatch {
  settled(counts: BatchCounts): void;
  /** Reports a record whose file has its number, because another record has the same --name. */
  nameTaken(record: BatchRecord, file: string): void;
  /** Reports a record that cannot be made, and why. */
  failed(record: BatchRecord, error: RecordError): void;
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
 * A batch that has made no document stops after this many failed records, because a wrong column or
 * setting makes all of them fail. Requests under way are completed, so a few more may fail.
 */
export const FIRST_FAILURES_MAX = 20;

/**
 * Makes every record that is not done in the manifest, which belongs to these records
 * (`BatchFolder.review`). When the service is stopped, or when none of the first records can be made,
 * it resolves with the counts so far.
 */
export async function runBatch(
  plan: BatchPlan,
  manifest: Manifest,
  records: AsyncGenerator<BatchRecord, void, undefined>,
  service: Service,
  watch: BatchWatch,
): Promise<BatchCounts> {
  const counts: BatchCounts = { made: 0, failed: 0, skipped: 0 };
  let isStopped = false;
  const wasMadeBefore = manifest.hasMade;
  const isHopeless = (): boolean =>
    !plan.keepGoing && !wasMadeBefore && counts.made === 0 && counts.failed >= FIRST_FAILURES_MAX;
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
      if (record.isTaken) watch.nameTaken(record, record.file);
      if (record.isDone) {
        counts.skipped += 1;
      } else {
        const { entry, error } = await make(plan, record, service);
        manifest.add(entry);
        if (error === null) {
          counts.made += 1;
        } else {
          counts.failed += 1;
          watch.failed(record, error);
          if (isHopeless()) isStopped = true;
        }
      }
      watch.settled(counts);
    } catch (error) {
      // The other lanes finish their records, so that the manifest has them.
      isStopped = true;
      if (!(error instanceof CancelledError)) throw error;
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
  if (rejected !== undefined) throw endedBy(plan, rejected.reason, counts);
  return counts;
}

/**
 * The failure of a batch that ended before its last record, with its counts so far and how to
 * continue.
 */
function endedBy({ out }: BatchPlan, reason: unknown, counts: BatchCounts): CommandFailed {
  const { made, failed, skipped } = counts;
  const { message } = reason instanceof CommandFailed ? reason : unwritable(out, reason);
  if (made + failed === 0) return new CommandFailed(message);
  return new CommandFailed(
    `${message}\n${made} made, ${failed} failed, ${skipped} made before, the others not sent:` +
      ` run again to continue; ${join(out, MANIFEST_FILE)} says which were made`,
  );
}

/** The outcome of one record. */
interface Outcome {
  readonly entry: ManifestEntry;
  /** null: the record was made. */
  readonly error: RecordError | null;
}

async function make(plan: BatchPlan, record: NamedRecord, service: Service): Promise<Outcome> {
  const { number, data, name, file, input } = record;
  const base = { number, input, name, file: '', sha256: '', documentId: '', code: '', fields: [] };
  let made: Made;
  try {
    made = await (plan.mode === 'sync'
      ? generate(requestOf(plan, data), service)
      : store(requestOf(plan, data), input, service));
  } catch (fault) {
    const error = recordError(fault, record);
    const { code, fields } = error;
    return { entry: { ...base, status: 'failed', code, fields }, error };
  }
  const { pdf, documentId } = made;
  const path = join(plan.out, file);
  // The documents are as confidential as in the service, whose files only their owner may read.
  writeWhole(`${path}.part`, pdf.bytes, 0o600);
  renameSync(`${path}.part`, path);
  const entry = { ...base, status: 'done', file, sha256: pdf.sha256, documentId } as const;
  return { entry, error: null };
}

/** The data goes as text, so that the digits of its numbers do not change. */
function requestOf({ templateId, version, options }: BatchPlan, data: string): DocumentRequest {
  return {
    templateId,
    ...(version === null ? {} : { version }),
    // The service checks them.
    ...(options === null ? {} : { options: options as NonNullable<DocumentRequest['options']> }),
    data,
  };
}

interface Made {
  readonly pdf: Pdf;
  readonly documentId: string;
}

async function generate(request: DocumentRequest, service: Service): Promise<Made> {
  return { pdf: await service.ask((client) => client.generate(request)), documentId: '' };
}

/** A record that is sent again after a lost reply gets the same document, by its key. */
async function store(request: DocumentRequest, key: string, service: Service): Promise<Made> {
  const stored = await service.ask((client) => client.store(request, { idempotencyKey: key }));
  const { documentId, url, sha256 } = stored;
  try {
    const pdf = await service.ask((client) => client.fetchLink(url));
    if (pdf.sha256 === sha256) return { pdf, documentId };
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    throw new CommandFailed(`the file of ${documentId} answered ${error.status}`);
  }
  throw new CommandFailed(`the file of ${documentId} does not have its digest`);
}

/** The code of a record whose response holds no whole document. */
const NO_DOCUMENT = 'no_document';

/** The error of this record; throws when it would hit every other record, too. */
function recordError(error: unknown, record: BatchRecord): RecordError {
  const isNone = error instanceof NoDocumentError || error instanceof BadAnswerError;
  if (isNone || error instanceof DigestError) {
    return { code: NO_DOCUMENT, error: error.message, fields: [] };
  }
  if (!(error instanceof ServiceError)) throw error;
  const { code, detail, fields } = error;
  if (RECORD_ERRORS.has(code)) return { code, error: detail, fields };
  throw new CommandFailed(`${placeOf(record)} was refused: ${detail} (${code}); the batch stopped`);
}
