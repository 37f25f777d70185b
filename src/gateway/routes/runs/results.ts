import type { Failure, Outcome } from '../../../errors.ts';
import { fail, succeed } from '../../../errors.ts';
import {
  MANIFEST_OUTCOMES,
  type ManifestFormat,
  TITLES,
  writeManifest,
} from '../../../runs/manifest.ts';
import { writeZip } from '../../../runs/zip/zip.ts';
import type { PrintedDocument, RunPrint, RunRecord, RunState } from '../../../store/runs/types.ts';
import { openPrint, PrintLost } from '../../../runs/prints/stored.ts';
import type { ListPage } from '../../../store/store.ts';
import { listReply } from '../../list-pages.ts';
import type { PendingReply, PlainReply } from '../../reply/reply.ts';
import { json, parameter, type Operation } from '../../openapi/operation.ts';
import { RUN_ID_PARAMETER, PRINT_NUMBER } from './parameters.ts';
import * as docs from '../../../api/runs.ts';
import type { GuardedCall, GuardedRoute, Services } from '../../route.ts';
import { describedRoute, recordAccess } from '../../route.ts';
import { headersOf } from './file-names.ts';
import { READS, withRun } from './run-call.ts';

const OUTCOMES: readonly string[] = MANIFEST_OUTCOMES;
export const TYPES = { ndjson: 'application/x-ndjson', csv: 'text/csv; charset=utf-8' } as const;
/** States without an archive: it would change while it is downloaded. */
const UNDER_WAY: ReadonlySet<RunState> = new Set(['checking', 'running']);

const GET_RUN_MANIFEST = {
  operationId: 'getRunManifest',
  summary: 'The outcome of every row, in the order of parts and rows',
  parameters: [
    RUN_ID_PARAMETER,
    parameter('query', 'format', { enum: ['ndjson', 'csv'] }, 'ndjson', 'ndjson if left out.'),
    parameter('query', 'outcome', { enum: OUTCOMES }, 'invalid', 'Only rows with this outcome.'),
    parameter('query', 'titles', { enum: TITLES }, 'th', 'A CSV for people: its header in words.'),
  ],
  replies: {
    200: {
      description: 'One row a line.',
      content: {
        'application/x-ndjson': { schema: { type: 'string' }, example: docs.MANIFEST },
      },
    },
  },
  errors: ['bad_request', 'not_found', 'rate_limited', 'gone'],
} satisfies Operation;

const GET_RUN_ZIP = {
  operationId: 'getRunZip',
  summary: 'All stored documents of a run as one ZIP archive',
  parameters: [RUN_ID_PARAMETER],
  replies: {
    200: {
      description:
        'A file for each stored row, named by the id of the row, or as fileName of the template says;' +
        ' a name that occurs twice gets a part of its document id. If documents are damaged, missing' +
        ' or expired, the last file is missing-documents.txt and lists them.',
      content: { 'application/zip': { schema: { type: 'string', format: 'binary' } } },
    },
  },
  errors: ['not_found', 'rate_limited', 'run_conflict', 'gone'],
} satisfies Operation;

const LIST_RUN_PRINTS = {
  operationId: 'listRunPrints',
  summary: 'The merged print files that are finished',
  parameters: [
    RUN_ID_PARAMETER,
    parameter('query', 'after', { type: 'string' }, '200', 'The value of next, for more of them.'),
    parameter('query', 'limit', { type: 'integer' }, 50, '1 to 200; the whole list when left out.'),
  ],
  replies: {
    200: {
      description: 'Print files, numbered from 1.',
      content: json(docs.printList, {
        prints: [
          {
            number: 1,
            documents: 10_000,
            pages: 30_000,
            bytes: 91_004_417,
            sha256: docs.DIGEST,
          },
        ],
        next: null,
      }),
    },
  },
  errors: ['bad_request', 'not_found', 'rate_limited'],
} satisfies Operation;

const GET_RUN_PRINT = {
  operationId: 'getRunPrint',
  summary: 'A merged print file',
  parameters: [RUN_ID_PARAMETER, PRINT_NUMBER],
  replies: {
    200: {
      description:
        'One PDF with the pages of its documents; fonts and images are shared. ETag is its SHA-256.' +
        ' A file that is damaged never comes whole: 500, or the connection is cut before its end.' +
        ' It expires with the first of its documents.',
      content: { 'application/pdf': { schema: { type: 'string', format: 'binary' } } },
    },
  },
  errors: ['not_found', 'rate_limited', 'gone'],
} satisfies Operation;

const GET_RUN_PRINT_INDEX = {
  operationId: 'getRunPrintIndex',
  summary: 'Which pages of a print file belong to which document',
  parameters: [RUN_ID_PARAMETER, PRINT_NUMBER],
  replies: {
    200: {
      description: 'One document a line, in the order of its pages.',
      content: {
        'application/x-ndjson': { schema: { type: 'string' }, example: docs.PRINT_INDEX },
      },
    },
  },
  errors: ['not_found', 'rate_limited', 'gone'],
} satisfies Operation;

/** The outcome of every row, the documents as one archive, and merged print files. */
export function runResultRoutes(services: Services): readonly GuardedRoute[] {
  const shared = {
    method: 'GET',
    access: READS,
    counted: 'runs',
    bodyBytesMax: 0,
  } as const;
  return [
    describedRoute({
      ...shared,
      path: '/v1/runs/:id/manifest',
      operation: GET_RUN_MANIFEST,
      run: (call) => withRun(services, call, (run) => manifest(services, call, run)),
    }),
    describedRoute({
      ...shared,
      path: '/v1/runs/:id/zip',
      operation: GET_RUN_ZIP,
      run: (call) => withRun(services, call, (run) => zip(services, call, run)),
    }),
    describedRoute({
      ...shared,
      path: '/v1/runs/:id/prints',
      operation: LIST_RUN_PRINTS,
      run: (call) => withRun(services, call, (run) => listPrints(services, call, run)),
    }),
    describedRoute({
      ...shared,
      path: '/v1/runs/:id/prints/:n',
      operation: GET_RUN_PRINT,
      run: (call) => withRun(services, call, (run) => print(services, call, run)),
    }),
    describedRoute({
      ...shared,
      path: '/v1/runs/:id/prints/:n/index',
      operation: GET_RUN_PRINT_INDEX,
      run: (call) => withRun(services, call, (run) => printIndex(services, call, run)),
    }),
  ];
}

/** Records that rows or documents of a run leave the service, which a HEAD does not let them. */
export async function recordRun(
  services: Services,
  call: GuardedCall,
  run: RunRecord,
  detail: string,
): Promise<void> {
  if (call.exchange.method === 'HEAD') return;
  const { templateId, version } = run.spec;
  const subject = { templateId, version, documentId: run.runId, detail };
  await recordAccess(services, call, 'runs.download', subject);
}

async function manifest(
  services: Services,
  call: GuardedCall,
  run: RunRecord,
): Promise<Outcome<PlainReply>> {
  const { store } = services;
  const asked = new URLSearchParams(call.query);
  const format = asked.get('format') ?? 'ndjson';
  const outcome = asked.get('outcome');
  if (!isFormat(format)) return fail('bad_request', 'format must be ndjson or csv.');
  const titles = TITLES.find((one) => one === asked.get('titles')) ?? null;
  if (titles === null && asked.has('titles'))
    return fail('bad_request', 'titles must be en or th.');
  if (outcome !== null && !OUTCOMES.includes(outcome)) {
    return fail('bad_request', `outcome must be one of ${OUTCOMES.join(', ')}.`);
  }
  if ((await isForgotten(store, run)) || (await haveRowsExpired(store, run))) {
    return fail('gone', 'The rows of this run have expired.');
  }
  await recordRun(services, call, run, 'manifest');
  const rows = store.runs.manifest(run.runId);
  const body = writeManifest(rows, format, outcome, titles, run.spec.csv ?? {});
  const headers = headersOf(run, TYPES[format], outcome ?? 'rows', format);
  return succeed({ status: 200, headers, body });
}

async function zip(
  services: Services,
  call: GuardedCall,
  run: RunRecord,
): Promise<Outcome<PlainReply>> {
  const { store } = services;
  if (UNDER_WAY.has(run.state)) {
    return fail('run_conflict', `The run is in state ${run.state}: wait until it has ended.`);
  }
  if (run.counts.stored === 0) return fail('not_found', 'The run has stored no document.');
  if (await haveDocumentsExpired(store, run)) return fail('gone', DOCUMENTS_EXPIRED);
  await recordRun(services, call, run, 'zip');
  const { runId } = run;
  const stored = { runId, documents: run.counts.stored };
  const body = writeZip(
    store,
    stored,
    run.startedAtMs ?? run.createdAtMs,
    (documentId, finding) => {
      const msg = `a document for the archive of a run is ${finding}`;
      services.log.error({ msg, runId, documentId });
    },
  );
  const headers = headersOf(run, 'application/zip', 'documents', 'zip');
  return succeed({ status: 200, headers, body });
}

/** The list of a run with many print files is read and written page by page. */
async function listPrints(
  { store }: Services,
  { query }: GuardedCall,
  run: RunRecord,
): PendingReply<docs.RunPrintList> {
  const read = async (after: string, countMax: number): Promise<ListPage<RunPrint> | null> => {
    if (!/^\d{0,7}$/.test(after)) return null;
    if (await haveDocumentsExpired(store, run)) return { items: [], next: null };
    return store.runPrints.list(run, countMax, Number(after));
  };
  // The list has no pages, because a run has at most 20,000 print files.
  return listReply(query, 'prints', read, (made) => made, Infinity);
}

const DOCUMENTS_EXPIRED = 'The documents of this run have expired.';
const PRINT_EXPIRED = 'The print file has expired with the first of its documents.';
const NO_PRINT = 'The run has no such print file, or it is not made yet.';

async function noPrint(store: Services['store'], run: RunRecord): Promise<Failure> {
  if (await isForgotten(store, run)) return fail('gone', DOCUMENTS_EXPIRED);
  return fail('not_found', NO_PRINT);
}

/** Parses the number in the address; null: it is not a number. */
function printNumber({ params }: GuardedCall): number | null {
  const text = params[1] ?? '';
  return /^[1-9]\d{0,6}$/.test(text) ? Number(text) : null;
}

async function print(
  services: Services,
  call: GuardedCall,
  run: RunRecord,
): Promise<Outcome<PlainReply>> {
  const { store } = services;
  const { runId } = run;
  const number = printNumber(call);
  const found = number === null ? null : await store.runPrints.find(runId, number);
  if (found === null) return noPrint(store, run);
  if (await haveDocumentsExpired(store, run)) return fail('gone', DOCUMENTS_EXPIRED);
  if (await store.runPrints.hasExpired(found)) return fail('gone', PRINT_EXPIRED);
  await recordRun(services, call, run, `print ${number}`);
  try {
    const pieces = await openPrint(store.runPrints, { runId, number: number ?? 0 }, found);
    const headers = {
      ...headersOf(run, 'application/pdf', `print-${number}`, 'pdf'),
      ...(found.sha256 === null ? {} : { ETag: `"${found.sha256}"` }),
    };
    return succeed({ status: 200, headers, body: namingLoss(services, pieces) });
  } catch (error) {
    if (!(error instanceof PrintLost)) throw error;
    // Destroyed since it was found.
    if (await store.runPrints.hasExpired(found)) return fail('gone', PRINT_EXPIRED);
    logLoss(services, error);
    return fail('internal_error', 'The print file is damaged or lost.');
  }
}

/** The connection is cut before the last piece of a damaged print file; the log says why. */
async function* namingLoss(
  services: Services,
  pieces: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  try {
    yield* pieces;
  } catch (error) {
    if (error instanceof PrintLost) logLoss(services, error);
    throw error;
  }
}

function logLoss({ log }: Services, { place, finding }: PrintLost): void {
  log.error({ msg: `a print file is ${finding}`, runId: place.runId, print: place.number });
}

/** Lists which pages belong to which document. */
async function printIndex(
  services: Services,
  call: GuardedCall,
  run: RunRecord,
): Promise<Outcome<PlainReply>> {
  const { store } = services;
  const { runId } = run;
  const number = printNumber(call);
  const documents = number === null ? null : await store.runPrints.documents(runId, number);
  if (documents === null) return noPrint(store, run);
  if (await haveDocumentsExpired(store, run)) return fail('gone', DOCUMENTS_EXPIRED);
  await recordRun(services, call, run, `index of print ${number}`);
  const headers = headersOf(run, TYPES.ndjson, `print-${number}-index`, 'ndjson');
  return succeed({ status: 200, headers, body: indexLines(documents) });
}

/** Yields the lines of an index piece by piece: a hundred thousand at once take too long. */
async function* indexLines(
  documents: AsyncIterable<readonly PrintedDocument[]>,
): AsyncGenerator<Uint8Array> {
  for await (const some of documents) {
    let lines = '';
    for (const { rowId, ...place } of some) {
      lines += `${JSON.stringify({ row: rowId, ...place })}\n`;
    }
    yield Buffer.from(lines);
  }
}

function isFormat(format: string): format is ManifestFormat {
  return format === 'ndjson' || format === 'csv';
}

/** Whether the run stored documents, and all of them have expired. The sweep may be later. */
async function haveDocumentsExpired({ runs }: Services['store'], run: RunRecord): Promise<boolean> {
  return run.counts.stored > 0 && (await runs.haveDocumentsExpired(run.runId));
}

/** Whether the sweep will forget the rows: nothing is left to fetch or to correct. */
async function haveRowsExpired({ runs }: Services['store'], run: RunRecord): Promise<boolean> {
  return run.counts.stored > 0 && (await runs.haveRowsExpired(run.runId));
}

/** Whether the rows of the run were deleted together with its last pack. */
async function isForgotten({ runs }: Services['store'], run: RunRecord): Promise<boolean> {
  if (run.counts.received === 0) return false;
  for await (const rows of runs.manifest(run.runId)) if (rows.length > 0) return false;
  return true;
}
