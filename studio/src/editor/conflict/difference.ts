import { compareLines, type LineChange } from '../../compare/lines.ts';

/** Lines that follow each other and differ, with where they stand. */
export interface Difference {
  /** Number of the first line in the text that is edited here; null: not known. */
  readonly line: number | null;
  readonly lines: readonly LineChange[];
}

/**
 * Where two texts differ: `removed` lines are only in `theirs`, `added` ones only in `mine`. What they
 * have in common at both ends is left out first, so a long text with few changes takes little time.
 */
export function differencesOf(theirs: string, mine: string): readonly Difference[] {
  const old = theirs.split('\n');
  const now = mine.split('\n');
  const shorter = Math.min(old.length, now.length);
  let start = 0;
  while (start < shorter && old[start] === now[start]) start += 1;
  let tail = 0;
  while (tail < shorter - start && old.at(-1 - tail) === now.at(-1 - tail)) tail += 1;
  const before = old.slice(start, old.length - tail);
  const after = now.slice(start, now.length - tail);
  if (before.length === 0 && after.length === 0) return [];
  const changes = changesOf(before, after);
  return placed(before, after, changes, start) ?? [{ line: null, lines: changes }];
}

/** `''.split('\n')` has one line, so a side without lines is not compared. */
function changesOf(before: readonly string[], after: readonly string[]): readonly LineChange[] {
  if (before.length === 0) return after.map((text) => ({ kind: 'added', text }));
  if (after.length === 0) return before.map((text) => ({ kind: 'removed', text }));
  return compareLines(before.join('\n'), after.join('\n'));
}

/** Groups the changes by their places; null: they are not in the order of the texts. */
function placed(
  before: readonly string[],
  after: readonly string[],
  changes: readonly LineChange[],
  start: number,
): readonly Difference[] | null {
  const groups: { line: number; lines: LineChange[] }[] = [];
  let isNew = true;
  let i = 0;
  let j = 0;
  for (const change of changes) {
    // As compareLines does: lines that are equal are common to both texts.
    for (; i < before.length && j < after.length && before[i] === after[j]; i += 1, j += 1) {
      isNew = true;
    }
    if (isNew) groups.push({ line: start + j + 1, lines: [] });
    isNew = false;
    const own = change.kind === 'removed' ? before[i] : after[j];
    if (own !== change.text) return null;
    groups.at(-1)?.lines.push(change);
    if (change.kind === 'removed') i += 1;
    else j += 1;
  }
  return groups;
}
