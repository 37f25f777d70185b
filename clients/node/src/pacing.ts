/** Bounds how many tries run at a time; those beyond wait in the order in which they came. */
export class Slots {
  readonly #waiting: (() => void)[] = [];
  #free: number;

  constructor(count: number) {
    this.#free = count;
  }

  /** Resolves to what gives the slot back, which may be called more than once. */
  async take(signal: AbortSignal | undefined): Promise<() => void> {
    if (this.#free > 0) this.#free -= 1;
    else await this.#queue(signal);
    let isTaken = true;
    return () => {
      if (!isTaken) return;
      isTaken = false;
      const next = this.#waiting.shift();
      if (next === undefined) this.#free += 1;
      else next();
    };
  }

  async #queue(signal: AbortSignal | undefined): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      const go = (): void => {
        signal?.removeEventListener('abort', leave);
        resolve();
      };
      const leave = (): void => {
        this.#waiting.splice(this.#waiting.indexOf(go), 1);
        reject(signal?.reason as Error);
      };
      this.#waiting.push(go);
      signal?.addEventListener('abort', leave, { once: true });
    });
  }
}

const BACK_OFF_MS = 250;
const BACK_OFF_MS_MAX = 30_000;

/**
 * The wait after the try of this number, from 0: doubled each time, with up to a half left out by
 * chance, so that callers that were refused together do not come back together.
 */
export function backOffMs(tries: number): number {
  const most = Math.min(BACK_OFF_MS_MAX, BACK_OFF_MS * 2 ** tries);
  return most * (0.5 + Math.random() / 2);
}

/** Retry-After in milliseconds: seconds are all the service sends (RFC 9110 §10.2.3). */
export function retryAfterMs(headers: Headers): number | null {
  const text = headers.get('retry-after') ?? '';
  return /^\d{1,6}$/.test(text) ? Number(text) * 1_000 : null;
}

/** How long the key has no call left, by `RateLimit: "minute";r=0;t=34`; 0: it has some. */
export function spentMs(headers: Headers): number {
  const text = headers.get('ratelimit') ?? '';
  const left = /;\s*r=(\d{1,9})/.exec(text)?.[1];
  const seconds = /;\s*t=(\d{1,6})/.exec(text)?.[1];
  return left !== undefined && Number(left) === 0 ? Number(seconds ?? 0) * 1_000 : 0;
}
