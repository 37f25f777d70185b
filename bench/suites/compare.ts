import { progress } from '../harness/progress.ts';
import { compareServices } from '../http/compare.ts';
import type { Figures } from '../report/report.ts';
import { checkOut, provideStudio } from './checkout.ts';
import type { Checkout } from './checkout.ts';
import { measureStarts } from './drawing.ts';
import type { Drawing } from './drawing.ts';
import { drawShapes } from './engine.ts';
import type { Run } from './run.ts';
import { startEngine, stopAll } from './subjects.ts';
import type { Running } from './subjects.ts';

type Checkouts = readonly [Checkout, Checkout];

/** Compares two commits under this commit's bench: their services over HTTP, or their engines. */
export function compareCommits(
  revisions: readonly [string, string],
  run: Run,
): Promise<Partial<Figures>> {
  const { name, rest, settings } = run.options;
  return withCheckouts(revisions, async (checkouts) => {
    if (name !== 'http') return { drawings: await compareEngines(checkouts, run) };
    for (const checkout of checkouts) provideStudio(checkout);
    return { services: await compareServices(checkouts, settings, rest, run.plan) };
  });
}

async function withCheckouts<Result>(
  [a, b]: readonly [string, string],
  work: (checkouts: Checkouts) => Promise<Result>,
): Promise<Result> {
  const first = checkOut(a);
  try {
    const second = checkOut(b);
    try {
      return await work([first, second]);
    } finally {
      second.remove();
    }
  } finally {
    first.remove();
  }
}

function compareEngines([a, b]: Checkouts, run: Run): Promise<Drawing[]> {
  const { plan, note } = run;
  const start = async (): Promise<Running[]> => {
    const first = await startEngine(plan, `A ${a.commit}`, a.root);
    try {
      return [first, await startEngine(plan, `B ${b.commit}`, b.root)];
    } catch (error) {
      await stopAll([first]);
      throw error;
    }
  };
  return drawShapes(run, (scene) => {
    progress(`${scene.shape}: ${a.commit} and ${b.commit} in turns`);
    return measureStarts(start, scene, plan, note);
  });
}
