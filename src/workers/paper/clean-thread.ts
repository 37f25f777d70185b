import { parentPort, workerData } from 'node:worker_threads';
import { cleanPdf } from './clean.ts';

/** The thread that reads one foreign file and ends (apart.ts). */

const { user, system } = process.threadCpuUsage();
parentPort?.postMessage({ loadedMs: (user + system) / 1_000 });
// The only starter of this thread passes the file's bytes.
const cleaning = await cleanPdf(workerData as Uint8Array);
parentPort?.postMessage(cleaning);
