import { entryAt } from '../errors.ts';

/** Suggestions for mistyped words, by their edit distance. */

/** Limit of the letters compared for all suggestions of a template: 0.15 s at most. */
export const SUGGESTION_STEPS_MAX = 2_000_000;

export function suggested(near: string): string {
  return `; did you mean ${JSON.stringify(near)}?`;
}

/** `; did you mean "x"?` for the nearest of the known words, or ''. */
export function suggestion(word: string, known: Iterable<string>): string {
  const near = nearest(word, known, { left: SUGGESTION_STEPS_MAX });
  return near === null ? '' : suggested(near);
}

/**
 * The nearest of the known words; null when none is near or no steps are left. `steps` bounds the
 * letters that all calls with it compare.
 */
export function nearest(
  word: string,
  known: Iterable<string>,
  steps: { left: number },
): string | null {
  let best: string | null = null;
  let bestDistance = Math.max(2, Math.floor(word.length / 3)) + 1;
  const lower = word.toLowerCase();
  for (const candidate of known) {
    if (steps.left <= 0) return null;
    steps.left -= 1;
    if (!canBeNear(word, candidate, bestDistance)) continue;
    steps.left -= word.length * candidate.length;
    const distance = editDistance(lower, candidate.toLowerCase());
    if (distance < bestDistance) {
      best = candidate;
      bestDistance = distance;
    }
  }
  return best === '' ? null : best;
}

/** Rules out most candidates before their distance is computed. */
function canBeNear(word: string, candidate: string, limit: number): boolean {
  return word.length <= 64 && Math.abs(word.length - candidate.length) < limit;
}

/** Levenshtein distance. */
function editDistance(a: string, b: string): number {
  let previous = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i += 1) {
    const current = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const replaced = a[i - 1] === b[j - 1] ? 0 : 1;
      const up = entryAt(previous, j);
      const left = entryAt(current, j - 1);
      const corner = entryAt(previous, j - 1);
      current.push(Math.min(up + 1, left + 1, corner + replaced));
    }
    previous = current;
  }
  return entryAt(previous, b.length);
}
