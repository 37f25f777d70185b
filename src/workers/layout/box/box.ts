import type { NodeBase } from '../../model/nodes.ts';

/**
 * A node with its bindings filled in and its content measured, still without a place. A box of a
 * static node serves every document, so placing never writes to a box (caches of pure results
 * aside).
 */
export abstract class SizedBox {
  abstract readonly node: NodeBase;
  /** Title of the node's outline entry, bindings filled in; null: no entry. */
  outlineTitle: string | null = null;
  #minPt = -1;
  #maxPt = -1;

  /** Least width without breaking words, margins included. Worked out when first asked for. */
  get minPt(): number {
    if (this.#minPt < 0) this.#minPt = this.minContentPt() + this.#marginPt;
    return this.#minPt;
  }

  /** Width with no line broken, margins included. */
  get maxPt(): number {
    if (this.#maxPt < 0) this.#maxPt = this.maxContentPt() + this.#marginPt;
    return this.#maxPt;
  }

  /** No less than `minPt`, found without looking for break opportunities where that is possible. */
  get minBoundPt(): number {
    if (this.#minPt >= 0) return this.#minPt;
    const bound = this.minBoundContentPt();
    return bound === null ? this.minPt : bound + this.#marginPt;
  }

  protected minBoundContentPt(): number | null {
    return null;
  }

  protected abstract minContentPt(): number;
  protected abstract maxContentPt(): number;

  get #marginPt(): number {
    return this.node.margin[0] + this.node.margin[2];
  }
}
