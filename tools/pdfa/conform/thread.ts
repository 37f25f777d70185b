import { parentPort, workerData } from 'node:worker_threads';
import type { Profile } from '../rules.ts';
import { examine } from './examine.ts';

/** Judges one file on a thread of its own, so that its time and memory have a bound. */
const { bytes, profiles } = workerData as { bytes: Uint8Array; profiles: readonly Profile[] };
parentPort?.postMessage(examine(bytes, profiles));
