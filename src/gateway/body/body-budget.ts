/**
 * Memory of request bodies, from their first byte until their response is over. A caller may hold
 * as much as would remain free: one caller gets half of the budget at most, two a third each, and
 * something is always left for the next (dynamic thresholds, as switches share their buffers).
 */
export class BodyBudget {
  readonly #bytesMax: number;
  readonly #heldBy = new Map<string, number>();
  #bytes = 0;

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  /** Bytes that bodies hold now. */
  get bytes(): number {
    return this.#bytes;
  }

  /** False, and nothing is taken: the caller would hold more than its share. */
  take(caller: string, bytes: number): boolean {
    const held = (this.#heldBy.get(caller) ?? 0) + bytes;
    if (held > this.#bytesMax - this.#bytes - bytes) return false;
    this.#heldBy.set(caller, held);
    this.#bytes += bytes;
    return true;
  }

  give(caller: string, bytes: number): void {
    const held = (this.#heldBy.get(caller) ?? 0) - bytes;
    if (held > 0) this.#heldBy.set(caller, held);
    else this.#heldBy.delete(caller);
    this.#bytes -= bytes;
  }
}
