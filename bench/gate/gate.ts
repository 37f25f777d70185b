import { targetFault } from '../report/targets.ts';
import { HOME } from '../../lab/home.ts';
import { busyWarning, describeMachine, type Machine } from '../../lab/machine.ts';
import { cleanUpAtExit } from '../../lab/process/interrupt.ts';
import { median } from '../../lab/stats.ts';
import type { ShapeName } from '../../lab/shapes/sheet.ts';
import { endSteps } from '../harness/progress.ts';
import { checkOut, revisionFault } from '../suites/checkout.ts';
import { revisionOf } from './base.ts';
import { decide, type Decision, type Estimate, estimateOf } from './decision.ts';
import { GateFault } from './fault.ts';
import { refusal } from '../arguments.ts';
import { type GateOptions, parseGateOptions } from './options.ts';
import { type GatePlan, measurePairs, type ShapePairs } from './pairs.ts';
import { figure, formatTable } from '../report/table.ts';
import { writeText } from '../report/write.ts';

/**
 * A noisy machine needs up to `pairsMax` pairs. The warm-up is long because V8 still compiles after
 * 1.5 s of CPU, which doubles the CPU of a receipt. Turns are short and many, because other
 * programs on the same processor disturb for fractions of a second.
 */
export const FULL: Omit<GatePlan, 'seconds'> = {
  pairsMin: 6,
  pairsMax: 24,
  warmUpMs: 3_000,
  turnMs: 15,
  turns: 80,
};
const SMOKE = { pairsMin: 2, pairsMax: 2, warmUpMs: 5, turnMs: 5, turns: 2 } as const;

/** The gate's verdict on a shape. */
export interface ShapeVerdict extends Estimate {
  readonly shape: ShapeName;
  readonly decision: Decision;
  /** Medians over the pairs of starts. */
  readonly baseCpuMs: number;
  readonly headCpuMs: number;
  /** CPU of this engine over that of the base, one figure for each pair of starts. */
  readonly ratios: readonly number[];
}

/** What `--json` writes: docs/bench-gate.schema.json. */
export interface GateReport {
  readonly schema: 'intaglio-bench-gate-1';
  readonly base: string;
  readonly commit: string;
  /** The working tree differed from the commit. */
  readonly modified: boolean;
  readonly failOver: number;
  readonly confidence: 0.95;
  readonly decision: Decision;
  readonly shapes: readonly ShapeVerdict[];
  readonly machine: Machine;
  readonly seconds: number;
}

/**
 * `./intaglio bench --against …` and `--save`. Returns the exit code: 0; 1 when the engine is
 * significantly slower; 2 for a wrong call, or where it cannot compare.
 */
export async function benchGate(argv: readonly string[]): Promise<number> {
  const options = parseGateOptions(argv);
  if (typeof options === 'string') {
    process.stderr.write(refusal(options));
    return 2;
  }
  const fault = targetFault({ json: options.json, save: options.save });
  if (fault !== null) {
    process.stderr.write(`${fault}\n`);
    return 2;
  }
  cleanUpAtExit();
  const machine = describeMachine();
  const busy = busyWarning(machine.loadBefore);
  if (busy !== null) process.stderr.write(`${busy}\n`);
  try {
    if (options.save !== null) return await save(options.save, options, machine);
    return await compare(options.against ?? '', options, machine);
  } catch (error) {
    if (!(error instanceof GateFault)) throw error;
    process.stderr.write(`intaglio bench: ${error.message}\n`);
    return 2;
  } finally {
    endSteps();
  }
}

async function compare(against: string, options: GateOptions, machine: Machine): Promise<number> {
  const revision = revisionOf(against);
  const fault = revisionFault('--against', revision);
  if (fault !== null) throw new GateFault(fault);
  const { failOver, json, shapes } = options;
  const startMs = performance.now();
  const checkout = checkOut(revision);
  let pairs: readonly ShapePairs[];
  try {
    const roots = { base: checkout.root, head: HOME };
    pairs = await measurePairs(roots, shapes, failOver, planOf(options));
  } finally {
    checkout.remove();
  }
  const verdicts = pairs.map((one) => verdictOf(one, failOver));
  const decisions = verdicts.map(({ decision }) => decision);
  const report: GateReport = {
    schema: 'intaglio-bench-gate-1',
    base: checkout.commit,
    commit: machine.commit,
    modified: machine.modified,
    failOver,
    confidence: 0.95,
    decision: worst(decisions),
    shapes: verdicts,
    machine,
    seconds: (performance.now() - startMs) / 1000,
  };
  endSteps();
  process.stdout.write(`${formatGate(report)}\n`);
  if (json !== null) writeText(json, `${JSON.stringify(report, null, 2)}\n`);
  return report.decision === 'fails' ? 1 : 0;
}

function worst(decisions: readonly Decision[]): Decision {
  if (decisions.includes('fails')) return 'fails';
  return decisions.includes('undecided') ? 'undecided' : 'passes';
}

function verdictOf(
  { shape, ratios, baseCpuMs, headCpuMs }: ShapePairs,
  failOver: number,
): ShapeVerdict {
  const estimate = estimateOf(ratios);
  return {
    shape,
    ...estimate,
    // A few starts may agree by chance.
    decision: ratios.length < FULL.pairsMin ? 'undecided' : decide(estimate, failOver),
    baseCpuMs: median(baseCpuMs),
    headCpuMs: median(headCpuMs),
    ratios,
  };
}

function planOf({ smoke, seconds }: GateOptions): GatePlan {
  return { ...(smoke ? SMOKE : FULL), seconds };
}

/** Measures this checkout alone: its file names the commit, and figures for people to read. */
async function save(path: string, options: GateOptions, machine: Machine): Promise<number> {
  if (machine.commit === 'unknown')
    throw new GateFault('--save needs git: there is no commit to name');
  if (machine.modified) process.stderr.write('the sources differ from the commit that is named\n');
  const plan = { ...planOf(options), pairsMin: 2, pairsMax: 2 };
  const pairs = await measurePairs({ base: HOME, head: HOME }, options.shapes, 1, plan);
  const cpuMs = Object.fromEntries(
    pairs.map(({ shape, baseCpuMs, headCpuMs }) => [shape, median([...baseCpuMs, ...headCpuMs])]),
  );
  const { commit, at, cpu, node } = machine;
  writeText(path, `${JSON.stringify({ commit, at, cpu, node, cpuMs }, null, 2)}\n`);
  return 0;
}

/** A sentence for each shape, and a table. */
export function formatGate({ base, shapes, failOver, seconds, decision }: GateReport): string {
  const table = formatTable({
    title: `This checkout against ${base}, limit ${percent(failOver)} %, ${seconds.toFixed(0)} s`,
    head: ['shape', 'CPU ms before', 'now', 'pairs of starts'],
    rows: shapes.map(({ shape, baseCpuMs, headCpuMs, ratios }) => [
      shape,
      figure(baseCpuMs),
      figure(headCpuMs),
      String(ratios.length),
    ]),
  });
  const sentences = shapes.map((one) => sentenceOf(one));
  const isShort = shapes.some(({ ratios }) => ratios.length < FULL.pairsMin);
  const cause = isShort
    ? `fewer than ${FULL.pairsMin} pairs of starts fit into the time; allow more --seconds`
    : 'the machine is too noisy';
  const note = decision === 'undecided' ? [`undecided: ${cause}; this does not fail`] : [];
  return [table, '', ...sentences, ...note].join('\n');
}

function sentenceOf({ shape, slower, low, high, decision }: ShapeVerdict): string {
  const isSlower = slower >= 0;
  const change = isSlower ? `${percent(slower)} % slower` : `${percent(-slower)} % faster`;
  // In the terms of the change, so that it lies within.
  const [from, to] = isSlower ? [low, high] : [-high, -low];
  const interval = Number.isFinite(high)
    ? `95 % interval ${percent(from)} to ${percent(to)}`
    : 'by one pair of starts, without an interval';
  return `${shape} is ${change}, ${interval}: ${decision}`;
}

function percent(share: number): string {
  return (share * 100).toFixed(1).replace('-', '−');
}
