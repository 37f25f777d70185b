import type { Random } from '../../../lab/fuzz-random.ts';

/** One parser under fuzzing. */
export interface Target {
  /** Initial inputs, in addition to the corpus. */
  readonly seeds: () => Promise<readonly (string | Uint8Array)[]>;
  readonly dictionary: readonly string[];
  /**
   * Takes any input, and may throw only on a bug. It returns a name of the behaviour: an input with
   * a new behaviour is mutated further.
   */
  readonly run: (input: Buffer) => string | Promise<string>;
  /** Mutates known inputs in a way that suits the target, for some of the mutations. */
  readonly mutate?: (known: Buffer, random: Random) => Buffer | null;
  /** Repairs what mutations always break, such as checksums, for some of the inputs. */
  readonly mend?: (input: Buffer) => void;
}
