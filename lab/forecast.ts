/** Uncertainty of a forecast beyond the measured spread: each start compiles the code anew. */
const START_ERROR = 0.06;
/** And for each doubling of the cores beyond those that were measured: memory is shared. */
const DOUBLING_ERROR = 0.04;

/** The parts of the relative error of a rate on `cores`, forecast from one on `measured` cores. */
export function forecastErrors(cores: number, measured: number): readonly [number, number] {
  return [START_ERROR, DOUBLING_ERROR * Math.max(0, Math.log2(cores / measured))];
}
