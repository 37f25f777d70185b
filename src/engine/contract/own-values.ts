import { CHOICE_TYPES } from './choices.ts';
import { compileContract } from './contract.ts';
import type { ContractProblem } from './problem.ts';
import { error, warning } from './problem.ts';
import { REASONS } from './reasons.ts';
import type { FieldDescriptor, FieldType } from './types.ts';

/**
 * The values that the template's author wrote into a field: its choices and its example. The keys are
 * paths relative to the field, such as `.example`.
 */
export type OwnValues = ReadonlyMap<string, string>;

/** The types of fields that can have an example: what a person types into one input. */
const EXAMPLE_TYPES: ReadonlySet<FieldType> = new Set([...CHOICE_TYPES, 'qrcode']);

/**
 * The problems of the choices and the example of a field: each is checked as if a caller had sent it.
 * The descriptor must have passed `contractProblems`.
 */
export function ownValueProblems(
  field: FieldDescriptor,
  values: OwnValues,
  path: string,
  language: string,
): ContractProblem[] {
  if (field.validation?.choices !== undefined && !CHOICE_TYPES.includes(field.type)) {
    return [error(`${path}.choices`, `cannot be given for a ${field.type} field.`)];
  }
  if (values.size === 0) return [];
  if (!EXAMPLE_TYPES.has(field.type)) {
    return [warning(`${path}.example`, `has no effect on a ${field.type} field.`)];
  }
  const problems: ContractProblem[] = [];
  const contract = compileContract([field], language);
  for (const [at, value] of values) {
    const data = new TextEncoder().encode(JSON.stringify({ [field.name]: value }));
    const checked = contract.check(data);
    // Only images are checked asynchronously.
    if (checked instanceof Promise || checked.ok) continue;
    const reason = checked.fields?.[0]?.reason ?? checked.code;
    const message =
      reason === REASONS.choice
        ? 'is not among the choices of the field.'
        : `is refused by the field itself: ${reason}.`;
    problems.push(error(path + at, message));
  }
  return problems;
}
