import type { Outcome } from '../../../errors.ts';
import { type Contract, compileContract, type ContractOptions } from '../../contract/contract.ts';
import type { FieldCheck } from '../../contract/definition.ts';
import { cellCount, entryColumns } from '../../contract/nested/columns.ts';
import { compileCheck } from '../../contract/nested/check.ts';
import { REASONS } from '../../contract/reasons.ts';
import type { FieldDescriptor, FieldValues, PlainField } from '../../contract/types.ts';
import type { ComputedField, TemplateHead } from '../fields/fields.ts';
import type { FieldTable } from '../fields/fieldtable.ts';
import {
  type Derivation,
  derive,
  type DerivationPlan,
  type ListPlace,
  type ViewDerivation,
} from './derive.ts';
import type { Value, View } from './expressions.ts';
import { neededBy } from './order.ts';
import { shapeOf } from './shape.ts';

/**
 * Compiles the contract of a template with expressions: it refuses computed fields that are sent,
 * checks the others, and computes the values of all expressions. Without expressions it is the plain
 * contract.
 */
export function compileComputed(
  { declared, language, computed }: Pick<TemplateHead, 'declared' | 'language' | 'computed'>,
  fields: FieldTable,
  found: readonly (Value | View)[],
  options: ContractOptions,
): Contract {
  const values = found.filter(isValue);
  if (values.length === 0 && computed.length === 0)
    return compileContract(declared, language, options);
  const extended = withValues(declared, computed, fields);
  // Expressions read values as they were sent.
  const contract = compileContract(extended, language, {
    ...options,
    readsRaw: () => true,
    checkInstead: refusalsOf(computed, values),
  });
  const plan = planOf(declared, language, fields, found, options);
  const { check } = contract;
  const finish = (checked: Outcome<FieldValues>): Outcome<FieldValues> =>
    checked.ok ? derive(plan, checked.value) : checked;
  return {
    fields: contract.fields,
    declared,
    check: (data) => {
      const checked = check(data);
      return checked instanceof Promise ? checked.then(finish) : finish(checked);
    },
  };
}

/** The checks that computed values have in the place of those of their fields, by path. */
function refusalsOf(
  computed: readonly ComputedField[],
  values: readonly Value[],
): ReadonlyMap<string, FieldCheck> {
  // A value of the layout has no name that callers could send.
  const unnamed = values.map(({ name }) => [name, () => null] as const);
  const named = computed.map(({ name }) => [name, () => REASONS.computed] as const);
  return new Map<string, FieldCheck>([...unnamed, ...named]);
}

/** The fields with those of expressions; nothing that is computed has to be sent. */
function withValues(
  declared: readonly FieldDescriptor[],
  computed: readonly ComputedField[],
  fields: FieldTable,
): readonly FieldDescriptor[] {
  const names = new Set(computed.map(({ name }) => name));
  const extend = (inner: readonly FieldDescriptor[], prefix: string): FieldDescriptor[] =>
    inner.map((field) => {
      const path = prefix + field.name;
      if (field.type === 'record') return { ...field, fields: extend(field.fields, `${path}.`) };
      if (field.type !== 'list') return names.has(path) ? { ...field, required: false } : field;
      const own = extend(field.fields, `${path}.`);
      const index = fields.find(path);
      const known = index === null ? null : fields.descriptor(index);
      const added = known?.type === 'list' ? known.fields.slice(field.fields.length) : [];
      return { ...field, fields: [...own, ...added] };
    });
  const own = extend(declared, '');
  return [...own, ...fields.added];
}

function planOf(
  declared: readonly FieldDescriptor[],
  language: string,
  fields: FieldTable,
  found: readonly (Value | View)[],
  { qrUses }: ContractOptions,
): DerivationPlan {
  const values = found.filter(isValue);
  const computed = values.flatMap((value) => (value.computed === null ? [] : [value.computed]));
  const paths = computed.map(({ steps }) => ({ path: steps }));
  const checkOf = (field: PlainField, path: string): FieldCheck =>
    compileCheck(field, path, { language, qrUses, guard: (check) => check });
  const collator = new Intl.Collator(language);
  const derivations = found.map((value): Derivation | ViewDerivation => {
    if (!isValue(value)) return viewOf(value, fields, collator);
    const { heads, guards, expression, list, index, column, rawColumn, of, reads } = value;
    const place = placeOf(fields, list);
    const steps = value.computed?.steps ?? null;
    const listDepth = list < 0 ? 0 : fields.descriptor(list).name.split('.').length;
    const own = steps === null ? null : steps.slice(listDepth);
    return {
      list: place,
      column: list < 0 ? index : column,
      rawColumn,
      inputs: heads,
      // A place without conditions is always there, whatever the others say.
      guards: guards.some((all) => all.length === 0) ? [] : guards,
      expression,
      check: of === null ? null : checkOf(of, value.computed?.name ?? ''),
      isRequired: of?.required === true,
      field: own,
      path: own === null ? value.path : own.join('.'),
      // Computed fields come first, so that their indexes are those of the derivations.
      needs: neededBy(reads, paths),
    };
  });
  const reads = [...values.flatMap((value) => value.reads), ...computed.map(({ steps }) => steps)];
  return { derivations, shape: shapeOf(declared, reads, (path) => fields.find(path)) };
}

function isValue(value: Value | View): value is Value {
  return !('view' in value);
}

function viewOf(
  { view, path, list, filter, keys, group }: View,
  fields: FieldTable,
  collator: Intl.Collator,
): ViewDerivation {
  const place = placeOf(fields, list);
  const own = fields.descriptor(view);
  if (place === null || own.type !== 'list') throw new Error('a view shows a list');
  const cells = cellCount(entryColumns(own.fields));
  return { view, path, list: place, filter, keys, group, cells, collator };
}

function placeOf(fields: FieldTable, list: number): ListPlace | null {
  if (list < 0) return null;
  const [, parent = -1] = fields.listsAround(list);
  const around = placeOf(fields, parent);
  const { name } = fields.descriptor(list);
  const outer = around === null ? '' : `${fields.descriptor(parent).name}.`;
  return { index: list, name: name.slice(outer.length), around };
}
