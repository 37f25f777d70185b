/** A field as its callers see it. Without `required` it is optional; without `validation`, unbounded. */
export interface ContractField<Type extends string = string> {
  readonly name: string;
  readonly type: Type;
  readonly required?: boolean;
  readonly validation?: object;
  /** record, list: what stands in it. */
  readonly fields?: readonly object[];
}

/** A change of the field contract that can break callers of the published version. */
export type Breaking<Type extends string = string> =
  | { readonly kind: 'removed'; readonly field: string }
  | { readonly kind: 'required'; readonly field: string }
  | { readonly kind: 'type'; readonly field: string; readonly from: Type; readonly to: Type }
  | {
      readonly kind: 'choices';
      readonly field: string;
      /** Choices that are refused now; none: every value was taken before. */
      readonly gone: readonly string[];
      readonly left: readonly string[];
    }
  | { readonly kind: 'stricter'; readonly field: string };

/**
 * The fields with those in records and lists, under names such as `accounts.number`. What stands in a
 * record or list that the other contract does not have is left out: its absence is told already.
 */
function withInner<Type extends string>(
  fields: readonly ContractField<Type>[],
  others: readonly ContractField<Type>[],
  prefix = '',
): readonly ContractField<Type>[] {
  return fields.flatMap((field) => {
    const other = others.find(({ name }) => name === field.name);
    const own = { ...field, name: prefix + field.name };
    const isKept = other !== undefined && other.type === field.type;
    if (field.fields === undefined || !isKept) return [own];
    return [own, ...withInner(innerOf(field), innerOf(other), `${own.name}.`)];
  });
}

/** Fields in a record or list have the keys of those around them. */
function innerOf<Type extends string>({
  fields = [],
}: ContractField<Type>): readonly ContractField<Type>[] {
  return fields as readonly ContractField<Type>[];
}

/** Lists the changes that callers of the published contract would notice. */
export function breakingChanges<Type extends string>(
  published: readonly ContractField<Type>[],
  draft: readonly ContractField<Type>[],
): readonly Breaking<Type>[] {
  const before = new Map(withInner(published, draft).map((field) => [field.name, field]));
  const after = new Map(withInner(draft, published).map((field) => [field.name, field]));
  const changes: Breaking<Type>[] = [];
  for (const field of before.keys()) {
    if (!after.has(field)) changes.push({ kind: 'removed', field });
  }
  for (const [field, now] of after) {
    const was = before.get(field);
    if (now.required === true && was?.required !== true) changes.push({ kind: 'required', field });
    if (was === undefined) continue;
    if (was.type !== now.type) {
      changes.push({ kind: 'type', field, from: was.type, to: now.type });
      continue;
    }
    const narrowed = narrowedChoices(choicesOf(was), choicesOf(now));
    if (narrowed !== null) changes.push({ kind: 'choices', field, ...narrowed });
    if (isStricter(was.validation ?? {}, now.validation ?? {})) {
      changes.push({ kind: 'stricter', field });
    }
  }
  return changes;
}

function choicesOf({ validation = {} }: ContractField): readonly string[] | null {
  const choices: unknown = Object.hasOwn(validation, 'choices')
    ? Reflect.get(validation, 'choices')
    : null;
  return Array.isArray(choices) ? choices.map(String) : null;
}

/** null: every value that was taken is taken still. */
function narrowedChoices(
  before: readonly string[] | null,
  left: readonly string[] | null,
): { readonly gone: readonly string[]; readonly left: readonly string[] } | null {
  if (left === null) return null;
  if (before === null) return { gone: [], left };
  const gone = before.filter((choice) => !left.includes(choice));
  return gone.length === 0 ? null : { gone, left };
}

/** Whether a value that was accepted may be refused now, by another rule than the choices. */
function isStricter(old: object, now: object): boolean {
  const bounds = new Map<string, unknown>(Object.entries(old));
  return Object.entries(now).some(([key, bound]: [string, unknown]) => {
    const before = bounds.get(key);
    if (before === bound || key === 'choices') return false;
    if (before === undefined || key === 'pattern' || key === 'mask') return true;
    const isLower = key.startsWith('min');
    const [from, to] = [Number(before), Number(bound)];
    if (!Number.isNaN(from) && !Number.isNaN(to)) return isLower ? to > from : to < from;
    // Dates are compared as texts.
    if (typeof before !== 'string' || typeof bound !== 'string') return true;
    return isLower ? bound > before : bound < before;
  });
}
