const BASE_KB = 4;

/** An input and the CPU time that it took. */
export interface CostlyInput {
  readonly input: Buffer;
  readonly ms: number;
  /**
   * CPU time per KB of input; `BASE_KB` are added to its size, so that the fixed cost of a run does
   * not favour small inputs.
   */
  readonly msPerKb: number;
}

export function costOf(input: Buffer, ms: number): CostlyInput {
  return { input, ms, msPerKb: ms / (BASE_KB + input.length / 1024) };
}

/** A bounded list of the inputs with the highest `msPerKb`, the costliest first. */
export class Costliest {
  readonly #sizeMax: number;
  #list: CostlyInput[] = [];

  constructor(sizeMax: number) {
    this.#sizeMax = sizeMax;
  }

  get list(): readonly CostlyInput[] {
    return this.#list;
  }

  /** Whether the list would keep an input of this cost. */
  takes({ msPerKb }: CostlyInput): boolean {
    return this.#list.length < this.#sizeMax || msPerKb > (this.#list.at(-1)?.msPerKb ?? 0);
  }

  add(costly: CostlyInput): void {
    this.#list = [...this.#list, costly]
      .toSorted((one, other) => other.msPerKb - one.msPerKb)
      .slice(0, this.#sizeMax);
  }
}
