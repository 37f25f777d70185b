import { step } from '../harness/progress.ts';
import { spread } from '../../lab/stats.ts';
import type { Spread } from '../../lab/stats.ts';
import type { ShapeName } from '../../lab/shapes/sheet.ts';
import { takeSeeds } from './drawing.ts';
import type { Plan } from './plan.ts';
import { startEngine } from './subjects.ts';

/** The cost of first documents as wall time, because a caller waits for it. */
export interface FirstDocuments {
  readonly shape: ShapeName;
  /** From the start of the process to its ready message. */
  readonly readyMs: Spread;
  /** First document after the ready message: template compiled, nothing warm. */
  readonly processMs: Spread;
  /** First document of a template in a warm process: template compiled. */
  readonly templateMs: Spread;
}

/** Starts a process per figure; then publishes template after template to a warm one. */
export async function measureFirsts(plan: Plan): Promise<FirstDocuments[]> {
  const figures: FirstDocuments[] = [];
  for (const shape of plan.sideShapes) {
    const readyMs: number[] = [];
    const processMs: number[] = [];
    for (let i = 0; i < plan.firsts; i++) {
      step(`first ${shape}: start process ${i + 1} of ${plan.firsts}`);
      const { process } = await startEngine(plan);
      readyMs.push(process.readyMs);
      const request = { shape, rows: plan.rows, first: takeSeeds(1), count: 1 };
      processMs.push((await process.run(request)).wallMs);
      await process.stop();
    }
    step(`first ${shape}: ${plan.firsts} templates in a warm process`);
    const templateMs = await measureTemplates(shape, plan);
    figures.push({
      shape,
      readyMs: spread(readyMs),
      processMs: spread(processMs),
      templateMs: spread(templateMs),
    });
  }
  return figures;
}

async function measureTemplates(shape: ShapeName, plan: Plan): Promise<number[]> {
  const { process } = await startEngine(plan);
  try {
    const scene = { shape, rows: plan.rows };
    const warm = shape === 'B' ? 3 : 50;
    await process.run({ ...scene, first: takeSeeds(warm), count: warm });
    const figures: number[] = [];
    for (let i = 0; i < plan.firsts; i++) {
      const request = { ...scene, first: takeSeeds(1), count: 1, freshTemplate: true };
      figures.push((await process.run(request)).wallMs);
    }
    return figures;
  } finally {
    await process.stop();
  }
}
