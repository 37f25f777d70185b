import { effect } from '@preact/signals';
import type { Data } from '../api/template-data.ts';
import { sessionState } from '../app/state.ts';

/** What was typed, by the name of its form. */
export interface Keeper<T> {
  readonly of: (form: string) => T | null;
  /** null: nothing is kept for that form any more. */
  readonly keep: (form: string, typed: T | null) => void;
}

/**
 * Keeps what was typed into forms while the user visits other pages. It is customer data, so it is held
 * in this tab's memory and never in the browser's storage; it is dropped when the session ends or the
 * tab is reloaded, and only the `countMax` forms that were changed last are kept.
 */
export function createKeeper<T>(countMax: number): Keeper<T> {
  const kept = new Map<string, T>();
  effect(() => {
    if (sessionState.value.state !== 'in') kept.clear();
  });
  return {
    of: (form) => kept.get(form) ?? null,
    keep: (form, typed) => {
      kept.delete(form);
      if (typed === null) return;
      kept.set(form, typed);
      const [oldest] = kept.keys();
      if (kept.size > countMax && oldest !== undefined) kept.delete(oldest);
    },
  };
}

const forms = createKeeper<Data>(5);

export function keptData(form: string): Data {
  return forms.of(form) ?? {};
}

export function keepData(form: string, data: Data): void {
  forms.keep(form, Object.keys(data).length === 0 ? null : data);
}
