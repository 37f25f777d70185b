import { LIMITS } from '../../../limits.ts';
import { contractProblems, isLanguage } from '../../contract/descriptor.ts';
import { ownValueProblems } from '../../contract/own-values.ts';
import { secretProblems, Secrets } from '../../contract/secrets.ts';
import { flattenFields } from '../../contract/nested/flatten.ts';
import type { ContractProblem } from '../../contract/problem.ts';
import type { FieldDescriptor, FieldType, PlainField } from '../../contract/types.ts';
import { FIELD_TYPES } from '../../contract/types.ts';
import { checkIsObject, checkObject } from '../vocabulary/check.ts';
import type { JsonObject } from '../../../runtime/json-object.ts';
import { Findings } from '../vocabulary/findings.ts';
import { FORMAT_KEYS } from './format.ts';
import type { Presented } from './presentation.ts';
import { compilePresentation, PRESENTATION_KEYS } from './presentation.ts';
import type { KeyTable } from '../vocabulary/values.ts';
import { VALUES as V, ValueType } from '../vocabulary/values.ts';

export const FIELD_KEYS = {
  name: V.name,
  type: new ValueType<FieldType>(`one of ${FIELD_TYPES.join(', ')}`, { enum: FIELD_TYPES }),
  required: V.boolean,
  secret: V.boolean,
  value: V.name,
  fields: new ValueType<readonly unknown[]>(
    'an array of field descriptors',
    { type: 'array' },
    {
      editor: { type: 'array', items: { $ref: '#/definitions/field' } },
    },
  ),
  ...PRESENTATION_KEYS,
  description: V.string,
  format: V.format,
  validation: V.object,
} as const satisfies KeyTable;

const BOUND = new ValueType<number | string>('a number, or a string that holds one', {
  type: ['number', 'string'],
});

export const VALIDATION_KEYS = {
  min: BOUND,
  max: BOUND,
  minLength: V.count,
  maxLength: V.count,
  pattern: V.name,
  minItems: V.count,
  maxItems: V.count,
  maxItemsTotal: V.count,
} as const satisfies KeyTable;

/** The part of a template that the service reads without rendering it. */
export interface TemplateHead {
  readonly templateId: string;
  readonly name: string;
  readonly language: string;
  /** By index, as `flattenFields` gives them. */
  readonly fields: readonly FieldDescriptor[];
  /** The same fields as the template nests them. */
  readonly declared: readonly FieldDescriptor[];
  readonly secrets: Secrets;
  readonly computed: readonly ComputedField[];
}

/** A field whose value an expression gives: callers cannot send it. */
export interface ComputedField {
  /** Its path in the contract. */
  readonly name: string;
  readonly steps: readonly string[];
  readonly field: PlainField;
  readonly source: string;
  /** Its place in the template: `fields[2]`. */
  readonly path: string;
}

/** The types of fields that can be computed. */
const COMPUTED_TYPES: readonly FieldType[] = ['text', 'number', 'date', 'qrcode'];

export const DEFAULT_LANGUAGE = 'en';

/** Id, name, language and contract, with their findings. */
export function compileHead(template: JsonObject, findings: Findings): TemplateHead {
  const { templateId, name, language } = template;
  const id = typeof templateId === 'string' ? templateId : '';
  const isKnown = typeof language === 'string' && language !== '' && isLanguage(language);
  const known = isKnown ? language : DEFAULT_LANGUAGE;
  const top = compileFields(template['fields'], findings);
  const declared = top.map(({ field }) => field);
  const compiled = top.flatMap(withInner);
  const asked = typeof language === 'string' ? language : known;
  const problems = contractProblems(declared, asked);
  if (compiled.length > LIMITS.fieldsMax && top.length <= LIMITS.fieldsMax) {
    const message = `A contract has ${LIMITS.fieldsMax} fields at most, those in records and lists included.`;
    findings.error('fields', message);
  }
  for (const { field, path, isSecret } of compiled) {
    if (!isSecret) continue;
    const isInside = !top.some((one) => one.path === path);
    problems.push(...(isInside ? secretInside(path) : secretProblems(field, path)));
  }
  // A field with a fault cannot check the values that the template gives for it.
  if (!problems.some(({ severity }) => severity === 'error')) {
    for (const { field, path, presented } of compiled) {
      problems.push(...ownValueProblems(field, presented.values, path, known));
    }
  }
  for (const { severity, path, message } of problems) findings[severity](path, message);
  return {
    templateId: id,
    name: typeof name === 'string' && name !== '' ? name : id,
    language: known,
    fields: flattenFields(declared),
    declared,
    computed: computedIn(top, [], findings),
    secrets: new Secrets(top.map(({ field, isSecret }) => ({ name: field.name, isSecret }))),
  };
}

/** A field with what only its own check needs to know. */
interface CompiledField {
  readonly field: FieldDescriptor;
  readonly path: string;
  readonly isSecret: boolean;
  readonly presented: Presented;
  /** The expression that computes it; null: it is sent. */
  readonly value: string | null;
  /** The fields in it. */
  readonly inner: readonly CompiledField[];
}

function withInner(field: CompiledField): readonly CompiledField[] {
  return [field, ...field.inner.flatMap(withInner)];
}

function computedIn(
  fields: readonly CompiledField[],
  around: readonly string[],
  findings: Findings,
): readonly ComputedField[] {
  return fields.flatMap(({ field, path, value, isSecret, inner }): readonly ComputedField[] => {
    const steps = [...around, field.name];
    if (value === null) return computedIn(inner, steps, findings);
    if (field.type === 'record' || field.type === 'list' || !COMPUTED_TYPES.includes(field.type)) {
      const message = `A field of type ${field.type} cannot be computed; ${COMPUTED_TYPES.join(', ')} can.`;
      findings.error(`${path}.value`, message);
      return [];
    }
    if (isSecret) {
      const message =
        'A secret field cannot be computed: expressions do not read what it would hold.';
      findings.error(`${path}.value`, message);
      return [];
    }
    return [{ name: steps.join('.'), steps, field, source: value, path }];
  });
}

/** Lists of rows show records and lists whole, so that nothing in them may be secret. */
function secretInside(path: string): readonly ContractProblem[] {
  const message = 'A field in a record or list cannot be secret; let it stand beside them.';
  return [{ severity: 'error', path: `${path}.secret`, message }];
}

function compileFields(
  source: unknown,
  findings: Findings,
  path = 'fields',
  depth = 0,
): readonly CompiledField[] {
  if (source === undefined || source === null) return [];
  if (!Array.isArray(source)) {
    findings.error(path, 'must be an array of field descriptors.');
    return [];
  }
  if (source.length > LIMITS.fieldsMax) {
    findings.error(path, `A contract has ${LIMITS.fieldsMax} fields at most.`);
  }
  return source
    .slice(0, LIMITS.fieldsMax)
    .map((field, index) => compileField(field, `${path}[${index}]`, findings, depth))
    .filter((field) => field !== null);
}

function compileField(
  source: unknown,
  path: string,
  findings: Findings,
  depth: number,
): CompiledField | null {
  const object = checkIsObject(source, path, findings);
  if (object === null) return null;
  const own = checkObject(object, path, FIELD_KEYS, findings);
  const presented = compilePresentation(own, path, findings);
  const { name, type } = own;
  if (name === undefined || type === undefined) {
    const isMissing = object['name'] === undefined || object['type'] === undefined;
    if (isMissing) findings.error(path, 'A field needs "name" and "type".');
    return null;
  }
  if (/[{}]/.test(name) || name !== name.trim()) {
    findings.error(`${path}.name`, 'A name has no braces, and no blanks at its ends.');
  }
  if (own.columns !== undefined && type !== 'table') {
    findings.warning(`${path}.columns`, `has no effect on a ${type} field.`);
  }
  const format =
    own.format === undefined
      ? null
      : checkShape(own.format, `${path}.format`, FORMAT_KEYS, findings);
  const common = {
    name,
    required: own.required ?? seemsRequired(object),
    ...(format === null ? {} : { format }),
    ...validationOf(own.validation, presented, path, findings),
  };
  const isSecret = own.secret ?? false;
  const value = own.value ?? null;
  if (type !== 'record' && type !== 'list') {
    if (own.fields !== undefined) {
      findings.error(`${path}.fields`, 'needs the type record or list.');
      // The field is dropped: with this type, each use of its inner fields in the layout would be
      // reported, too.
      return null;
    }
    return { field: { ...common, type }, path, isSecret, presented, value, inner: [] };
  }
  // Deeper fields are not read; that they are too deep is one of the problems of the contract.
  const isDeep = depth >= LIMITS.nestedFieldsDepthMax;
  const inner = isDeep ? [] : compileFields(own.fields, findings, `${path}.fields`, depth + 1);
  // Each of its fields has a fault that has been reported. That no field is left is only a
  // consequence.
  if (!isDeep && inner.length === 0 && (own.fields ?? []).length > 0) return null;
  const fields = inner.map((one) => one.field);
  return { field: { ...common, type, fields }, path, isSecret, presented, value, inner };
}

/**
 * "true" in quotes, and an unknown key that is true, such as "requird", have been reported. The field
 * counts as required, so that a reference made of it is not reported as optional, too.
 */
function seemsRequired(object: JsonObject): boolean {
  if (object['required'] === 'true') return true;
  return Object.keys(object).some((key) => object[key] === true && !Object.hasOwn(FIELD_KEYS, key));
}

function validationOf(
  source: unknown,
  { choices }: Presented,
  path: string,
  findings: Findings,
): Pick<FieldDescriptor, 'validation'> {
  const stated =
    source === undefined
      ? null
      : checkShape(source, `${path}.validation`, VALIDATION_KEYS, findings);
  if (stated === null && choices === undefined) return {};
  return { validation: { ...stated, ...(choices === undefined ? {} : { choices }) } };
}

function checkShape<K extends KeyTable>(
  source: unknown,
  path: string,
  keys: K,
  findings: Findings,
): ReturnType<typeof checkObject<K>> | null {
  const object = checkIsObject(source, path, findings);
  return object === null ? null : checkObject(object, path, keys, findings);
}
