import { step } from '../harness/progress.ts';
import { spread } from '../../lab/stats.ts';
import type { Spread } from '../../lab/stats.ts';
import { takeSeeds } from './drawing.ts';
import type { Plan } from './plan.ts';
import { startEngine } from './subjects.ts';

/** The cost of a statement with `rows` rows. */
export interface RowCost {
  readonly rows: number;
  /** CPU of a document. */
  readonly cpuMs: Spread;
  /** CPU of a document over its rows, in µs. */
  readonly perRowUs: number;
}

/** Rows drawn in one round, whatever the document's length. */
const ROWS_PER_ROUND = 20_000;

/** Cost per row over the length of a table: it must be flat. */
export async function measureRows(plan: Plan): Promise<RowCost[]> {
  const { process } = await startEngine(plan);
  try {
    const figures = new Map<number, number[]>(plan.rowCounts.map((rows) => [rows, []]));
    const perRound = plan.rounds === 1 ? 1 : ROWS_PER_ROUND;
    for (let round = -1; round < plan.rounds; round++) {
      step(round < 0 ? 'rows: warm up' : `rows: round ${round + 1} of ${plan.rounds}`);
      for (const [rows, cpuMs] of figures) {
        const count = Math.max(1, Math.round(perRound / rows));
        const request = { shape: 'B' as const, rows, first: takeSeeds(count), count };
        const reply = await process.run(request);
        // The round before round 0 is the warm-up.
        if (round >= 0) cpuMs.push(reply.cpuMs / count);
      }
    }
    return [...figures].map(([rows, values]) => {
      const cpuMs = spread(values);
      return { rows, cpuMs, perRowUs: (cpuMs.median * 1000) / rows };
    });
  } finally {
    await process.stop();
  }
}
