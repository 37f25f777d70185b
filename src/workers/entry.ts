import { parentPort, workerData } from 'node:worker_threads';
import { move, transferableSymbol, valueSymbol } from 'piscina';
import { fail } from '../errors.ts';
import type { Job } from './job.ts';
import type { WorkerFault, WorkerResult, WorkerSetup, WorkerTask } from './thread.ts';
import { elapsedMs } from './thread.ts';

/**
 * What every renderer thread runs first: tells the main thread when a job starts (its time limit
 * counts from there), hands the result over without a copy, and turns a bug into a value.
 */

// Set by pool.ts, the only one that starts this module.
const setup = workerData as WorkerSetup;
const loaded = (await import(setup.module)) as { default: (job: Job) => Promise<WorkerResult> };
const render = loaded.default;
for (const template of setup.recent) await attempt({ kind: 'warm', template });

export default async function run(task: WorkerTask): Promise<unknown> {
  if (task.job === null) return undefined;
  if (task.slot >= 0) Atomics.store(setup.starts, task.slot, elapsedMs(setup.epoch));
  return moved(await attempt(task.job));
}

async function attempt(job: Job): Promise<WorkerResult> {
  try {
    return await render(job);
  } catch (error) {
    report(error);
    return fail('internal_error');
  }
}

/** Marks the file for transfer. A view on a larger buffer is copied: others may live in it. */
function moved(result: WorkerResult): unknown {
  if (result === undefined || !('ok' in result) || !result.ok) return result;
  const { pdf } = result.value;
  const whole = pdf.byteLength === pdf.buffer.byteLength ? pdf : pdf.slice();
  const value = whole === pdf ? result : { ok: true, value: { ...result.value, pdf: whole } };
  return move({ [transferableSymbol]: whole.buffer, [valueSymbol]: value });
}

function report(error: unknown): void {
  const stack = error instanceof Error ? (error.stack ?? '').split('\n') : [];
  const fault: WorkerFault = {
    fault: error instanceof Error ? error.name : typeof error,
    stack: stack.filter((line) => line.startsWith('    at ')).slice(0, 20),
  };
  parentPort?.postMessage(fault);
}
