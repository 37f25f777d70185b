import type { Path } from '../schema.ts';
import { readAt } from './reading.ts';

/** The path of the key under an offset, or of the key whose value is there. */
export function keyAt(text: string, pos: number): Path {
  const { place } = readAt(text, pos);
  const { path, kind, from, to } = place;
  const isKey = kind === 'key' && to > from;
  const named = isKey ? [...path, text.slice(from, to).replaceAll('"', '')] : path;
  return named.slice(0, named.findLastIndex((key) => typeof key === 'string') + 1);
}
