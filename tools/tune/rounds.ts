import { quantile } from '../../lab/stats.ts';
import type { Slice } from './load.ts';

/** A service that is measured beside others. */
export interface Measurable {
  readonly threads: number;
  /** Loads the service for this long. */
  readonly run: (durationMs: number) => Promise<Slice>;
}

export interface Schedule {
  /** The longest warm-up, in total over the services. */
  readonly warmUpMs: number;
  /** Duration of the rounds, in total over the services. */
  readonly roundsMs: number;
  readonly rounds: number;
}

/** Tells what happens; `step` what begins now, of which a terminal shows the last. */
export interface Telling {
  readonly say: (line: string) => void;
  readonly step: (text: string) => void;
  /** Called after each round with all of them so far. */
  readonly keep: (slices: Measurements['slices']) => void;
}

/** Rates of services that were measured in turns. */
export interface Measurements {
  /** By service and round. */
  readonly slices: readonly (readonly Slice[])[];
  /** False: a service still became faster when the time for warming up had passed. */
  readonly isWarm: boolean;
}

/** Figures of a service over its rounds: medians, and the slowest and fastest round. */
export interface Summary extends Slice {
  readonly least: number;
  readonly most: number;
}

/** Each warm-up round takes this part of the time for warming up. */
const WARM_UP_ROUNDS_MAX = 6;
/** A service is warm when a round is no more than this share faster than the one before. */
const WARM_SHARE = 0.05;

/**
 * Warms up the services in turn until none becomes faster, then measures them in rounds, each in
 * another order. Services with more threads warm up for longer, because each thread compiles the
 * templates. No round of the warm-up counts.
 */
export async function measureInTurn(
  services: readonly Measurable[],
  schedule: Schedule,
  telling: Telling,
): Promise<Measurements> {
  const isWarm = await warmUp(services, schedule.warmUpMs, telling);
  const sliceMs = schedule.roundsMs / (services.length * schedule.rounds);
  const slices: Slice[][] = services.map(() => []);
  telling.step(`measure in ${schedule.rounds} rounds`);
  for (let round = 0; round < schedule.rounds; round += 1) {
    for (let turn = 0; turn < services.length; turn += 1) {
      const at = (turn + round) % services.length;
      const slice = await services[at]?.run(sliceMs);
      if (slice !== undefined) slices[at]?.push(slice);
    }
    telling.keep(slices);
    const rates = slices.map((own) => own.at(-1)?.documentsPerSecond.toFixed(0) ?? '');
    telling.say(`round ${round + 1} of ${schedule.rounds}: ${rates.join(', ')} documents/s`);
  }
  return { slices, isWarm };
}

async function warmUp(
  services: readonly Measurable[],
  warmUpMs: number,
  { step }: Telling,
): Promise<boolean> {
  const threads = services.reduce((sum, service) => sum + service.threads, 0);
  const roundMs = warmUpMs / WARM_UP_ROUNDS_MAX;
  let before: readonly number[] = services.map(() => 0);
  for (let round = 0; round < WARM_UP_ROUNDS_MAX; round += 1) {
    const rates: number[] = [];
    step(
      `warm up ${services.length} services, round ${round + 1} of at most ${WARM_UP_ROUNDS_MAX}`,
    );
    for (const service of services) {
      const { documentsPerSecond } = await service.run((roundMs * service.threads) / threads);
      rates.push(documentsPerSecond);
    }
    const previous = before;
    if (rates.every((rate, index) => rate <= (previous[index] ?? 0) * (1 + WARM_SHARE)))
      return true;
    before = rates;
  }
  return false;
}

const rate = ({ documentsPerSecond }: Slice): number => documentsPerSecond;

/** Summarises the rounds of one service. */
export function summarise(slices: readonly Slice[]): Summary {
  const at = (share: number, pick: (slice: Slice) => number): number =>
    quantile(Float64Array.from(slices.map(pick)).toSorted(), share);
  return {
    documentsPerSecond: at(0.5, rate),
    least: at(0, rate),
    most: at(1, rate),
    p50Ms: at(0.5, ({ p50Ms }) => p50Ms),
    p99Ms: at(0.5, ({ p99Ms }) => p99Ms),
  };
}
