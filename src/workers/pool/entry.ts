import { getPriority, setPriority } from 'node:os';
import { parentPort, workerData } from 'node:worker_threads';
import { move, transferableSymbol, valueSymbol } from 'piscina';
import type { Outcome } from '../../errors.ts';
import { fail, succeed } from '../../errors.ts';
import { releaseBuffer } from '../../runtime/memory/release-buffer.ts';
import type {
  CheckedRows,
  CheckResult,
  Job,
  PrintedRows,
  RenderedDocument,
  RenderedRows,
  RenderResult,
} from '#engine';
import type { Answer, WorkerFault, WorkerSetup, WorkerTask } from './messages.ts';
import { CELLS, DECIDED, elapsedMs } from './messages.ts';
import { packDocument, unpackTask } from './packed.ts';
import type { PackedAnswer, PackedTask } from './packed.ts';
import { systemThreadId } from './run-time.ts';

/**
 * The module that piscina loads in each renderer thread. It runs jobs one after the other, tells
 * the main thread when one starts (the time limit counts from there), and turns a bug into a value.
 */

/**
 * On a busy machine the gateway goes first, because it needs microseconds only. A thread that loads
 * goes before those that render, because it is missing until it has loaded. Linux keeps a niceness
 * for each thread; elsewhere the call would change the whole process.
 */
const NICER_BY = { loading: 5, rendering: 10 } as const;
const NICENESS_MAX = 19;

/** Files up to this size are copied into the message: cheaper than moving their memory. */
const COPY_BYTES_MAX = 32_768;

/** Drafts that a report names: more editors than threads are rarely at work at a time. */
const DRAFTS_MAX = 16;

// Set by threads.ts, the only one that starts this module.
const setup = workerData as WorkerSetup;
const { cells, epoch } = setup;
Atomics.store(cells, CELLS.threadNumber, systemThreadId());
const lowersPriority = process.platform === 'linux';
const priority = lowersPriority ? getPriority(0) : 0;
if (lowersPriority) lowerPriority(NICER_BY.loading);
const { default: render, drafts } = (await import(setup.module)) as {
  default: (job: Job) => Promise<RenderResult | CheckResult | CheckedRows | RenderedRows | void>;
  /** Hashes of the drafts that are kept compiled, the last used first: `countMax` at most. */
  drafts: (countMax: number) => readonly string[];
};
for (const template of setup.recent) await attempt({ kind: 'warm', template });
if (lowersPriority) lowerPriority(NICER_BY.rendering);

let last: Promise<unknown> = Promise.resolve();

/**
 * Piscina starts every task as soon as it has read it. Here each task waits for the one before it,
 * which piscina has answered by then, because it awaited that promise first.
 */
export default function run(task: PackedTask): Promise<unknown> {
  const answer = last.then(() => work(unpackTask(task)));
  last = answer;
  return answer;
}

async function work({ jobNumber, cell, job }: WorkerTask): Promise<unknown> {
  if (jobNumber !== null) {
    // Set startedAt before claiming, or the watchdog sees the start of the job before this one.
    Atomics.store(cells, CELLS.startedAt, elapsedMs(epoch));
    if (Atomics.compareExchange(cells, cell, jobNumber, DECIDED) !== jobNumber) return 'skipped';
  }
  const startMs = performance.now();
  const result = await attempt(job);
  // Stored documents were read for this job alone; the answer shares none of their memory.
  if (job.kind === 'render') for (const attachment of job.attachments) releaseBuffer(attachment);
  const answer: Answer = { ranMs: performance.now() - startMs, result };
  const isOfDraft = job.kind === 'check' || (job.kind === 'render' && job.isPreview);
  return answerOf(job, isOfDraft ? { ...answer, drafts: drafts(DRAFTS_MAX) } : answer);
}

async function attempt(job: Job): Promise<Outcome<unknown>> {
  try {
    const result = await render(job);
    return result !== undefined && 'ok' in result ? result : succeed(result);
  } catch (error) {
    report(error);
    return fail('internal_error');
  }
}

/** The answer to `job`, with a large file marked for transfer. */
function answerOf(job: Job, answer: Answer): unknown {
  const { result } = answer;
  if (job.kind === 'render_rows' && result.ok) {
    const { buffer } = (result.value as RenderedRows).files;
    // The slab of the job, which both threads have.
    if (buffer instanceof SharedArrayBuffer) return answer;
    // Nothing else is in the buffer of its files.
    return move({ [transferableSymbol]: buffer, [valueSymbol]: answer });
  }
  if (job.kind === 'print_rows' && result.ok) {
    const { buffer } = (result.value as PrintedRows).bytes;
    return move({ [transferableSymbol]: buffer, [valueSymbol]: answer });
  }
  if (job.kind === 'check' && result.ok) {
    const checked = result.value as CheckResult;
    if (checked.preview !== undefined) {
      const preview = withOwnBuffer(checked.preview);
      return withFile({ ...answer, result: succeed({ ...checked, preview }) }, preview);
    }
  }
  if (job.kind !== 'render' || !result.ok) return answer;
  // The result of a render job is a document.
  const document = withOwnBuffer(result.value as RenderedDocument);
  return withFile(packDocument(answer, document), document);
}

/** Copies a PDF that is part of a larger buffer, because postMessage would clone all of that. */
function withOwnBuffer(document: RenderedDocument): RenderedDocument {
  const { pdf } = document;
  const isWhole = pdf.byteLength === pdf.buffer.byteLength;
  return isWhole ? document : { ...document, pdf: pdf.slice() };
}

function withFile(answer: Exclude<PackedAnswer, string>, { pdf }: RenderedDocument): unknown {
  if (pdf.byteLength <= COPY_BYTES_MAX) return answer;
  return move({ [transferableSymbol]: pdf.buffer, [valueSymbol]: answer });
}

function report(error: unknown): void {
  const stack = error instanceof Error ? (error.stack ?? '').split('\n') : [];
  const fault: WorkerFault = {
    fault: error instanceof Error ? error.name : typeof error,
    stack: stack.filter((line) => line.startsWith('    at ')).slice(0, 20),
  };
  parentPort?.postMessage(fault);
}

function lowerPriority(by: number): void {
  try {
    setPriority(0, Math.min(NICENESS_MAX, priority + by));
  } catch (error) {
    // Hardened services may not change it (systemd's SystemCallFilter=~@resources).
    if (!(error instanceof Error && 'code' in error && error.code === 'ERR_SYSTEM_ERROR')) {
      throw error;
    }
  }
}
