import { signal } from '@preact/signals';
import { keyAt } from '../complete/key-at.ts';
import { readAt } from '../complete/reading.ts';
import { showPane } from '../panes/state.ts';
import { describeAt } from '../schema.ts';
import type { KeyPlace } from './find.ts';

/** The key that the guide was asked about last; a new object for each question. */
export const asked = signal<KeyPlace | null>(null);

/** Opens the guide at the key under an offset of the text. */
export function openGuideAt(text: string, pos: number): void {
  const path = keyAt(text, pos);
  const { place, finish } = readAt(text, pos);
  finish();
  const siblings = place.levels.at(-1)?.keys() ?? [];
  asked.value = { path, siblings, description: describeAt(path) };
  showPane('guide', true);
}
