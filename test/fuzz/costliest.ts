const BASE_KB = 4;

/** An input with what it cost. */
export interface CostlyInput {
  readonly input: Buffer;
  readonly ms: number;
  /**
   * CPU time per KB of input; `BASE_KB` are added, so that small inputs do not win by set-up cost.
   */
  readonly msPerKb: number;
}

export function costOf(input: Buffer, ms: number): CostlyInput {
  return { input, ms, msPerKb: ms / (BASE_KB + input.length / 1024) };
}

/** A bounded list of the inputs that cost the most for their length, costliest first. */
export class Costliest {
  readonly #sizeMax: number;
  #list: CostlyInput[] = [];

  constructor(sizeMax: number) {
    this.#sizeMax = sizeMax;
  }

  get list(): readonly CostlyInput[] {
    return this.#list;
  }

  /** Whether an input of this cost would be among them. */
  takes({ msPerKb }: CostlyInput): boolean {
    return this.#list.length < this.#sizeMax || msPerKb > (this.#list.at(-1)?.msPerKb ?? 0);
  }

  add(costly: CostlyInput): void {
    this.#list = [...this.#list, costly]
      .toSorted((one, other) => other.msPerKb - one.msPerKb)
      .slice(0, this.#sizeMax);
  }
}
