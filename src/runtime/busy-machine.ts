/** One-minute load average above which other programs were running. */
const LOAD_MAX = 0.5;

/** Says that other programs distort what is measured here; null on a quiet machine. */
export function busyMachine(load: number): string | null {
  return load <= LOAD_MAX ? null : `the machine is busy (load average ${load.toFixed(1)})`;
}
