import type { Field, FieldPresentation, LocalText } from '../api/field-types.ts';
import type { Data } from '../api/template-data.ts';
import { language } from '../app/state.ts';

/** The text in the reader's language, or else the first one; '' if there is none. */
export function textIn(text: LocalText | undefined): string {
  const tags = Object.keys(text ?? {});
  const wanted = language.value;
  const tag = tags.find((one) => one === wanted || one.startsWith(`${wanted}-`)) ?? tags[0];
  return tag === undefined ? '' : (text?.[tag] ?? '');
}

function presentationOf(field: Field): FieldPresentation {
  return field.format?.presentation ?? {};
}

/** The field's label in the user's language, or else its name. */
export function labelOf(field: Field): string {
  return textIn(presentationOf(field).label) || field.name;
}

export function hasLabel(field: Field): boolean {
  return labelOf(field) !== field.name;
}

export function helpOf(field: Field): string {
  return textIn(presentationOf(field).help);
}

export function exampleOf(field: Field): string {
  return textIn(presentationOf(field).example);
}

/** The values that the field takes, with the words for them; empty: any value. */
export function choicesOf(field: Field): readonly (readonly [value: string, label: string])[] {
  const labels = presentationOf(field).choices ?? {};
  return (field.validation?.choices ?? []).map((value) => [value, textIn(labels[value]) || value]);
}

/** Whether the input hides what is typed. */
export function isSecret(field: Field): boolean {
  return presentationOf(field).secret === true;
}

/** The headings of a table's columns; '' where the template gives none. */
export function headingsOf(field: Field): readonly string[] {
  return (presentationOf(field).columns ?? []).map(textIn);
}

/** Fields that stand together in a form. */
export interface Section {
  /** '': without a heading. */
  readonly title: string;
  readonly fields: readonly Field[];
}

/** The fields by group, each group where its first field stands. */
export function sectionsOf(fields: readonly Field[]): readonly Section[] {
  const sections: { title: string; fields: Field[] }[] = [];
  for (const field of fields) {
    const title = textIn(presentationOf(field).group);
    const last = sections.at(-1);
    const own =
      title === ''
        ? last?.title === ''
          ? last
          : undefined
        : sections.find((one) => one.title === title);
    if (own === undefined) sections.push({ title, fields: [field] });
    else own.fields.push(field);
  }
  return sections;
}

/** The examples of all fields that have one. */
export function exampleData(fields: readonly Field[]): Data {
  const examples = fields.map((field) => [field.name, exampleOf(field)] as const);
  return Object.fromEntries(examples.filter(([, example]) => example !== ''));
}
