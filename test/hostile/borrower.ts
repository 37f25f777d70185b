import { parentPort, workerData } from 'node:worker_threads';
import { DecodeBudget } from '../../src/engine/image/decode-budget.ts';

/** A thread that borrows all of a budget, or waits for it, and never gives it back. */

// Set by decode-budget.test.ts.
const { cells, pixels } = workerData as { cells: Int32Array; pixels: number };
parentPort?.postMessage('waits');
await new DecodeBudget(cells, Number.POSITIVE_INFINITY).take(pixels);
parentPort?.postMessage('holds');
for (;;);
