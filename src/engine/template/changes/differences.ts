import { isObject } from '../../../runtime/json-object.ts';
import { memberPath } from '../vocabulary/findings.ts';
import { AlignmentBudget, alignLists } from './align.ts';
import { Identities, leadOf } from './identities.ts';

/** A value that differs between two JSON values; undefined where one of them has none. */
export interface Difference {
  /** JSON path in the newer value, or in the older one if only that has the value. */
  readonly path: string;
  /** JSON path in the older value, where it has one: items of lists may have moved. */
  readonly pathBefore: string;
  readonly before: unknown;
  readonly after: unknown;
}

/** The path of what is compared, in both values. */
interface Paths {
  readonly before: string;
  readonly after: string;
}

interface Found {
  readonly differences: Difference[];
  readonly identities: Identities;
  readonly budget: AlignmentBudget;
}

/** Lists the differences between two JSON values, in the order of both. */
export function differences(before: unknown, after: unknown): readonly Difference[] {
  const found = { differences: [], identities: new Identities(), budget: new AlignmentBudget() };
  compare({ before: '', after: '' }, before, after, found);
  return found.differences;
}

function compare(paths: Paths, before: unknown, after: unknown, found: Found): void {
  if (Array.isArray(before) && Array.isArray(after)) {
    compareLists(paths, before, after, found);
  } else if (isObject(before) && isObject(after)) {
    for (const key of new Set([...Object.keys(before), ...Object.keys(after)])) {
      const below = { before: memberPath(paths.before, key), after: memberPath(paths.after, key) };
      compare(below, valueOf(before, key), valueOf(after, key), found);
    }
  } else if (!isSame(before, after)) {
    const path = after === undefined ? paths.before : paths.after;
    found.differences.push({ path, pathBefore: paths.before, before, after });
  }
}

/** Compares lists item by item; an item that only one of them has is one difference. */
function compareLists(
  paths: Paths,
  before: readonly unknown[],
  after: readonly unknown[],
  found: Found,
): void {
  const { identities, budget } = found;
  const pairs = alignLists(
    { items: before.map((item) => identities.of(item)), textOf: (at) => leadOf(before[at]) },
    { items: after.map((item) => identities.of(item)), textOf: (at) => leadOf(after[at]) },
    budget,
  );
  for (const pair of pairs) {
    const old = pair.before === null ? undefined : before[pair.before];
    const now = pair.after === null ? undefined : after[pair.after];
    const below = {
      before: `${paths.before}[${pair.before ?? pair.after}]`,
      after: `${paths.after}[${pair.after ?? pair.before}]`,
    };
    if (old === undefined || now === undefined || identities.of(old) !== identities.of(now)) {
      compare(below, old, now, found);
    }
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
