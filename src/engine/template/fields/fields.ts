import { LIMITS } from '../../../limits.ts';
import { contractProblems, isLanguage } from '../../contract/descriptor.ts';
import { ownValueProblems } from '../../contract/own-values.ts';
import { secretProblems, Secrets } from '../../contract/secrets.ts';
import type { FieldDescriptor, FieldType } from '../../contract/types.ts';
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
} as const satisfies KeyTable;

/** The part of a template that the service reads without rendering it. */
export interface TemplateHead {
  readonly templateId: string;
  readonly name: string;
  readonly language: string;
  readonly fields: readonly FieldDescriptor[];
  readonly secrets: Secrets;
}

export const DEFAULT_LANGUAGE = 'en';

/** Id, name, language and contract, with their findings. */
export function compileHead(template: JsonObject, findings: Findings): TemplateHead {
  const { templateId, name, language } = template;
  const id = typeof templateId === 'string' ? templateId : '';
  const isKnown = typeof language === 'string' && language !== '' && isLanguage(language);
  const known = isKnown ? language : DEFAULT_LANGUAGE;
  const compiled = compileFields(template['fields'], findings);
  const fields = compiled.map(({ field }) => field);
  const asked = typeof language === 'string' ? language : known;
  const problems = contractProblems(fields, asked);
  for (const { field, path, isSecret } of compiled) {
    if (isSecret) problems.push(...secretProblems(field, path));
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
    fields,
    secrets: new Secrets(compiled.map(({ field, isSecret }) => ({ name: field.name, isSecret }))),
  };
}

/** A field with what only its own check needs to know. */
interface CompiledField {
  readonly field: FieldDescriptor;
  readonly path: string;
  readonly isSecret: boolean;
  readonly presented: Presented;
}

function compileFields(source: unknown, findings: Findings): readonly CompiledField[] {
  if (source === undefined || source === null) return [];
  if (!Array.isArray(source)) {
    findings.error('fields', 'must be an array of field descriptors.');
    return [];
  }
  if (source.length > LIMITS.fieldsMax) {
    findings.error('fields', `A contract has ${LIMITS.fieldsMax} fields at most.`);
  }
  return source
    .slice(0, LIMITS.fieldsMax)
    .map((field, index) => compileField(field, `fields[${index}]`, findings))
    .filter((field) => field !== null);
}

function compileField(source: unknown, path: string, findings: Findings): CompiledField | null {
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
  const field = {
    name,
    type,
    required: own.required ?? false,
    ...(format === null ? {} : { format }),
    ...validationOf(own.validation, presented, path, findings),
  };
  return { field, path, isSecret: own.secret ?? false, presented };
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
