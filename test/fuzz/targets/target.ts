import type { Random } from '../random.ts';

/** One parser under fuzzing. */
export interface Target {
  /** First inputs; the kept corpus comes on top. */
  readonly seeds: () => Promise<readonly (string | Uint8Array)[]>;
  readonly dictionary: readonly string[];
  /**
   * Takes any input. May throw only on a bug. What it gives back tells behaviours apart: an input
   * that shows a new one is mutated further.
   */
  readonly run: (input: Buffer) => string | Promise<string>;
  /** Changes known inputs in its own way, now and then instead of byte by byte. */
  readonly mutate?: (known: Buffer, random: Random) => Buffer | null;
  /** Mends what mutation always breaks (checksums), for some of the inputs. */
  readonly mend?: (input: Buffer) => void;
}
