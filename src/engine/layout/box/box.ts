import type { NodeBase } from '../../model/nodes.ts';

/**
 * A node with its bindings filled in and its content measured, not placed yet. All documents share
 * the box of a static node, so placing never writes to a box, except to cache pure results.
 */
export abstract class SizedBox {
  abstract readonly node: NodeBase;
  /** There is an amount in it, however deep. */
  abstract readonly hasAmounts: boolean;
  /** Title of the node's outline entry, bindings filled in; null: no entry. */
  outlineTitle: string | null = null;
  #minPt = -1;
  #maxPt = -1;

  /** There is a code in it that gets smaller with its place: however deep, but in no fixed column. */
  get hasCodes(): boolean {
    return false;
  }

  /** Minimum width without breaking words, margins included. Computed on first use. */
  get minPt(): number {
    if (this.#minPt < 0) this.#minPt = this.minContentPt() + this.#marginPt;
    return this.#minPt;
  }

  /** Width without line breaks, margins included. */
  get maxPt(): number {
    if (this.#maxPt < 0) this.#maxPt = this.maxContentPt() + this.#marginPt;
    return this.#maxPt;
  }

  /** An upper bound of `minPt`; if possible it is found without searching break opportunities. */
  get minBoundPt(): number {
    if (this.#minPt >= 0) return this.#minPt;
    const bound = this.minBoundContentPt();
    return bound === null ? this.minPt : bound + this.#marginPt;
  }

  /** Minimum width if its amounts and codes are printed in the least size, margins included. */
  get leastPt(): number {
    const content = this.leastContentPt();
    return content === null ? this.minPt : content + this.#marginPt;
  }

  /**
   * The width that its amounts in the least size, its pictures and its fixed columns need, margins
   * included: words in it are split.
   */
  get tightPt(): number {
    const content = this.tightContentPt();
    return content === null ? this.minPt : content + this.#marginPt;
  }

  protected minBoundContentPt(): number | null {
    return null;
  }

  /** Null: neither amounts nor codes make a difference. */
  protected leastContentPt(): number | null {
    return null;
  }

  /** Null: nothing in it can be split. */
  protected tightContentPt(): number | null {
    return null;
  }

  protected abstract minContentPt(): number;
  protected abstract maxContentPt(): number;

  get #marginPt(): number {
    return this.node.margin[0] + this.node.margin[2];
  }
}
