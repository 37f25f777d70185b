import { isComputed } from '../../../src/runtime/contract/computed.ts';
import { textOf } from '../api/exact.ts';
import type { Field } from '../api/field-types.ts';
import type { Data } from '../api/template-data.ts';
import { isRecord, withoutEmpty } from '../editor/template-text.ts';

/** What was typed into one form, as far as another form takes it. */
export interface CarriedOver {
  readonly data: Data;
  /** Fields of the first form whose values the other one does not take. */
  readonly lost: readonly Field[];
}

/** Carries values from a form of the fields `from` to one of the fields `to`, where both agree. */
export function carryOver(data: Data, from: readonly Field[], to: readonly Field[]): CarriedOver {
  const kept: [name: string, value: unknown][] = [];
  const lost: Field[] = [];
  for (const [name, value] of Object.entries(withoutEmpty(data))) {
    const was = from.find((field) => field.name === name);
    const now = to.find((field) => field.name === name);
    // A sample may hold values without a field.
    if (was === undefined) continue;
    if (now === undefined || !takesValueOf(now, was)) {
      lost.push(was);
    } else if (was.type === 'record' && isRecord(value) && textOf(value) === null) {
      const inner = carryOver(value, innerFields(was), innerFields(now));
      lost.push(...inner.lost);
      if (Object.keys(inner.data).length > 0) kept.push([name, inner.data]);
    } else {
      kept.push([name, value]);
    }
  }
  return { data: Object.fromEntries(kept), lost };
}

/** A secret value is not carried to a field that would show it. */
function takesValueOf(now: Field, was: Field): boolean {
  return now.type === was.type && !isComputed(now) && (!isSecret(was) || isSecret(now));
}

function isSecret({ format }: Field): boolean {
  return format?.presentation?.secret === true;
}

function innerFields({ fields = [] }: Field): readonly Field[] {
  // Fields inside records have the same keys as others (field-types.ts).
  return fields as unknown as readonly Field[];
}
