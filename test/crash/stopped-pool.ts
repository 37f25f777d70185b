import { createPool } from '../../src/workers/pool/pool.ts';
import { jobOf } from '../fixtures/pool.ts';

/**
 * A process with a pool whose only job waits until the process gets a line of input and has looked
 * at its time limit some times after that. It prints `begun`, and in the end how the job ended.
 * Argument: the time limit of a render in ms.
 */

const CHECKS = 10;
const CHECK_MS = 20;

const renderTimeoutMs = Number(process.argv[2]);
const gate = new Int32Array(new SharedArrayBuffer(4));
const faults: string[] = [];
const pool = createPool({
  module: new URL('../../lab/service/render-fake.ts', import.meta.url),
  settings: { gate },
  threads: 1,
  spareThreads: 0,
  queueMax: 1,
  renderTimeoutMs,
  checkTimeoutMs: renderTimeoutMs,
  draftTimeoutMs: renderTimeoutMs,
  memoryMb: 64,
  onFault: ({ kind, error }) => faults.push(`${kind} ${error}`),
});
await pool.ready();
const job = pool.submit(jobOf({ do: 'wait' }), 'caller');
process.stdin.once('data', () => {
  let checks = 0;
  const timer = setInterval(() => {
    checks += 1;
    if (checks < CHECKS) return;
    clearInterval(timer);
    Atomics.store(gate, 0, 1);
    Atomics.notify(gate, 0);
  }, CHECK_MS);
});
process.stdout.write('begun\n');
const { ok } = await job.result;
process.stdout.write(`${JSON.stringify({ ok, faults })}\n`);
await pool.close(0);
process.exit();
