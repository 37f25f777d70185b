import type { Field, FieldPresentation, LocalText } from '../api/field-types.ts';

type Source = Readonly<Record<string, unknown>>;

/**
 * A field of a template's text, as field discovery describes it. A draft may be anything: what is
 * malformed is left out.
 */
export function describedField(field: Field, language: string): Field {
  // The field is an object of the template's own text, with keys that `Field` does not name.
  const source = field as unknown as Source;
  const presentation = presentationIn(source, language);
  const choices = listOf(source['choices'])
    .map(valueOf)
    .filter((value) => value !== '');
  const hasPresentation = Object.keys(presentation).length > 0;
  const isComputed = typeof source['value'] === 'string';
  const rules = {
    ...(choices.length > 0 ? { choices } : {}),
    ...(isComputed ? { computed: true } : {}),
  };
  const hasRules = Object.keys(rules).length > 0;
  return {
    name: field.name,
    type: field.type,
    required: (field.required || false) && !isComputed,
    ...(isSource(field.format) || hasPresentation
      ? { format: { ...field.format, ...(hasPresentation ? { presentation } : {}) } }
      : {}),
    ...(isSource(field.validation) || hasRules
      ? { validation: { ...field.validation, ...rules } }
      : {}),
    ...innerFields(source, language),
  };
}

/** What stands in a record or list, each as a field by itself. */
function innerFields(source: Source, language: string): Pick<Field, 'fields'> {
  const { type, fields } = source;
  if ((type !== 'record' && type !== 'list') || !Array.isArray(fields)) return {};
  // The service checks names and types of fields; here they may be anything, as on the outside.
  const inner = fields.filter(isSource) as unknown as readonly Field[];
  return { fields: inner.map((field) => ({ ...describedField(field, language) })) };
}

function presentationIn(source: Source, language: string): FieldPresentation {
  const text = (value: unknown): LocalText | null => textsOf(value, language);
  const labels = listOf(source['choices']).flatMap((choice) => {
    const label = isSource(choice) ? text(choice['label']) : null;
    return label === null ? [] : [[valueOf(choice), label] as const];
  });
  const columns = listOf(source['columns']).map((column) => text(column) ?? {});
  const texts = (['label', 'help', 'group', 'example'] as const).flatMap((key) => {
    const value = text(source[key]);
    return value === null ? [] : [[key, value] as const];
  });
  return {
    ...Object.fromEntries(texts),
    ...(labels.length === 0 ? {} : { choices: Object.fromEntries(labels) }),
    ...(columns.length === 0 ? {} : { columns }),
    ...(source['secret'] === true ? { secret: true } : {}),
  };
}

function valueOf(choice: unknown): string {
  const value = isSource(choice) ? choice['value'] : choice;
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}

function textsOf(value: unknown, language: string): LocalText | null {
  if (typeof value === 'number') return { [language]: String(value) };
  if (typeof value === 'string') return value === '' ? null : { [language]: value };
  if (!isSource(value)) return null;
  const texts = Object.entries(value).filter(
    (entry): entry is [string, string] => typeof entry[1] === 'string',
  );
  return texts.length === 0 ? null : Object.fromEntries(texts);
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function isSource(value: unknown): value is Source {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
