import { remainingMs, WINDOW_MS, Windows } from './rate.ts';

/** Calls a minute of one caller for what is not there. */
const MISSES_MAX = 120;

/** How a call for what is not there is answered. */
export type Miss =
  | { readonly kind: 'told' }
  /** `isFirst`: the first of the window; its audit record speaks for all that follow. */
  | { readonly kind: 'refused'; readonly isFirst: boolean; readonly retryAfterMs: number };

/**
 * Counts calls for what does not exist or is another team's, per caller: each of the latter is an
 * audit record, and any key could fill the disk with them. What does not exist counts alike, or the
 * refusal would tell a caller which of the two it is.
 */
export class Misses {
  readonly #windows = new Windows();

  /** `nowMs` is monotonic. */
  count(caller: string, nowMs: number): Miss {
    const window =
      this.#windows.of(caller, nowMs) ?? this.#windows.open(caller, nowMs, nowMs + WINDOW_MS);
    window.count += 1;
    if (window.count <= MISSES_MAX) return { kind: 'told' };
    const isFirst = window.count === MISSES_MAX + 1;
    return { kind: 'refused', isFirst, retryAfterMs: remainingMs(window.endsAtMs, nowMs) };
  }
}
