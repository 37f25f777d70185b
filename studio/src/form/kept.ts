import { effect } from '@preact/signals';
import type { Data } from '../api/template-data.ts';
import { sessionState } from '../app/state.ts';

/**
 * Keeps what was typed into forms while the user visits other pages. It is customer data, so it is held
 * in this tab's memory and never in the browser's storage; it is dropped when the session ends or the
 * tab is reloaded, and only the most recent forms are kept.
 */
const kept = new Map<string, Data>();
const FORMS_MAX = 5;

effect(() => {
  if (sessionState.value.state !== 'in') kept.clear();
});

export function keptData(form: string): Data {
  return kept.get(form) ?? {};
}

export function keepData(form: string, data: Data): void {
  kept.delete(form);
  if (Object.keys(data).length === 0) return;
  kept.set(form, data);
  const [oldest] = kept.keys();
  if (kept.size > FORMS_MAX && oldest !== undefined) kept.delete(oldest);
}
