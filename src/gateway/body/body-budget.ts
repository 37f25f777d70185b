import { SpareBlocks } from './long-body.ts';

/**
 * The memory of request bodies, from their first byte until the response is over. A caller may hold
 * as much as then remains free: one caller gets at most half of the budget, two a third each, so
 * something is always left for the next (the dynamic thresholds by which switches share their
 * buffers).
 */
export class BodyBudget {
  /** Memory for long bodies, which has been used before. */
  readonly spare = new SpareBlocks();
  readonly #bytesMax: number;
  readonly #heldBy = new Map<string, number>();
  #bytes = 0;

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  /** Bytes that all bodies hold. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Takes bytes for a caller; false when it would then hold more than its share. */
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
