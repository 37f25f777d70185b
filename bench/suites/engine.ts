import { progress } from '../harness/progress.ts';
import type { Figures, LeftOut } from '../report/report.ts';
import { measureScene } from './drawing.ts';
import type { Drawing } from './drawing.ts';
import type { Run } from './run.ts';
import { startColdEngine, startEngine, startPeers, stopAll } from './subjects.ts';
import type { Running } from './subjects.ts';

/** Draws the shapes with the engine, the engine on new words, and the peers that can run here. */
export async function benchEngine(run: Run): Promise<Pick<Figures, 'drawings' | 'peersLeftOut'>> {
  const { options, plan } = run;
  const peersLeftOut: LeftOut[] = [];
  const leaveOut = (peer: string, reason: string): void => {
    peersLeftOut.push({ peer, reason });
    progress(`${peer} left out: ${reason}`);
  };
  const subjects = [await startEngine(plan)];
  try {
    subjects.push(await startColdEngine(plan));
    const choice = { names: options.peers, install: options.install };
    subjects.push(...(await startPeers(choice, plan, leaveOut)));
    return { drawings: await drawShapes(subjects, run), peersLeftOut };
  } finally {
    await stopAll(subjects);
  }
}

/** Has the subjects draw each shape in turns; the first subject is the one compared with. */
export async function drawShapes(
  subjects: readonly Running[],
  { plan, note }: Run,
): Promise<Drawing[]> {
  const drawings: Drawing[] = [];
  for (const shape of plan.shapes) {
    progress(`${shape}: ${subjects.length} subjects in turns`);
    const scene = { shape, rows: shape === 'B' ? plan.rows : null };
    drawings.push(...(await measureScene(subjects, scene, plan, note)));
  }
  return drawings;
}
