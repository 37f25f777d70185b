/** An item of a caller; `kind` may change only while the item is not in the queue. */
interface Item<Kind extends string> {
  readonly key: string;
  readonly kind: Kind;
}

/**
 * Jobs that wait, in a lane for each caller. A lane keeps its kinds apart, so that a job which may
 * not run yet does not stand in the way of another.
 *
 *   A: usual a1 a3, slow a2        peek(['usual'], charge) with A charged 9 ms, B 4 ms → b1
 *   B: usual b1                    peek(['slow'], charge) → a2
 *
 * Lanes of equal rank take turns: the order of the map is the turn order.
 */
export class FairQueue<Kind extends string, T extends Item<Kind>> {
  readonly #lanes = new Map<string, Map<Kind, T[]>>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** The callers that have something waiting. */
  keys(): Iterable<string> {
    return this.#lanes.keys();
  }

  has(key: string): boolean {
    return this.#lanes.has(key);
  }

  push(item: T): void {
    this.#itemsFor(item).push(item);
    this.#size += 1;
  }

  /** Puts an item back that was taken: before those of its kind and caller. */
  putBack(item: T): void {
    this.#itemsFor(item).unshift(item);
    this.#size += 1;
  }

  /** Each caller's oldest item of the first of `kinds` that it has: the one ranked least. */
  peek(kinds: readonly Kind[], rank: (item: T) => number): T | undefined {
    let next: T | undefined;
    let least = Number.POSITIVE_INFINITY;
    for (const lane of this.#lanes.values()) {
      const item = firstOf(lane, kinds);
      if (item === undefined) continue;
      const own = rank(item);
      if (next !== undefined && own >= least) continue;
      next = item;
      least = own;
    }
    return next;
  }

  /** Takes an item out; its caller's lane is last among those of equal rank. */
  take(item: T): void {
    const lane = this.#lanes.get(item.key);
    if (lane === undefined || !this.remove(item)) throw new Error('only what waits is taken');
    if (this.#lanes.delete(item.key)) this.#lanes.set(item.key, lane);
  }

  /** False when it is not waiting any more. */
  remove(item: T): boolean {
    const lane = this.#lanes.get(item.key);
    const items = lane?.get(item.kind);
    const index = items?.indexOf(item) ?? -1;
    if (lane === undefined || items === undefined || index === -1) return false;
    items.splice(index, 1);
    if (items.length === 0) lane.delete(item.kind);
    if (lane.size === 0) this.#lanes.delete(item.key);
    this.#size -= 1;
    return true;
  }

  /**
   * Makes room for `key` in a full queue: the longest lane's youngest item of the first of `kinds`
   * gives way, if that lane stays at least as long as the one of `key` will be.
   */
  displace(key: string, kinds: readonly Kind[]): T | undefined {
    const own = lengthOf(this.#lanes.get(key), kinds);
    let longest: Map<Kind, T[]> | undefined;
    let length = own + 1;
    for (const lane of this.#lanes.values()) {
      const other = lengthOf(lane, kinds);
      if (other > length) [longest, length] = [lane, other];
    }
    for (const kind of kinds) {
      const item = longest?.get(kind)?.at(-1);
      if (item === undefined) continue;
      this.remove(item);
      return item;
    }
    return undefined;
  }

  #itemsFor({ key, kind }: T): T[] {
    let lane = this.#lanes.get(key);
    if (lane === undefined) this.#lanes.set(key, (lane = new Map<Kind, T[]>()));
    let items = lane.get(kind);
    if (items === undefined) lane.set(kind, (items = []));
    return items;
  }
}

function firstOf<Kind, T>(lane: ReadonlyMap<Kind, T[]>, kinds: readonly Kind[]): T | undefined {
  for (const kind of kinds) {
    const items = lane.get(kind);
    if (items !== undefined) return items[0];
  }
  return undefined;
}

function lengthOf<Kind, T>(
  lane: ReadonlyMap<Kind, T[]> | undefined,
  kinds: readonly Kind[],
): number {
  let length = 0;
  for (const kind of kinds) length += lane?.get(kind)?.length ?? 0;
  return length;
}
