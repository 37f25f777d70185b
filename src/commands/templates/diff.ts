import { differences, isSame, quotes, shown, valueOf, valueText } from '#engine/light';
import {
  type Breaking,
  breakingChanges,
  type ContractField,
} from '../../runtime/contract/breaking-changes.ts';
import { isObject } from '../../runtime/json-object.ts';
import { counted } from '../console/output.ts';

/** One difference between two versions of a template file. */
export interface Change {
  /** Name of a field, or JSON path in the file. */
  readonly path: string;
  readonly change: 'added' | 'removed' | 'changed';
  /** The whole value, where files are named by type and size; '' when there is no value. */
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
  /** The changes that callers of the version before would notice. */
  readonly breaking: readonly Breaking[];
}

/** Limit of the listed differences of the layout. */
const CHANGES_MAX = 100;
/** Keys of the file that are not part of the layout. */
const NOT_LAYOUT = new Set(['fields', 'samples', '$schema']);

/** Compares two template files, parsed. */
export function diffTemplates(before: unknown, after: unknown): TemplateDiff {
  const changes = differences(layoutOf(before), layoutOf(after)).map(
    ({ path, before: was, after: is }): Change => {
      const change = was === undefined ? 'added' : is === undefined ? 'removed' : 'changed';
      return { path, change, before: valueText(was), after: valueText(is) };
    },
  );
  const layout = changes.slice(0, CHANGES_MAX);
  const layoutOmitted = changes.length - layout.length;
  const contract = diffFields(before, after);
  return {
    contract,
    layout,
    layoutOmitted,
    breaking: breakingChanges(contractOf(before), contractOf(after)),
  };
}

/** Limits of what a line quotes of a value. */
const QUOTES = { lengthMax: 100, lead: 30 };

/** A change in a line; long values are quoted where they differ. */
export function describeChange(kind: string, { path, change, before, after }: Change): string {
  const quoted = quotes(before, after, QUOTES);
  const values = [quoted.before, quoted.after].filter((value) => value !== '').join(' → ');
  return `  ${kind}${path} ${change}${values === '' ? '' : `: ${values}`}`;
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

/** Says in a line for each change what callers would notice. */
export function describeBreaking(breaking: readonly Breaking[]): readonly string[] {
  return breaking.map((change) => {
    switch (change.kind) {
      case 'removed':
        return `callers still send the field ${change.field}, which is no longer read`;
      case 'required':
        return `callers must send the field ${change.field}`;
      case 'type':
        return `callers must send ${change.to} in the field ${change.field}, not ${change.from}`;
      case 'choices':
        return choicesLine(change.field, change.gone, change.left);
      case 'stricter':
        return `values of the field ${change.field} may be refused that were accepted`;
    }
  });
}

/** Limit of the choices that a line names. */
const CHOICES_MAX = 10;

function choicesLine(field: string, gone: readonly string[], left: readonly string[]): string {
  return gone.length === 0
    ? `callers must send one of ${listed(left)} in the field ${field}, which took any value`
    : `callers must not send ${listed(gone)} in the field ${field} any more`;
}

function listed(choices: readonly string[]): string {
  const named = choices.slice(0, CHOICES_MAX).map((choice) => shown(choice));
  const more = choices.length - named.length;
  return [...named, ...(more > 0 ? [`${more} more`] : [])].join(', ');
}

/** A draft that is to be published, a version that was, or an earlier one that is in use again. */
export type Moment = 'draft' | 'rolled back' | { readonly rollback: string };

/**
 * Says in one line how to keep serving callers of the version `before`; null when none of them is
 * refused. Removed fields refuse nobody: callers may go on sending them. `moment`: what was done;
 * `rollback` is the command that undoes it.
 */
export function wayOut(
  breaking: readonly Breaking[],
  before: number,
  moment: Moment,
): string | null {
  if (breaking.every(({ kind }) => kind === 'removed')) return null;
  const refused =
    'callers who do not follow are refused with invalid_data. Those who name "version": ' +
    `${before} are not`;
  if (moment === 'rolled back') return refused;
  const returning = moment === 'draft' ? '' : `return to it (${moment.rollback}), and `;
  return (
    `${refused}; to spare all, ${returning}publish with the old field as it was beside the new one,` +
    ' which is optional; or publish the change under a new templateId'
  );
}

function contractOf(file: unknown): readonly ContractField[] {
  return [...fieldsOf(file)].map(([name, field]) => ({
    name,
    type: String(valueOf(field, 'type')),
    required: valueOf(field, 'required') === true,
    validation: rulesOf(field),
  }));
}

/** All that refuses values: a template has choices beside `validation`, and a mask in `format`. */
function rulesOf(field: object): object {
  const [validation, choices] = [valueOf(field, 'validation'), valueOf(field, 'choices')];
  const format = valueOf(field, 'format');
  const mask = isObject(format) ? valueOf(format, 'mask') : undefined;
  return {
    ...(isObject(validation) ? validation : {}),
    ...(Array.isArray(choices) ? { choices: choices.map(choiceOf) } : {}),
    ...(mask === undefined ? {} : { mask }),
  };
}

/** A choice is its value, or an object with it and labels. */
function choiceOf(choice: unknown): string {
  return String(isObject(choice) ? valueOf(choice, 'value') : choice);
}

function diffFields(before: unknown, after: unknown): readonly Change[] {
  const [oldFields, newFields] = [fieldsOf(before), fieldsOf(after)];
  const changes: Change[] = [];
  for (const [name, oldField] of oldFields) {
    const newField = newFields.get(name);
    if (newField === undefined) {
      changes.push({ path: name, change: 'removed', before: valueText(oldField), after: '' });
    } else if (!isSame(oldField, newField)) {
      changes.push({ path: name, change: 'changed', ...differingKeys(oldField, newField) });
    }
  }
  for (const [name, field] of newFields) {
    if (!oldFields.has(name)) {
      changes.push({
        path: name,
        change: 'added',
        before: '',
        after: valueText(withoutName(field)),
      });
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
      .map((key) => `${key} ${valueText(valueOf(from, key))}`)
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
