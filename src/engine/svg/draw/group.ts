import type { Matrix } from '../../model/style.ts';
import type { GroupItem, Item } from '../../model/frame.ts';
import type { ClipRegion } from './clip.ts';

/** Limit of nested groups; that of the PDF writer is twice as high. */
const LEVELS_MAX = 32;

/** A group that knows how many levels of groups are in it, itself included. */
interface LeveledGroup extends GroupItem {
  readonly levels: number;
}

function levelsOf(item: Item): number {
  if (item.kind !== 'group') return 0;
  return 'levels' in item ? (item as LeveledGroup).levels : 1;
}

interface Wrap {
  readonly clip?: ClipRegion | null;
  readonly opacity?: number;
  readonly matrix?: Matrix | null;
}

/**
 * Items under a clip, an opacity or a map. A group that holds only a group is merged with it where
 * that looks the same. Beyond the limit of nesting, opacity is ignored, and items with a clip or a
 * map are left out.
 */
export function wrapItems(items: readonly Item[], wrap: Wrap): Item[] {
  const { clip = null, opacity = 1, matrix = null } = wrap;
  if (items.length === 0) return [];
  if (clip === null && opacity === 1 && matrix === null) return [...items];
  const [only] = items;
  if (items.length === 1 && only?.kind === 'group' && matrix === null) {
    const canTake = clip === null || (only.clip === null && only.matrix === null);
    if (canTake) {
      return [{ ...only, clip: clip ?? only.clip, opacity: only.opacity * opacity }];
    }
  }
  let levels = 1;
  for (const item of items) levels = Math.max(levels, 1 + levelsOf(item));
  if (levels > LEVELS_MAX) return clip === null && matrix === null ? [...items] : [];
  const group: LeveledGroup = { kind: 'group', x: 0, y: 0, matrix, clip, opacity, items, levels };
  return [group];
}
