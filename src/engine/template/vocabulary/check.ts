import { elsewhereHint, keyMeant } from './elsewhere.ts';
import type { Findings } from './findings.ts';
import { memberPath, shown } from './findings.ts';
import type { Checked, KeyTable, ValueType } from './values.ts';
import { isObject, type JsonObject } from '../../../runtime/json-object.ts';
import { suggested } from '../../../runtime/nearest.ts';

/** Whether a key says nothing: absent or null. A value of a wrong type is a finding already. */
export function isAbsent(value: unknown): boolean {
  return value === undefined || value === null;
}

/**
 * Keeps the known keys whose value is of its type; reports every other. null counts as absent, as in
 * pdfmake. `effectless` are keys that are known elsewhere: a warning, not an error.
 */
export function checkObject<K extends KeyTable>(
  source: JsonObject,
  path: string,
  keys: K,
  findings: Findings,
  effectless: readonly string[] = [],
): Checked<K> {
  const checked: Record<string, unknown> = {};
  for (const key of Object.keys(source)) {
    const value = source[key];
    const type = Object.hasOwn(keys, key) ? keys[key] : undefined;
    if (type !== undefined && value === null) continue;
    if (type?.accepts(value) === true) {
      checked[key] = value;
      continue;
    }
    const at = memberPath(path, key);
    if (type !== undefined) {
      findings.error(at, `${key} must be ${type.says}, not ${shown(value)}.`);
    } else if (effectless.includes(key)) {
      findings.warning(at, `"${key}" has no effect here.`);
    } else {
      findings.error(at, `"${key}" is not a key here${hintFor(key, keys, findings)}`);
    }
  }
  // True by the loop: each key's value was accepted by the type of that key.
  return checked as Checked<K>;
}

function hintFor(key: string, keys: KeyTable, findings: Findings): string {
  const elsewhere = elsewhereHint(key, keys);
  if (elsewhere !== null) return `: ${elsewhere}`;
  const meant = keyMeant(key, keys);
  return meant === null ? findings.suggestion(key, Object.keys(keys)) : suggested(meant);
}

/** One value of a type, or null with a finding. */
export function checkValue<T>(
  value: unknown,
  path: string,
  type: ValueType<T>,
  findings: Findings,
): T | null {
  if (type.accepts(value)) return value;
  findings.error(path, `must be ${type.says}, not ${shown(value)}.`);
  return null;
}

/** An object of the source, or null with a finding. */
export function checkIsObject(value: unknown, path: string, findings: Findings): JsonObject | null {
  if (isObject(value)) return value;
  const what = value === undefined ? 'is missing; it must be an object.' : null;
  findings.error(path, what ?? `must be an object, not ${shown(value)}.`);
  return null;
}
