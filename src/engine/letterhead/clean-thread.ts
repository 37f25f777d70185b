import { parentPort, workerData } from 'node:worker_threads';
import type { CleanMessage } from './apart.ts';
import { cleanPdf } from './clean.ts';

/** The thread that reads one foreign file and ends (apart.ts). */

function send(message: CleanMessage): void {
  parentPort?.postMessage(message);
}

const { user, system } = process.threadCpuUsage();
send({ kind: 'loaded', cpuMs: (user + system) / 1_000 });
// The only starter of this thread passes the file's bytes.
send({ kind: 'cleaned', cleaning: await cleanPdf(workerData as Uint8Array) });
