import { HOME } from '../../lab/home.ts';
import { startEngineProcess } from '../engine/process.ts';
import { SubjectProcess } from '../harness/process.ts';
import { peerScript, PEERS, preparePeer } from '../peers/list.ts';
import type { Plan } from './plan.ts';

/** Name of the service's own engine among the subjects. */
export const ENGINE = 'intaglio';

/** A subject with its process. */
export interface Running {
  readonly name: string;
  readonly title: string;
  readonly process: SubjectProcess;
  /** Whether every Thai word of its documents is new. */
  readonly cold: boolean;
}

/** The engine of the sources in `root`, under the flags that its service runs with. */
export async function startEngine(
  plan: Plan,
  name: string = ENGINE,
  root: string = HOME,
): Promise<Running> {
  const process = await startEngineProcess(root, plan.core);
  return { name, title: name, process, cold: false };
}

/** The engine with words never seen before: what an empty shaping cache costs. */
export async function startColdEngine(plan: Plan): Promise<Running> {
  return { ...(await startEngine(plan)), name: `${ENGINE}, new words`, cold: true };
}

export interface PeerChoice {
  readonly names: readonly string[];
  readonly install: boolean;
}

/** Starts the peers that can run here; `leaveOut` is called with each other peer and the reason. */
export async function startPeers(
  choice: PeerChoice,
  plan: Plan,
  leaveOut: (peer: string, reason: string) => void,
): Promise<Running[]> {
  const running: Running[] = [];
  for (const peer of PEERS.filter(({ name }) => choice.names.includes(name))) {
    const reason = preparePeer(peer, choice.install);
    if (reason !== null) {
      leaveOut(peer.name, reason);
      continue;
    }
    try {
      const script = peerScript(peer);
      const process = await SubjectProcess.start({ script, args: peer.args, core: plan.core });
      running.push({ name: peer.name, title: peer.title, process, cold: false });
    } catch (error) {
      if (!(error instanceof Error)) throw error;
      leaveOut(peer.name, `it does not start: ${error.message.slice(0, 300)}`);
    }
  }
  return running;
}

export async function stopAll(subjects: readonly Running[]): Promise<void> {
  await Promise.all(subjects.map(({ process }) => process.stop()));
}
