import { isObject } from '../../../runtime/json-object.ts';
import { memberPath } from '../vocabulary/findings.ts';

/** A value that differs between two JSON values; undefined where one of them has none. */
export interface Difference {
  /** JSON path. */
  readonly path: string;
  readonly before: unknown;
  readonly after: unknown;
}

/** Lists the differences between two JSON values, in the order of the first one. */
export function differences(before: unknown, after: unknown): readonly Difference[] {
  const found: Difference[] = [];
  compare('', before, after, found);
  return found;
}

function compare(path: string, before: unknown, after: unknown, found: Difference[]): void {
  if (Array.isArray(before) && Array.isArray(after)) {
    compareLists(path, before, after, found);
  } else if (isObject(before) && isObject(after)) {
    for (const key of new Set([...Object.keys(before), ...Object.keys(after)])) {
      compare(memberPath(path, key), valueOf(before, key), valueOf(after, key), found);
    }
  } else if (!isSame(before, after)) {
    found.push({ path, before, after });
  }
}

/** Compares lists without their common start and end, so that one insertion is one difference. */
function compareLists(
  path: string,
  before: readonly unknown[],
  after: readonly unknown[],
  found: Difference[],
): void {
  const shorter = Math.min(before.length, after.length);
  let head = 0;
  while (head < shorter && isSame(before[head], after[head])) head += 1;
  let tail = 0;
  while (tail < shorter - head && isSame(before.at(-1 - tail), after.at(-1 - tail))) tail += 1;
  const [oldEnd, newEnd] = [before.length - tail, after.length - tail];
  for (let index = head; index < Math.max(oldEnd, newEnd); index += 1) {
    const old = index < oldEnd ? before[index] : undefined;
    const now = index < newEnd ? after[index] : undefined;
    compare(`${path}[${index}]`, old, now, found);
  }
}

/** Whether two JSON values are equal; the order of keys has no meaning. */
export function isSame(one: unknown, other: unknown): boolean {
  if (Array.isArray(one)) {
    if (!Array.isArray(other) || one.length !== other.length) return false;
    return one.every((item, index) => isSame(item, other[index]));
  }
  if (!isObject(one)) return one === other;
  if (!isObject(other)) return false;
  const keys = Object.keys(one);
  if (keys.length !== Object.keys(other).length) return false;
  return keys.every((key) => Object.hasOwn(other, key) && isSame(one[key], other[key]));
}

/** An own member of an object. */
export function valueOf(value: object, key: string): unknown {
  return Object.hasOwn(value, key) ? Reflect.get(value, key) : undefined;
}
