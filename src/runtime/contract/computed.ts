/** A field as field discovery gives it. */
interface DescribedField {
  readonly validation?: object;
  /** record, list: what stands in it. */
  readonly fields?: readonly object[];
}

/** Whether the template computes the value of a field, so that callers cannot send it. */
export function isComputed({ validation = {} }: DescribedField): boolean {
  return Object.hasOwn(validation, 'computed') && Reflect.get(validation, 'computed') === true;
}

/** The fields that callers send, without computed ones, also in records and lists. */
export function sentFields<Field extends DescribedField>(
  fields: readonly Field[],
): readonly Field[] {
  return fields
    .filter((field) => !isComputed(field))
    .map((field) =>
      field.fields === undefined ? field : { ...field, fields: sentFields(field.fields) },
    );
}
