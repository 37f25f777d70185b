/** A seeded source of numbers: the same seed gives the same document on every machine. */
export interface Random {
  /** An integer in [0, limit). */
  below(limit: number): number;
  /** One element. The list must not be empty. */
  pick<T>(list: readonly T[]): T;
  /** Decimal digits, the first one not 0. */
  digits(count: number): string;
  /** Capital letters and digits without look-alikes, as bank references use. */
  reference(count: number): string;
}

const REFERENCE_CHARACTERS = 'ABCDEFGHJKLMNPQRSTUVWXYZ23456789';

/** Mulberry32, a generator with 32 bits of state: good enough for test data, and fast. */
export function seededRandom(seed: number): Random {
  let state = Math.imul(seed + 1, 0x9e3779b1) >>> 0;

  function next(): number {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return (mixed ^ (mixed >>> 14)) >>> 0;
  }

  function below(limit: number): number {
    return Math.floor((next() / 2 ** 32) * limit);
  }

  return {
    below,
    pick<T>(list: readonly T[]): T {
      const chosen = list[below(list.length)];
      if (chosen === undefined) throw new Error('pick needs a list that is not empty');
      return chosen;
    },
    digits(count: number): string {
      let text = String(1 + below(9));
      while (text.length < count) text += String(below(10));
      return text;
    },
    reference(count: number): string {
      let text = '';
      while (text.length < count) text += REFERENCE_CHARACTERS[below(REFERENCE_CHARACTERS.length)];
      return text;
    },
  };
}
