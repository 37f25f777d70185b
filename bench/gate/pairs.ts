import { median } from '../../lab/stats.ts';
import type { ShapeName } from '../../lab/shapes/sheet.ts';
import { step } from '../harness/progress.ts';
import { startEngineProcess } from '../engine/process.ts';
import type { SubjectProcess } from '../harness/process.ts';
import { takeSeeds } from '../suites/drawing.ts';
import { estimateOf, isSettled } from './decision.ts';

/** How much is measured. */
export interface GatePlan {
  readonly pairsMin: number;
  readonly pairsMax: number;
  /** CPU that warms up a shape in each process. */
  readonly warmUpMs: number;
  /** CPU of a turn, and turns of each process in a pair. */
  readonly turnMs: number;
  readonly turns: number;
  /** No pair begins later. */
  readonly seconds: number;
}

/** The verdict on a shape after the pairs measured so far. */
export interface ShapePairs {
  readonly shape: ShapeName;
  /** CPU of this engine over that of the base, one figure for each pair of starts. */
  readonly ratios: number[];
  readonly baseCpuMs: number[];
  readonly headCpuMs: number[];
}

/**
 * Compares the engines of two folders of sources. Both are started anew for each pair; inside a pair
 * they take turns with the same number of documents. It ends when each shape is settled, or when the
 * time is over.
 */
export async function measurePairs(
  roots: { readonly base: string; readonly head: string },
  shapes: readonly ShapeName[],
  failOver: number,
  plan: GatePlan,
): Promise<readonly ShapePairs[]> {
  const all = shapes.map((shape): ShapePairs => {
    return { shape, ratios: [], baseCpuMs: [], headCpuMs: [] };
  });
  const endMs = performance.now() + plan.seconds * 1000;
  let longestMs = 0;
  for (let pair = 0; pair < plan.pairsMax; pair++) {
    const open = pair < plan.pairsMin ? all : all.filter((one) => !isDone(one, failOver));
    const startMs = performance.now();
    if (open.length === 0 || (pair > 0 && startMs + longestMs > endMs)) break;
    step(`pair ${pair + 1}: ${open.map(({ shape }) => shape).join(', ')}`);
    await measurePair(roots, open, plan, pair % 2 === 0);
    longestMs = Math.max(longestMs, performance.now() - startMs);
  }
  return all;
}

function isDone({ ratios }: ShapePairs, failOver: number): boolean {
  return isSettled(estimateOf(ratios), failOver);
}

async function measurePair(
  { base, head }: { readonly base: string; readonly head: string },
  shapes: readonly ShapePairs[],
  plan: GatePlan,
  baseFirst: boolean,
): Promise<void> {
  const one = await startEngineProcess(baseFirst ? base : head, null);
  try {
    const other = await startEngineProcess(baseFirst ? head : base, null);
    try {
      const sides = baseFirst ? { base: one, head: other } : { base: other, head: one };
      for (const shape of shapes) await takeTurns(sides, shape, plan, baseFirst);
    } finally {
      await other.stop();
    }
  } finally {
    await one.stop();
  }
}

async function takeTurns(
  sides: { readonly base: SubjectProcess; readonly head: SubjectProcess },
  { shape, ratios, baseCpuMs, headCpuMs }: ShapePairs,
  plan: GatePlan,
  baseFirst: boolean,
): Promise<void> {
  // Side by side, as it takes most of the time; the turns that follow have the machine for themselves.
  const [documentMs] = await Promise.all([
    warmUp(sides.base, shape, plan),
    warmUp(sides.head, shape, plan),
  ]);
  const count = Math.max(1, Math.round(plan.turnMs / documentMs));
  const draw = async (side: SubjectProcess, first: number): Promise<number> => {
    const { cpuMs } = await side.run({ shape, first, count });
    return cpuMs / count;
  };
  const turns: { readonly base: number; readonly head: number }[] = [];
  for (let turn = 0; turn < plan.turns; turn++) {
    const first = takeSeeds(count);
    // ABBA, and the next pair the other way: drift of the machine favours neither.
    const isBaseFirst = (turn % 2 === 0) === baseFirst;
    const before = isBaseFirst ? await draw(sides.base, first) : null;
    const head = await draw(sides.head, first);
    turns.push({ head, base: before ?? (await draw(sides.base, first)) });
  }
  ratios.push(median(turns.map(({ base, head }) => head / base)));
  baseCpuMs.push(median(turns.map(({ base }) => base)));
  headCpuMs.push(median(turns.map(({ head }) => head)));
}

/** Draws until the time is over; returns CPU of a document. */
async function warmUp(
  side: SubjectProcess,
  shape: ShapeName,
  { warmUpMs }: GatePlan,
): Promise<number> {
  let warmedMs = 0;
  let count = 1;
  for (;;) {
    const { cpuMs } = await side.run({ shape, first: takeSeeds(count), count });
    warmedMs += cpuMs;
    if (warmedMs >= warmUpMs) return cpuMs / count;
    count = Math.max(1, Math.min(count * 3, Math.ceil((warmUpMs / 4 / cpuMs) * count)));
  }
}
