import { remainingMs, WINDOW_MS, Windows } from './rate.ts';

/** Limit of the calls per caller and minute for what does not exist. */
const MISSES_MAX = 120;

/** How to answer a call for what does not exist: 404, or a refusal. */
export type Miss =
  | { readonly kind: 'told' }
  /** `isFirst`: this is the first refusal of the window, the only one with an audit record. */
  | { readonly kind: 'refused'; readonly isFirst: boolean; readonly retryAfterMs: number };

/**
 * Counts, per caller, calls for what does not exist or belongs to another team. The latter write
 * audit records, with which any key could fill the disk. Both count alike, so that the refusal does
 * not reveal which of the two it is.
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
