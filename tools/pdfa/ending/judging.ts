import { parentPort } from 'node:worker_threads';
import { judge, type Profile } from '../rules.ts';

/** Judges files on a thread of its own, so that one that never ends can be stopped. */
parentPort?.on('message', ({ bytes, profile }: { bytes: Uint8Array; profile: Profile }) => {
  const judgement = judge(bytes, profile);
  const answer = 'unreadable' in judgement ? judgement.unreadable : judgement.violations.length;
  parentPort?.postMessage(answer);
});
