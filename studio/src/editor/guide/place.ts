import { keyAt } from '../complete/key-at.ts';
import { readAt } from '../complete/reading.ts';
import { describeAt, isNodeAt } from '../schema.ts';
import type { KeyPlace } from './find.ts';

/** The key under an offset of the text: pointing at it and the guide explain the same one. */
export function placeOfKey(text: string, pos: number): KeyPlace {
  const path = keyAt(text, pos);
  const { place, finish } = readAt(text, pos);
  finish();
  const owner = place.levels.at(-1);
  const siblings = owner?.keys() ?? [];
  const type = owner?.member('type') ?? '';
  const isOfNode = isNodeAt(path.slice(0, -1));
  return { path, siblings, type, isOfNode, description: describeAt(path, siblings) };
}
