import { LIMITS } from '../../../limits.ts';
import type { ContractProblem } from '../problem.ts';
import { error } from '../problem.ts';
import type { FieldDescriptor, FieldType } from '../types.ts';
import { ENTRY_NAMES } from './columns.ts';

/** What stands around a field. */
interface Around {
  /** The path of the array of fields that it is in. */
  readonly path: string;
  /** Records and lists around it. */
  readonly depth: number;
  readonly lists: number;
}

/** Words that `{{…}}` knows already: no record, list or entry may have such a name. */
export const PLACEHOLDER_WORDS: ReadonlySet<string> = new Set([
  'page',
  'pages',
  'statement',
  'signature',
  'sum',
]);
/** A name that can stand in a path such as `account.number`. */
const PATH_NAME = /^[\p{L}_][\p{L}\p{M}\p{N}_-]*$/u;
const NAME_FAULT =
  'must consist of letters, digits, _ and -, beginning with a letter or _: it stands in paths such ' +
  'as "customer.name".';
/** Types that an entry cannot hold: its values are texts, and lists of further entries. */
const NOT_IN_ENTRIES: ReadonlySet<FieldType> = new Set(['image', 'svg', 'table']);

/** Whether a name can stand in a path. */
export function isPathName(name: string): boolean {
  return PATH_NAME.test(name);
}

/** The problems of records and lists: their names, what may stand in them, and how deep. */
export function nestingProblems(fields: readonly FieldDescriptor[]): ContractProblem[] {
  const problems: ContractProblem[] = [];
  const plain = new Map(
    fields.flatMap((field, index) => (hasFields(field) ? [] : [[field.name, index] as const])),
  );
  addProblems(fields, { path: 'fields', depth: 0, lists: 0 }, problems);
  for (const [index, field] of fields.entries()) {
    if (!hasFields(field)) continue;
    const at = `fields[${index}].name`;
    if (PLACEHOLDER_WORDS.has(field.name)) {
      problems.push(error(at, `is a word of placeholders; a ${field.type} cannot have this name.`));
    }
    for (const [name, other] of plain) {
      if (!name.startsWith(`${field.name}.`)) continue;
      const message = `reads as a path into ${JSON.stringify(field.name)}; rename one of the two.`;
      problems.push(error(`fields[${other}].name`, message));
    }
  }
  return problems;
}

function addProblems(
  fields: readonly FieldDescriptor[],
  around: Around,
  problems: ContractProblem[],
): void {
  for (const [index, field] of fields.entries()) {
    const path = `${around.path}[${index}]`;
    const isInside = around.depth > 0;
    if ((isInside || hasFields(field)) && !isPathName(field.name)) {
      problems.push(error(`${path}.name`, NAME_FAULT));
    }
    if (isInside && ENTRY_NAMES.some((name) => name === field.name)) {
      problems.push(error(`${path}.name`, `is a name that every entry of a list has already.`));
    }
    if (around.lists > 0 && NOT_IN_ENTRIES.has(field.type)) {
      const message = `is ${field.type}, which cannot stand in a list; a record outside of lists can hold it.`;
      problems.push(error(`${path}.type`, message));
    }
    if (!hasFields(field)) continue;
    const lists = around.lists + (field.type === 'list' ? 1 : 0);
    const depth = around.depth + 1;
    if (lists > LIMITS.listDepthMax) {
      const message = `Lists stand in one another ${LIMITS.listDepthMax} deep at most.`;
      problems.push(error(path, message));
    } else if (depth > LIMITS.nestedFieldsDepthMax) {
      const message = `Records and lists stand in one another ${LIMITS.nestedFieldsDepthMax} deep at most.`;
      problems.push(error(path, message));
    } else if (field.fields.length === 0) {
      problems.push(error(path, `A ${field.type} needs "fields" with a field at least.`));
    } else {
      if (around.lists > 0 && field.validation?.maxItemsTotal !== undefined) {
        const message = 'counts for a list that stands in no other list; give it there.';
        problems.push(error(`${path}.validation.maxItemsTotal`, message));
      }
      addProblems(field.fields, { path: `${path}.fields`, depth, lists }, problems);
    }
  }
}

function hasFields(field: FieldDescriptor): field is Extract<FieldDescriptor, { fields: unknown }> {
  return field.type === 'record' || field.type === 'list';
}
