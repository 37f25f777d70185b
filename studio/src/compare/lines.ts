/** A line that only one of two texts has. */
export interface LineChange {
  readonly kind: 'removed' | 'added';
  readonly text: string;
}

/** Above this number of lines, only lines that the other text lacks are reported, ignoring order. */
const LINES_MAX = 1_500;

/** The lines removed and added between two texts; their longest common subsequence is kept. */
export function compareLines(before: string, after: string): readonly LineChange[] {
  const old = before.split('\n');
  const now = after.split('\n');
  if (old.length > LINES_MAX || now.length > LINES_MAX) return compareSets(old, now);
  // longest[i][j]: length of the longest common subsequence of old.slice(i) and now.slice(j).
  const longest = Array.from({ length: old.length + 1 }, () => new Uint16Array(now.length + 1));
  const at = (i: number, j: number): number => longest[i]?.[j] ?? 0;
  for (let i = old.length - 1; i >= 0; i -= 1) {
    const row = longest[i];
    if (row === undefined) continue;
    for (let j = now.length - 1; j >= 0; j -= 1) {
      row[j] = old[i] === now[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
    }
  }
  const changes: LineChange[] = [];
  let i = 0;
  let j = 0;
  while (i < old.length || j < now.length) {
    if (i < old.length && j < now.length && old[i] === now[j]) {
      i += 1;
      j += 1;
    } else if (j >= now.length || (i < old.length && at(i + 1, j) >= at(i, j + 1))) {
      changes.push({ kind: 'removed', text: old[i] ?? '' });
      i += 1;
    } else {
      changes.push({ kind: 'added', text: now[j] ?? '' });
      j += 1;
    }
  }
  return changes;
}

function compareSets(old: readonly string[], now: readonly string[]): readonly LineChange[] {
  const [had, has] = [new Set(old), new Set(now)];
  const removed = old.filter((text) => !has.has(text));
  const added = now.filter((text) => !had.has(text));
  return [
    ...removed.map((text) => ({ kind: 'removed', text }) as const),
    ...added.map((text) => ({ kind: 'added', text }) as const),
  ];
}
