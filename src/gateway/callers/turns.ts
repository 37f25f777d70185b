import { StoreBusy } from '../../store/store.ts';

export interface TurnsLimits {
  /** Pieces of work under way, of all together. */
  readonly underWayMax: number;
  /** Pieces of work under way of one of them. */
  readonly underWayEachMax: number;
  /** Pieces of work that wait, of one of them; more are refused. */
  readonly waitingEachMax: number;
  /** Pieces of work that wait, of all together; more are refused. */
  readonly waitingMax: number;
}

/** A pause of a party between two pieces of its work; null: none. */
export type Rest = (party: string) => Promise<unknown> | null;

/** The work of one party: what is under way, and what waits in order. */
interface Party {
  underWay: number;
  readonly waiting: (() => void)[];
  /** Index of the first that still waits: a shift would cost the length of the list. */
  head: number;
}

/**
 * Lets parties (callers, or addresses) work at a shared resource in turns: however much one of them
 * asks for, the next piece of work of another one is at most a turn away.
 */
export class Turns {
  readonly #limits: TurnsLimits;
  readonly #parties = new Map<string, Party>();
  /** Parties that have work waiting and may begin some, in the order of their turns. */
  readonly #ready = new Set<string>();
  readonly #rest: Rest;
  readonly #full: string | undefined;
  #underWay = 0;
  #waiting = 0;

  /**
   * `rest` is asked when a piece has ended and the next one of its party waits already; `full` is
   * what a caller is told whose work is refused.
   */
  constructor(limits: TurnsLimits, rest: Rest = () => null, full?: string) {
    this.#limits = limits;
    this.#rest = rest;
    this.#full = full;
  }

  /** Runs the work when it is the party's turn. Throws StoreBusy when too much waits already. */
  async run<T>(party: string, work: () => Promise<T>): Promise<T> {
    const own = this.#partyOf(party);
    if (this.#mayBegin(own) && own.waiting.length === own.head) this.#begin(own);
    else await this.#wait(party, own);
    try {
      return await work();
    } finally {
      this.#underWay -= 1;
      const rest = own.waiting.length > own.head ? this.#rest(party) : null;
      if (rest === null) this.#end(party, own);
      else void this.#endAfter(rest, party, own);
      this.#next();
    }
  }

  /** A party that rests counts as one with work under way; others begin meanwhile. */
  async #endAfter(rest: Promise<unknown>, party: string, own: Party): Promise<void> {
    await rest;
    this.#end(party, own);
    this.#next();
  }

  #end(party: string, own: Party): void {
    own.underWay -= 1;
    if (own.waiting.length > own.head) this.#ready.add(party);
    else if (own.underWay === 0) this.#parties.delete(party);
  }

  #partyOf(party: string): Party {
    let own = this.#parties.get(party);
    if (own === undefined) {
      own = { underWay: 0, waiting: [], head: 0 };
      this.#parties.set(party, own);
    }
    return own;
  }

  #mayBegin(own: Party): boolean {
    const { underWayMax, underWayEachMax } = this.#limits;
    return this.#underWay < underWayMax && own.underWay < underWayEachMax;
  }

  #begin(own: Party): void {
    own.underWay += 1;
    this.#underWay += 1;
  }

  #wait(party: string, own: Party): Promise<void> {
    const { waitingEachMax, waitingMax } = this.#limits;
    const isFull = own.waiting.length - own.head >= waitingEachMax || this.#waiting >= waitingMax;
    if (isFull) throw new StoreBusy('too much of this caller waits for the database', this.#full);
    this.#waiting += 1;
    if (own.underWay < this.#limits.underWayEachMax) this.#ready.add(party);
    return new Promise((resolve) => {
      own.waiting.push(resolve);
    });
  }

  /** Begins what may begin, one piece of each party after the other. */
  #next(): void {
    for (const party of this.#ready) {
      if (this.#underWay >= this.#limits.underWayMax) return;
      this.#ready.delete(party);
      const own = this.#parties.get(party);
      if (own === undefined || !this.#mayBegin(own)) continue;
      const resolve = takeFirst(own);
      if (resolve === null) continue;
      this.#waiting -= 1;
      this.#begin(own);
      // Behind all others that are ready.
      if (own.waiting.length > own.head) this.#ready.add(party);
      resolve();
    }
  }
}

function takeFirst(own: Party): (() => void) | null {
  const first = own.waiting[own.head] ?? null;
  own.head += 1;
  if (own.head >= own.waiting.length) {
    own.waiting.length = 0;
    own.head = 0;
  } else if (own.head === 1_024) {
    own.waiting.splice(0, own.head);
    own.head = 0;
  }
  return first;
}
