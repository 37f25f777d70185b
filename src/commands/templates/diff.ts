import { memberPath, shown } from '../../workers/template/vocabulary/findings.ts';
import { isObject } from '../../runtime/json-object.ts';
import { counted } from '../console/output.ts';

/** One difference between two versions of a template file. */
export interface Change {
  /** Name of a field, or JSON path in the file. */
  readonly path: string;
  readonly change: 'added' | 'removed' | 'changed';
  /** Shortened; '' when there is no value. */
  readonly before: string;
  readonly after: string;
}

export interface TemplateDiff {
  /** Changes of the fields that callers send, by field name. */
  readonly contract: readonly Change[];
  /** All other changes, by JSON path; samples are not compared. */
  readonly layout: readonly Change[];
  /** Differences of the layout beyond those listed. */
  readonly layoutOmitted: number;
}

/** Limit of the listed differences of the layout. */
const CHANGES_MAX = 100;
/** Keys of the file that are not part of the layout. */
const NOT_LAYOUT = new Set(['fields', 'samples', '$schema']);

/** Compares two template files, parsed. */
export function diffTemplates(before: unknown, after: unknown): TemplateDiff {
  const changes: Change[] = [];
  compare('', layoutOf(before), layoutOf(after), changes);
  const layout = changes.slice(0, CHANGES_MAX);
  const layoutOmitted = changes.length - layout.length;
  return { contract: diffFields(before, after), layout, layoutOmitted };
}

/** A diff in a line, such as `1 field added (email); 2 fields changed (total, date); 3 changes in the layout`. */
export function summarise({ contract, layout, layoutOmitted }: TemplateDiff): string {
  const parts = (['added', 'removed', 'changed'] as const).flatMap((kind) => {
    const names = contract.filter(({ change }) => change === kind).map(({ path }) => path);
    if (names.length === 0) return [];
    return [`${counted(names.length, 'field')} ${kind} (${names.join(', ')})`];
  });
  const changes = layout.length + layoutOmitted;
  if (changes > 0) parts.push(`${counted(changes, 'change')} in the layout`);
  return parts.length === 0 ? 'no change in contract or layout' : parts.join('; ');
}

function diffFields(before: unknown, after: unknown): readonly Change[] {
  const [oldFields, newFields] = [fieldsOf(before), fieldsOf(after)];
  const changes: Change[] = [];
  for (const [name, oldField] of oldFields) {
    const newField = newFields.get(name);
    if (newField === undefined) {
      changes.push({ path: name, change: 'removed', before: shown(oldField), after: '' });
    } else if (!isSame(oldField, newField)) {
      changes.push({ path: name, change: 'changed', ...differingKeys(oldField, newField) });
    }
  }
  for (const [name, field] of newFields) {
    if (!oldFields.has(name)) {
      changes.push({ path: name, change: 'added', before: '', after: shown(withoutName(field)) });
    }
  }
  return changes;
}

/** The keys that differ, with both values, such as `type "text"` and `type "number"`. */
function differingKeys(before: object, after: object): { before: string; after: string } {
  const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])].filter(
    (key) => !isSame(valueOf(before, key), valueOf(after, key)),
  );
  const pick = (from: object): string =>
    keys
      .filter((key) => Object.hasOwn(from, key))
      .map((key) => `${key} ${shown(valueOf(from, key))}`)
      .join(', ');
  return { before: pick(before), after: pick(after) };
}

function withoutName(field: object): object {
  return Object.fromEntries(Object.entries(field).filter(([key]) => key !== 'name'));
}

function fieldsOf(file: unknown): Map<string, object> {
  const fields = isObject(file) ? valueOf(file, 'fields') : [];
  const named = (Array.isArray(fields) ? fields : []).filter(isObject);
  return new Map(named.map((field) => [String(valueOf(field, 'name')), field]));
}

function layoutOf(file: unknown): object {
  if (!isObject(file)) return {};
  return Object.fromEntries(Object.entries(file).filter(([key]) => !NOT_LAYOUT.has(key)));
}

/** Adds the differences between two JSON values to `changes`. */
function compare(path: string, before: unknown, after: unknown, changes: Change[]): void {
  if (Array.isArray(before) && Array.isArray(after)) {
    compareLists(path, before, after, changes);
  } else if (isObject(before) && isObject(after)) {
    for (const key of new Set([...Object.keys(before), ...Object.keys(after)])) {
      const [oldValue, newValue] = [valueOf(before, key), valueOf(after, key)];
      const place = memberPath(path, key);
      if (oldValue === undefined) add(place, 'added', undefined, newValue, changes);
      else if (newValue === undefined) add(place, 'removed', oldValue, undefined, changes);
      else compare(place, oldValue, newValue, changes);
    }
  } else if (!isSame(before, after)) {
    add(path, 'changed', before, after, changes);
  }
}

/** Compares lists without their common start and end, so that one insertion is one change. */
function compareLists(
  path: string,
  before: readonly unknown[],
  after: readonly unknown[],
  changes: Change[],
): void {
  const shorter = Math.min(before.length, after.length);
  let head = 0;
  while (head < shorter && isSame(before[head], after[head])) head += 1;
  let tail = 0;
  while (tail < shorter - head && isSame(before.at(-1 - tail), after.at(-1 - tail))) tail += 1;
  const [oldEnd, newEnd] = [before.length - tail, after.length - tail];
  for (let index = head; index < Math.max(oldEnd, newEnd); index += 1) {
    const place = `${path}[${index}]`;
    if (index >= oldEnd) add(place, 'added', undefined, after[index], changes);
    else if (index >= newEnd) add(place, 'removed', before[index], undefined, changes);
    else compare(place, before[index], after[index], changes);
  }
}

function add(
  path: string,
  change: Change['change'],
  before: unknown,
  after: unknown,
  changes: Change[],
): void {
  changes.push({ path, change, before: textOf(before), after: textOf(after) });
}

function textOf(value: unknown): string {
  return value === undefined ? '' : shown(value);
}

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(sorted(one)) === JSON.stringify(sorted(other));
}

/** Sorts the keys of objects, because their order has no meaning. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isObject(value)) return value;
  const entries = Object.entries(value).map(([key, item]) => [key, sorted(item)] as const);
  return Object.fromEntries(entries.toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

function valueOf(value: object, key: string): unknown {
  return Object.hasOwn(value, key) ? Reflect.get(value, key) : undefined;
}
