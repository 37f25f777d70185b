import type { Sharer } from './types.ts';

/**
 * Items that wait, in a lane for each key. Keys belong to teams.
 *
 *   A: a1 a2 a3      peek(all, charge) with A charged 9 ms and B 4 ms → b1
 *   B: b1            peek(all but b1, charge) → a1
 *
 * Lanes of equal rank take turns, in the order of the map. The last lane and the last team stay in
 * their maps when they have become empty: most services have one caller at a time, and V8 copies a
 * small map after every few deletions.
 */
export class FairQueue<T extends Sharer> {
  readonly #lanes = new Map<string, T[]>();
  /** Number of items of each team that has any. */
  readonly #teams = new Map<string, number>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** The keys that have something waiting. */
  keys(): Iterable<string> {
    return this.#size === 0 ? [] : this.#lanes.keys();
  }

  has(key: string): boolean {
    return this.#size > 0 && this.#lanes.has(key);
  }

  /** The teams that have something waiting. */
  teams(): Iterable<string> {
    return this.#size === 0 ? [] : this.#teams.keys();
  }

  hasTeam(team: string): boolean {
    return this.#size > 0 && this.#teams.has(team);
  }

  push(item: T): void {
    this.#laneOf(item).push(item);
    this.#count(item, 1);
  }

  /** Puts back an item that was taken, as the first of its lane. */
  putBack(item: T): void {
    this.#laneOf(item).unshift(item);
    this.#count(item, 1);
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
    if (this.#lanes.size > 1 && this.#lanes.delete(item.key)) this.#lanes.set(item.key, lane);
  }

  /** Returns false when the item no longer waits. */
  remove(item: T): boolean {
    const lane = this.#lanes.get(item.key);
    const index = lane?.indexOf(item) ?? -1;
    if (lane === undefined || index === -1) return false;
    if (index === 0) lane.shift();
    else lane.splice(index, 1);
    if (lane.length === 0 && this.#size > 1) this.#lanes.delete(item.key);
    this.#count(item, -1);
    return true;
  }

  /**
   * Makes room for an item in a full queue: removes the youngest item that may go from the longest
   * lane of the team with the most, if that team keeps at least as many as the item's will have; or
   * else from the longest lane of its own team, likewise. Counts such items only.
   */
  displace({ key, team }: Sharer, mayGo: (item: T) => boolean): T | undefined {
    const rival = this.#longestTeam(team, mayGo);
    const own = this.#lanesOf(team);
    const longest =
      rival === null
        ? longestLane(own, countOf(this.#lanes.get(key) ?? [], mayGo) + 1, mayGo)
        : longestLane(this.#lanesOf(rival), 0, mayGo);
    const item = longest.findLast(mayGo);
    if (item !== undefined) this.remove(item);
    return item;
  }

  /** The team with the most items that may go, more than `team` would have; null: none has. */
  #longestTeam(team: string, mayGo: (item: T) => boolean): string | null {
    let longest: string | null = null;
    let length = this.#countOfTeam(team, mayGo) + 1;
    for (const [other, total] of this.#teams) {
      if (other === team || total <= length) continue;
      const count = this.#countOfTeam(other, mayGo);
      if (count > length) [longest, length] = [other, count];
    }
    return longest;
  }

  #countOfTeam(team: string, mayGo: (item: T) => boolean): number {
    return this.#lanesOf(team).reduce((sum, lane) => sum + countOf(lane, mayGo), 0);
  }

  #lanesOf(team: string): readonly (readonly T[])[] {
    return [...this.#lanes.values()].filter(([first]) => first?.team === team);
  }

  #count({ team }: T, by: 1 | -1): void {
    this.#size += by;
    const count = (this.#teams.get(team) ?? 0) + by;
    if (count === 0 && this.#size > 0) this.#teams.delete(team);
    else this.#teams.set(team, count);
  }

  /** The lane for an item that is about to be added. */
  #laneOf({ key, team }: T): T[] {
    if (this.#size === 0) {
      if (!this.#lanes.has(key)) this.#lanes.clear();
      if (!this.#teams.has(team)) this.#teams.clear();
    }
    let lane = this.#lanes.get(key);
    if (lane === undefined) this.#lanes.set(key, (lane = []));
    return lane;
  }
}

function countOf<T>(lane: readonly T[], mayGo: (item: T) => boolean): number {
  return lane.reduce((sum, item) => sum + Number(mayGo(item)), 0);
}

/** The lane with the most items that may go, more than `atLeast`; empty: there is none. */
function longestLane<T>(
  lanes: readonly (readonly T[])[],
  atLeast: number,
  mayGo: (item: T) => boolean,
): readonly T[] {
  let longest: readonly T[] = [];
  let length = atLeast;
  for (const lane of lanes) {
    if (lane.length <= length) continue;
    const count = countOf(lane, mayGo);
    if (count > length) [longest, length] = [lane, count];
  }
  return longest;
}
