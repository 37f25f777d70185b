/**
 * A queue that is fair between keys: each key has its own lane, lanes take turns.
 *
 *   lanes  A: a1 a2 a3      take() → a1, b1, a2, a3
 *          B: b1
 *
 * The map's insertion order is the turn order: a lane that was served goes to the end.
 */
export class FairQueue<T> {
  readonly #lanes = new Map<string, T[]>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  push(key: string, item: T): void {
    const lane = this.#lanes.get(key);
    if (lane === undefined) this.#lanes.set(key, [item]);
    else lane.push(item);
    this.#size += 1;
  }

  /** Puts an item back that was taken out of turn: it is next. */
  putBack(key: string, item: T): void {
    const lane = this.#lanes.get(key) ?? [];
    lane.unshift(item);
    const others = [...this.#lanes].filter(([other]) => other !== key);
    this.#lanes.clear();
    this.#lanes.set(key, lane);
    for (const [other, items] of others) this.#lanes.set(other, items);
    this.#size += 1;
  }

  /** The item that `take` would give. */
  peek(): T | undefined {
    for (const lane of this.#lanes.values()) return lane[0];
    return undefined;
  }

  /** The next item in turn. */
  take(): T | undefined {
    const first = this.#lanes.entries().next();
    if (first.done === true) return undefined;
    const [key, lane] = first.value;
    const item = lane.shift();
    this.#lanes.delete(key);
    if (lane.length > 0) this.#lanes.set(key, lane);
    this.#size -= 1;
    return item;
  }

  /** Takes one item out of turn; false when it is not waiting any more. */
  remove(key: string, item: T): boolean {
    const lane = this.#lanes.get(key);
    const index = lane === undefined ? -1 : lane.indexOf(item);
    if (lane === undefined || index === -1) return false;
    lane.splice(index, 1);
    if (lane.length === 0) this.#lanes.delete(key);
    this.#size -= 1;
    return true;
  }

  /**
   * Makes room for `key` in a full queue: the youngest item of the longest lane gives way, if that
   * lane stays at least as long as the one of `key` will be. Otherwise undefined.
   */
  displace(key: string): T | undefined {
    let longestKey = key;
    let longest = this.#lanes.get(key);
    const own = longest?.length ?? 0;
    for (const [laneKey, lane] of this.#lanes) {
      if (longest === undefined || lane.length > longest.length) {
        longestKey = laneKey;
        longest = lane;
      }
    }
    if (longest === undefined || longestKey === key || longest.length < own + 2) return undefined;
    this.#size -= 1;
    return longest.pop();
  }
}
