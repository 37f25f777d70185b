import type { FieldType } from '../api/field-types.ts';
import type { Field } from '../api/types.ts';

/** A change of the field contract that can break callers of the published version. */
export type Breaking =
  | { readonly kind: 'removed'; readonly field: string }
  | { readonly kind: 'required'; readonly field: string }
  | {
      readonly kind: 'type';
      readonly field: string;
      readonly from: FieldType;
      readonly to: FieldType;
    }
  | { readonly kind: 'stricter'; readonly field: string };

/** Lists the changes that callers of the published contract would notice. */
export function breakingChanges(
  published: readonly Field[],
  draft: readonly Field[],
): readonly Breaking[] {
  const before = new Map(published.map((field) => [field.name, field]));
  const after = new Map(draft.map((field) => [field.name, field]));
  const changes: Breaking[] = [];
  for (const field of before.keys()) {
    if (!after.has(field)) changes.push({ kind: 'removed', field });
  }
  for (const [field, now] of after) {
    const was = before.get(field);
    if (now.required && was?.required !== true) changes.push({ kind: 'required', field });
    if (was === undefined) continue;
    if (was.type !== now.type) {
      changes.push({ kind: 'type', field, from: was.type, to: now.type });
    } else if (isStricter(was, now)) changes.push({ kind: 'stricter', field });
  }
  return changes;
}

/** Whether a value that was accepted may be refused now. */
function isStricter(was: Field, now: Field): boolean {
  const old = was.validation ?? {};
  const bounds = Object.entries(old);
  return Object.entries(now.validation ?? {}).some(([key, bound]) => {
    const before = bounds.find(([name]) => name === key)?.[1];
    if (before === bound) return false;
    if (Array.isArray(bound)) return takesFewer(before, bound);
    if (before === undefined || key === 'pattern') return true;
    const isLower = key.startsWith('min');
    // Dates are compared as texts.
    const areNumbers = !Number.isNaN(Number(before)) && !Number.isNaN(Number(bound));
    const [from, to] = areNumbers ? [Number(before), Number(bound)] : [before, bound];
    return isLower ? to > from : to < from;
  });
}

/** Whether a choice is gone; before, every value may have been taken. */
function takesFewer(before: unknown, now: readonly unknown[]): boolean {
  return !Array.isArray(before) || before.some((choice) => !now.includes(choice));
}
