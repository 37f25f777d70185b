import type { ReadPath } from '../../../expressions/index.ts';

/** A computed value, by its path in the contract, and the paths that it reads there. */
interface Computed {
  readonly path: readonly string[];
  readonly reads: readonly ReadPath[];
}

/** Whether a read needs a value: it reads the value, a part of it, or what is around it. */
function needs(read: ReadPath, path: readonly string[]): boolean {
  const length = Math.min(read.length, path.length);
  return path.slice(0, length).every((step, index) => step === read[index]);
}

/** Indexes of the computed values that the reads need. */
export function neededBy(
  reads: readonly ReadPath[],
  values: readonly Pick<Computed, 'path'>[],
): readonly number[] {
  return values.flatMap(({ path }, index) =>
    reads.some((read) => needs(read, path)) ? [index] : [],
  );
}

/**
 * The order in which each value comes after those it reads, as indexes; or a cycle, as the indexes of
 * values of which each reads the next one and the last one the first.
 */
export function orderOf(
  values: readonly Computed[],
): { readonly order: readonly number[] } | { readonly cycle: readonly number[] } {
  const order: number[] = [];
  const isDone = new Set<number>();
  const around: number[] = [];
  const visit = (index: number): readonly number[] | null => {
    if (isDone.has(index)) return null;
    const start = around.indexOf(index);
    if (start >= 0) return around.slice(start);
    around.push(index);
    for (const needed of neededBy(values[index]?.reads ?? [], values)) {
      const cycle = visit(needed);
      if (cycle !== null) return cycle;
    }
    around.pop();
    isDone.add(index);
    order.push(index);
    return null;
  };
  for (const index of values.keys()) {
    const cycle = visit(index);
    if (cycle !== null) return { cycle };
  }
  return { order };
}
