import { effect } from '@preact/signals';
import type { Data } from '../api/types.ts';
import { sessionState } from '../app/state.ts';

/**
 * What was typed into forms, so that a look at another page does not empty them. It is the data of
 * customers: only this tab's memory holds it, never the browser's storage, and it is gone when the
 * session ends, when the tab is reloaded or closed, and beyond the newest few forms.
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
