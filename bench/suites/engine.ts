import { progress } from '../harness/progress.ts';
import type { Figures, LeftOut } from '../report/report.ts';
import { measureScene } from './drawing.ts';
import type { Drawing, Scene } from './drawing.ts';
import type { Run } from './run.ts';
import { startColdEngine, startEngine, startPeers, stopAll } from './subjects.ts';

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
    const drawings = await drawShapes(run, (scene) => {
      progress(`${scene.shape}: ${subjects.length} subjects in turns`);
      return measureScene(subjects, scene, plan, run.note);
    });
    return { drawings, peersLeftOut };
  } finally {
    await stopAll(subjects);
  }
}

/** Measures each shape of the plan, one after the other. */
export async function drawShapes(
  { plan }: Run,
  measure: (scene: Scene) => Promise<Drawing[]>,
): Promise<Drawing[]> {
  const drawings: Drawing[] = [];
  for (const shape of plan.shapes) {
    drawings.push(...(await measure({ shape, rows: shape === 'B' ? plan.rows : null })));
  }
  return drawings;
}
