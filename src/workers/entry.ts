import { getPriority, setPriority } from 'node:os';
import { parentPort, workerData } from 'node:worker_threads';
import { fail } from '../errors.ts';
import { giveBack } from '../memory.ts';
import type { Job } from './job.ts';
import type { WorkerMessage, WorkerResult, WorkerSetup, WorkerTask } from './thread.ts';
import { CELLS, DECIDED, elapsedMs } from './thread.ts';

/**
 * What every renderer thread runs first: takes jobs one after the other, tells the main thread when
 * one starts (its time limit counts from there), and turns a bug into a value.
 */

/**
 * On a full machine the gateway comes first: it answers in microseconds. A thread that loads comes
 * before those that render: while it is not there, they are one too few. Linux gives every thread a
 * niceness of its own; elsewhere the call would change the whole process.
 */
const NICER_BY = { loading: 5, rendering: 10 } as const;
const NICENESS_MAX = 19;

/** Files up to this size are copied into the message: cheaper than moving their memory. */
const COPY_BYTES_MAX = 32_768;

// Set by renderer.ts, the only one that starts this module.
const setup = workerData as WorkerSetup;
const { cells, epoch } = setup;
const port = parentPort;
if (port === null) throw new Error('this module is the start of a thread');
const standsBack = process.platform === 'linux';
const priority = standsBack ? getPriority(0) : 0;
if (standsBack) standBack(NICER_BY.loading);
const loaded = (await import(setup.module)) as { default: (job: Job) => Promise<WorkerResult> };
const render = loaded.default;
for (const template of setup.recent) await attempt({ kind: 'warm', template });

if (standsBack) standBack(NICER_BY.rendering);

const waiting: WorkerTask[] = [];
let isBusy = false;
port.on('message', (task: WorkerTask) => {
  waiting.push(task);
  if (!isBusy) void work();
});
post({ kind: 'loaded' });

function standBack(by: number): void {
  try {
    setPriority(0, Math.min(NICENESS_MAX, priority + by));
  } catch (error) {
    // Hardened services may not ask for it (systemd's SystemCallFilter=~@resources); they do without.
    if (!(error instanceof Error && 'code' in error && error.code === 'ERR_SYSTEM_ERROR')) {
      throw error;
    }
  }
}

async function work(): Promise<void> {
  isBusy = true;
  for (let task = waiting.shift(); task !== undefined; task = waiting.shift()) {
    const { turn, cell, job } = task;
    if (turn !== null) {
      // First the clock: between the two, the job would seem to run since the one before it began.
      Atomics.store(cells, CELLS.startedAt, elapsedMs(epoch));
      if (Atomics.compareExchange(cells, cell, turn, DECIDED) !== turn) continue;
    }
    answer(turn, await attempt(job));
    // Stored documents were read for this job alone; the answer has none of their memory.
    if (job.kind === 'render') for (const attachment of job.attachments) giveBack(attachment);
  }
  isBusy = false;
}

async function attempt(job: Job): Promise<WorkerResult> {
  try {
    return await render(job);
  } catch (error) {
    report(error);
    return fail('internal_error');
  }
}

function answer(turn: number | null, result: WorkerResult): void {
  if (result === undefined || !('ok' in result) || !result.ok) {
    post({ kind: 'answer', turn, result });
    return;
  }
  const { pdf } = result.value;
  // Of a view on a larger buffer, the message would hold the whole buffer.
  const whole = pdf.byteLength === pdf.buffer.byteLength ? pdf : pdf.slice();
  const value = whole === pdf ? result.value : { ...result.value, pdf: whole };
  const message: WorkerMessage = { kind: 'answer', turn, result: { ok: true, value } };
  // A renderer makes its files in memory of its own, never in shared memory.
  if (whole.byteLength > COPY_BYTES_MAX) post(message, [whole.buffer as ArrayBuffer]);
  else post(message);
}

function post(message: WorkerMessage, moved: readonly ArrayBuffer[] = []): void {
  port?.postMessage(message, moved);
}

function report(error: unknown): void {
  const stack = error instanceof Error ? (error.stack ?? '').split('\n') : [];
  post({
    kind: 'fault',
    fault: error instanceof Error ? error.name : typeof error,
    stack: stack.filter((line) => line.startsWith('    at ')).slice(0, 20),
  });
}
