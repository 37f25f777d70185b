import { cpus } from 'node:os';

/**
 * Measuring and printing for the scripts of bench/micro/. suites/micro.ts reads the lines that
 * `printRange` prints; an indented name belongs to the heading above it.
 */
export function printMachine(more = ''): void {
  console.log(`${cpus()[0]?.model ?? 'cpu'}, Node ${process.version}${more}`);
}

/** Prints three figures in µs: the least, the middle one and the greatest, or three quartiles. */
export function printRange(name: string, figures: readonly [number, number, number]): void {
  const [low, middle, high] = figures.map((us) => us.toFixed(us < 100 ? 3 : 1));
  console.log(`${name.padEnd(52)} min ${low}  median ${middle}  max ${high} µs`);
}

/** The least, the middle one and the greatest of the figures. */
export function rangeOf(figures: readonly number[]): [number, number, number] {
  return figuresAt(figures, [0, 0.5, 1]);
}

/** The lower quartile, the middle one and the upper quartile of the figures. */
export function quartilesOf(figures: readonly number[]): [number, number, number] {
  return figuresAt(figures, [0.25, 0.5, 0.75]);
}

function figuresAt(
  figures: readonly number[],
  shares: readonly [number, number, number],
): [number, number, number] {
  const sorted = figures.toSorted((a, b) => a - b);
  const at = (share: number): number =>
    sorted[Math.round(share * (sorted.length - 1))] ?? Number.NaN;
  return [at(shares[0]), at(shares[1]), at(shares[2])];
}

/** CPU µs of one call, a figure a run; a run before the first one warms up. */
export async function cpuUsPerCall(
  call: (index: number) => unknown,
  calls: number,
  runs: number,
): Promise<readonly number[]> {
  const figures: number[] = [];
  for (let run = 0; run <= runs; run++) {
    const before = process.cpuUsage();
    for (let index = 0; index < calls; index++) {
      const result = call(index);
      // A plain `await` would add its own cost to calls that compute at once.
      if (result instanceof Promise) await result;
    }
    const { user, system } = process.cpuUsage(before);
    if (run > 0) figures.push((user + system) / calls);
  }
  return figures;
}
