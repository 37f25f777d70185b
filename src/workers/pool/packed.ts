import type { RenderedDocument, RenderJob, SharedTemplate, SignaturePlace } from '#engine';
import { succeed } from '../../errors.ts';
import type { Answer, WorkerAnswer, WorkerTask } from './messages.ts';

/**
 * Jobs and answers of documents as they cross the border of a thread. The structured clone algorithm
 * writes the name of each property beside its value, and looks it up again when it reads: an object
 * costs twice as much as the list of its values. So documents cross as lists; jobs of other kinds,
 * which are fewer, cross as they are.
 */

/** A `WorkerTask` with a render job, or any other as it is. */
export type PackedTask = WorkerTask | PackedRender;

type PackedRender = readonly [
  jobNumber: number | null,
  cell: number,
  hash: string,
  source: SharedArrayBuffer,
  templateId: string,
  version: number,
  body: Uint8Array,
  dataStart: number,
  dataEnd: number,
  atMs: number,
  flags: number,
  attachments: readonly Uint8Array[] | null,
  watermark: RenderJob['watermark'],
  metadata: RenderJob['metadata'],
  signature: RenderJob['signature'],
];

/** An answer with a document, or any other as it is. */
export type PackedAnswer = WorkerAnswer | PackedDocument;

type PackedDocument = readonly [
  ranMs: number,
  pdf: Uint8Array,
  pages: number,
  sha256: string,
  contractMs: number,
  templateMs: number,
  layoutMs: number,
  pdfMs: number,
  postMs: number,
  missingCharacters: number,
  naming: RenderedDocument['naming'],
  signature: SignaturePlace | null,
  drafts: readonly string[] | null,
];

const CHECK_ONLY = 1;
const PROTECTED = 2;
const DIGEST = 4;
const PREVIEW = 8;

const NO_ATTACHMENTS: readonly Uint8Array[] = [];

export function packTask(task: WorkerTask): PackedTask {
  const { jobNumber, cell, job } = task;
  if (job.kind !== 'render') return task;
  const { template, attachments } = job;
  return [
    jobNumber,
    cell,
    template.hash,
    template.source,
    template.templateId,
    template.version,
    job.body,
    job.dataStart,
    job.dataEnd,
    job.atMs,
    (job.checkOnly ? CHECK_ONLY : 0) |
      (job.isProtected ? PROTECTED : 0) |
      (job.digest ? DIGEST : 0) |
      (job.isPreview ? PREVIEW : 0),
    attachments.length === 0 ? null : attachments,
    job.watermark,
    job.metadata,
    job.signature,
  ];
}

export function unpackTask(packed: PackedTask): WorkerTask {
  if (!isList(packed)) return packed;
  // By index: taking a list apart by name goes through its iterator.
  const flags = packed[10];
  const template: SharedTemplate = {
    hash: packed[2],
    source: packed[3],
    templateId: packed[4],
    version: packed[5],
  };
  const job: RenderJob = {
    kind: 'render',
    template,
    body: packed[6],
    dataStart: packed[7],
    dataEnd: packed[8],
    atMs: packed[9],
    attachments: packed[11] ?? NO_ATTACHMENTS,
    watermark: packed[12],
    metadata: packed[13],
    checkOnly: (flags & CHECK_ONLY) !== 0,
    signature: packed[14],
    isProtected: (flags & PROTECTED) !== 0,
    digest: (flags & DIGEST) !== 0,
    isPreview: (flags & PREVIEW) !== 0,
  };
  return { jobNumber: packed[0], cell: packed[1], job };
}

/** `document`: that of an answer to a render job; its bytes may be transferred. */
export function packDocument(
  { ranMs, drafts }: Omit<Answer, 'result'>,
  document: RenderedDocument,
): PackedDocument {
  const { times } = document;
  return [
    ranMs,
    document.pdf,
    document.pages,
    document.sha256,
    times.contractMs,
    times.templateMs,
    times.layoutMs,
    times.pdfMs,
    times.postMs,
    document.missingCharacters,
    document.naming,
    document.signature ?? null,
    drafts ?? null,
  ];
}

export function unpackAnswer(packed: PackedAnswer): WorkerAnswer {
  if (!isList(packed)) return packed;
  const signature = packed[11];
  const drafts = packed[12];
  const document: RenderedDocument = {
    pdf: packed[1],
    pages: packed[2],
    sha256: packed[3],
    times: {
      contractMs: packed[4],
      templateMs: packed[5],
      layoutMs: packed[6],
      pdfMs: packed[7],
      postMs: packed[8],
    },
    missingCharacters: packed[9],
    naming: packed[10],
  };
  const value = signature === null ? document : { ...document, signature };
  const answer: Answer = { ranMs: packed[0], result: succeed(value) };
  return drafts === null ? answer : { ...answer, drafts };
}

function isList<T>(packed: T): packed is Extract<T, readonly unknown[]> {
  return Array.isArray(packed);
}
