import type { Matrix } from '../../template/style.ts';
import type { GroupItem, Item } from '../frame.ts';
import type { ClipRegion } from './clip.ts';

/** Groups within groups; the PDF writer's own bound is twice this. */
const HEIGHT_MAX = 32;

/** Levels of groups in a group that this file made, itself included. */
const heights = new WeakMap<GroupItem, number>();

interface Wrap {
  readonly clip?: ClipRegion | null;
  readonly opacity?: number;
  readonly matrix?: Matrix | null;
}

/**
 * Items under a clip, an opacity or a map. A group in a group is one group where that looks the
 * same. So deep that the writer would refuse it, opacity is given up and all else is left out.
 */
export function wrapItems(items: readonly Item[], wrap: Wrap): Item[] {
  const { clip = null, opacity = 1, matrix = null } = wrap;
  if (items.length === 0) return [];
  if (clip === null && opacity === 1 && matrix === null) return [...items];
  const [only] = items;
  if (items.length === 1 && only?.kind === 'group' && matrix === null) {
    const canTake = clip === null || (only.clip === null && only.matrix === null);
    if (canTake) {
      const merged = { ...only, clip: clip ?? only.clip, opacity: only.opacity * opacity };
      heights.set(merged, heights.get(only) ?? 1);
      return [merged];
    }
  }
  let height = 1;
  for (const item of items) {
    if (item.kind === 'group') height = Math.max(height, 1 + (heights.get(item) ?? 1));
  }
  if (height > HEIGHT_MAX) return clip === null && matrix === null ? [...items] : [];
  const group: GroupItem = { kind: 'group', x: 0, y: 0, matrix, clip, opacity, items };
  heights.set(group, height);
  return [group];
}
