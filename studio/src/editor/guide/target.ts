import { signal } from '@preact/signals';
import { showPane } from '../panes/state.ts';
import type { KeyPlace } from './find.ts';
import { placeOfKey } from './place.ts';

/** The key that the guide was asked about last; a new object for each question. */
export const asked = signal<KeyPlace | null>(null);

/** Opens the guide at the key under an offset of the text. */
export function openGuideAt(text: string, pos: number): void {
  asked.value = placeOfKey(text, pos);
  showPane('guide', true);
}
