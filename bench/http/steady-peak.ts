/** A round between two measurements of the peak, in documents a second. */
export interface FramedRound<Figures> {
  readonly figures: Figures;
  readonly peakBefore: number;
  readonly peakAfter: number;
}

/** The round that counts, and what it took to get it. */
export interface SteadyRound<Figures> extends FramedRound<Figures> {
  /** The peak that was measured last. */
  readonly lastPeak: number;
  readonly tries: number;
  /** Whether the peak held while the round ran. */
  readonly isSteady: boolean;
}

/** The most that the peak may move while a round runs, as a share of the higher one. */
export const PEAK_DRIFT_MAX = 0.1;

/**
 * Runs a round whose load is a share of the peak. If the peak moved too far during the round, the
 * machine's speed has changed and the load was not the intended share, so the round is repeated. The
 * steadiest round counts, whatever its figures.
 */
export async function runAtSteadyPeak<Figures>(
  peak: number,
  triesMax: number,
  runFramed: (peakBefore: number) => Promise<FramedRound<Figures>>,
): Promise<SteadyRound<Figures>> {
  let steadiest = await runFramed(peak);
  let last = steadiest;
  let tries = 1;
  while (driftOf(last) > PEAK_DRIFT_MAX && tries < triesMax) {
    last = await runFramed(last.peakAfter);
    tries += 1;
    if (driftOf(last) < driftOf(steadiest)) steadiest = last;
  }
  const isSteady = driftOf(steadiest) <= PEAK_DRIFT_MAX;
  return { ...steadiest, lastPeak: last.peakAfter, tries, isSteady };
}

function driftOf({ peakBefore, peakAfter }: FramedRound<unknown>): number {
  return 1 - Math.min(peakBefore, peakAfter) / Math.max(peakBefore, peakAfter);
}
