/**
 * Items that wait, in a lane for each key.
 *
 *   A: a1 a2 a3      peek(all, charge) with A charged 9 ms and B 4 ms → b1
 *   B: b1            peek(all but b1, charge) → a1
 *
 * Lanes of equal rank take turns, in the order of the map.
 */
export class FairQueue<T extends { readonly key: string }> {
  readonly #lanes = new Map<string, T[]>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** The keys that have something waiting. */
  keys(): Iterable<string> {
    return this.#lanes.keys();
  }

  has(key: string): boolean {
    return this.#lanes.has(key);
  }

  push(item: T): void {
    this.#laneOf(item.key).push(item);
    this.#size += 1;
  }

  /** Puts back an item that was taken, as the first of its lane. */
  putBack(item: T): void {
    this.#laneOf(item.key).unshift(item);
    this.#size += 1;
  }

  /** Returns the item of the lowest rank among the oldest item of each lane that may go. */
  peek(mayGo: (item: T) => boolean, rank: (item: T) => number): T | undefined {
    let next: T | undefined;
    let least = Number.POSITIVE_INFINITY;
    for (const lane of this.#lanes.values()) {
      const item = lane.find(mayGo);
      const own = item === undefined ? least : rank(item);
      if (own >= least) continue;
      next = item;
      least = own;
    }
    return next;
  }

  /** Removes an item; its lane is then the last among those of equal rank. */
  take(item: T): void {
    const lane = this.#lanes.get(item.key);
    if (lane === undefined || !this.remove(item)) throw new Error('the item does not wait');
    if (this.#lanes.delete(item.key)) this.#lanes.set(item.key, lane);
  }

  /** Returns false when the item no longer waits. */
  remove(item: T): boolean {
    const lane = this.#lanes.get(item.key);
    const index = lane?.indexOf(item) ?? -1;
    if (lane === undefined || index === -1) return false;
    if (index === 0) lane.shift();
    else lane.splice(index, 1);
    if (lane.length === 0) this.#lanes.delete(item.key);
    this.#size -= 1;
    return true;
  }

  /**
   * Makes room for `key` in a full queue: removes the youngest item that may go from the longest
   * lane, if that lane stays at least as long as the one of `key` will be. Counts such items only.
   */
  displace(key: string, mayGo: (item: T) => boolean): T | undefined {
    const count = (lane: readonly T[]): number =>
      lane.reduce((sum, item) => sum + Number(mayGo(item)), 0);
    let longest: readonly T[] = [];
    let length = count(this.#lanes.get(key) ?? []) + 1;
    for (const lane of this.#lanes.values()) {
      if (lane.length > length && count(lane) > length) [longest, length] = [lane, count(lane)];
    }
    const item = longest.findLast(mayGo);
    if (item !== undefined) this.remove(item);
    return item;
  }

  #laneOf(key: string): T[] {
    let lane = this.#lanes.get(key);
    if (lane === undefined) this.#lanes.set(key, (lane = []));
    return lane;
  }
}
