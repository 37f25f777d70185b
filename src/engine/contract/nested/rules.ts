import { LIMITS } from '../../../limits.ts';
import type { FieldRules } from '../definition.ts';
import type { ContractProblem } from '../problem.ts';
import { error } from '../problem.ts';
import type { FieldValidation } from '../types.ts';

/** record: a JSON object with fields of its own, or a JSON string of one. */
export const RECORD_FIELD: FieldRules = { formatKeys: [], validationKeys: [], prints: null };

/** list: an array of JSON objects, which all have the same fields, or a JSON string of one. */
export const LIST_FIELD: FieldRules = {
  formatKeys: [],
  validationKeys: ['minItems', 'maxItems', 'maxItemsTotal'],
  prints: null,
  problems: boundProblems,
};

function boundProblems(validation: FieldValidation, path: string): readonly ContractProblem[] {
  const problems: ContractProblem[] = [];
  for (const key of ['minItems', 'maxItems', 'maxItemsTotal'] as const) {
    const bound = validation[key];
    const isCount = bound === undefined || (Number.isSafeInteger(bound) && bound >= 0);
    if (!isCount) problems.push(error(`${path}.${key}`, 'must be a whole number from 0.'));
  }
  const { minItems, maxItems, maxItemsTotal } = validation;
  if (minItems !== undefined && maxItems !== undefined && minItems > maxItems) {
    problems.push(error(path, 'has a minItems above its maxItems: no value could pass.'));
  }
  if (maxItemsTotal !== undefined && maxItemsTotal > LIMITS.listEntriesMax) {
    problems.push(error(`${path}.maxItemsTotal`, `must be at most ${LIMITS.listEntriesMax}.`));
  }
  return problems;
}
