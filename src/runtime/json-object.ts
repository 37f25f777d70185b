/** A JSON object whose values have not been checked. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** Whether a JSON value is an object: neither an array nor null. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Whether the value is nested deeper than that; if not, it may be walked by recursion. */
export function isDeeper(root: unknown, depthMax: number): boolean {
  let level: unknown[] = [root];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > depthMax) return true;
    const next: unknown[] = [];
    for (const value of level) {
      if (typeof value !== 'object' || value === null) continue;
      for (const member of Object.values(value)) {
        if (typeof member === 'object' && member !== null) next.push(member);
      }
    }
    level = next;
  }
  return false;
}
