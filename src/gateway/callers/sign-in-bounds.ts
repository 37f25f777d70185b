import { LRUCache } from 'lru-cache';

import { WINDOW_MS, Windows } from './rate.ts';

/** Sign-ins begun or finished by one address in a minute. */
const PER_ADDRESS_MAX = 60;
/** The same for all addresses: a crowd with many addresses must not use up the provider either. */
const IN_ALL_MAX = 1_200;
const EVERYBODY = '';
/** Questions to the provider at the same time; each holds a connection for up to 10 s. */
const QUESTIONS_MAX = 16;
/** States of sign-ins that came back from the provider and are not accepted again. */
const USED_STATES_MAX = 50_000;

/** Limits what callers who are not signed in can make this service and its provider do. */
export class SignInBounds {
  readonly #windows = new Windows();
  readonly #used: LRUCache<string, true>;
  #questions = 0;

  /** A state is forgotten after `stateMs`, when its cookie has expired. */
  constructor(stateMs: number) {
    this.#used = new LRUCache({ max: USED_STATES_MAX, ttl: stateMs });
  }

  /** Counts a call; false: there were too many from this address, or in all. `nowMs` is monotonic. */
  admits(address: string, nowMs: number): boolean {
    if (this.#count(`at ${address}`, nowMs) > PER_ADDRESS_MAX) return false;
    return this.#count(EVERYBODY, nowMs) <= IN_ALL_MAX;
  }

  /** Uses a state, each only once; false: it was used before. */
  use(state: string): boolean {
    if (this.#used.has(state)) return false;
    this.#used.set(state, true);
    return true;
  }

  /** Asks the provider; null, without asking: too many questions are open. */
  async ask<T>(question: () => Promise<T>): Promise<T | null> {
    if (this.#questions >= QUESTIONS_MAX) return null;
    this.#questions += 1;
    try {
      return await question();
    } finally {
      this.#questions -= 1;
    }
  }

  #count(caller: string, nowMs: number): number {
    const window =
      this.#windows.of(caller, nowMs) ?? this.#windows.open(caller, nowMs, nowMs + WINDOW_MS);
    window.count += 1;
    return window.count;
  }
}
