import { LIMITS } from '../../../limits.ts';
import { isObject } from '../../../runtime/json-object.ts';
import type { JsonObject } from '../../../runtime/json-object.ts';
import { hasVisible } from '../../../runtime/readable-name.ts';
import { isLanguage } from '../../contract/descriptor.ts';
import { checkObject } from '../vocabulary/check.ts';
import type { Findings } from '../vocabulary/findings.ts';
import type { Checked, KeyTable } from '../vocabulary/values.ts';
import { ValueType } from '../vocabulary/values.ts';

/**
 * How people are asked for a field: label, help, group, example, the words for its choices and the
 * headings of its columns. Rendering needs none of it, so it is checked here and only field
 * discovery reads it (`presentationOf`).
 */

/** A text in the language of the template, or one for each language. */
type SourceText = string | Readonly<Record<string, string>>;
type SourceChoice = string | number | { readonly value: string | number; readonly label?: unknown };

const LANGUAGES_MAX = 20;
const LABEL_LENGTH_MAX = 120;
const HELP_LENGTH_MAX = 500;
const VALUE_LENGTH_MAX = 200;
const COLUMNS_MAX = 50;

/** Reads a text for people, by language if wanted. It must have a visible character. */
function readText(lengthMax: number): ValueType<SourceText> {
  return new ValueType<SourceText>(
    `a text of at most ${lengthMax} characters, one of them visible, or such a text for each language: {"th": …, "en": …}`,
    localText(lengthMax).schema,
    { refine: isRead },
  );
}

function isRead(value: unknown): boolean {
  const texts = isObject(value) ? Object.values(value) : [value];
  return isLocal(value) && texts.every((text) => hasVisible(String(text)));
}

/** The type of a text that people read: a string, or one for each language. */
function localText(lengthMax: number): ValueType<SourceText> {
  const one = { type: 'string', minLength: 1, maxLength: lengthMax };
  return new ValueType<SourceText>(
    `a text of at most ${lengthMax} characters, or one for each language: {"th": …, "en": …}`,
    {
      anyOf: [
        one,
        {
          type: 'object',
          minProperties: 1,
          maxProperties: LANGUAGES_MAX,
          additionalProperties: one,
        },
      ],
    },
    { refine: isLocal },
  );
}

function isLocal(value: unknown): boolean {
  return !isObject(value) || Object.keys(value).every((tag) => tag !== '' && isLanguage(tag));
}

const LABEL = readText(LABEL_LENGTH_MAX);
const VALUE = new ValueType<string | number>('a text or a number', {
  anyOf: [{ type: 'string', minLength: 1, maxLength: VALUE_LENGTH_MAX }, { type: 'number' }],
});

export const CHOICE_KEYS = { value: VALUE, label: LABEL } as const satisfies KeyTable;

export const PRESENTATION_KEYS = {
  label: LABEL,
  help: readText(HELP_LENGTH_MAX),
  group: LABEL,
  choices: new ValueType<readonly SourceChoice[]>(
    `an array of 1 to ${LIMITS.fieldChoicesMax} values, or of {"value": …, "label": …}`,
    {
      type: 'array',
      minItems: 1,
      maxItems: LIMITS.fieldChoicesMax,
      items: { type: ['string', 'number', 'object'] },
    },
    {
      editor: {
        type: 'array',
        minItems: 1,
        maxItems: LIMITS.fieldChoicesMax,
        items: { anyOf: [VALUE.schema, { $ref: '#/definitions/choice' }] },
      },
    },
  ),
  example: new ValueType<string | number | Readonly<Record<string, string>>>(
    `a value of at most ${VALUE_LENGTH_MAX} characters, or one for each language: {"th": …, "en": …}`,
    { anyOf: [{ type: 'number' }, localText(VALUE_LENGTH_MAX).schema] },
    { refine: isLocal },
  ),
  columns: new ValueType<readonly SourceText[]>(
    `an array of at most ${COLUMNS_MAX} headings, each a text with a visible character, or one for each language`,
    { type: 'array', minItems: 1, maxItems: COLUMNS_MAX, items: LABEL.schema },
    { refine: (value) => Array.isArray(value) && value.every(isRead) },
  ),
} as const satisfies KeyTable;

/** The parts of a field's presentation that the contract compiler reads. */
export interface Presented {
  /** Absent: every value that passes the field's check is taken. */
  readonly choices?: readonly string[];
  /** Choices and examples, by their path behind the field's. */
  readonly values: ReadonlyMap<string, string>;
}

/** The permitted values and the examples of a field, with the findings of its choices. */
export function compilePresentation(
  own: Checked<typeof PRESENTATION_KEYS>,
  path: string,
  findings: Findings,
): Presented {
  const values = new Map<string, string>();
  const { example } = own;
  if (isObject(example)) {
    for (const [tag, one] of Object.entries(example)) values.set(`.example.${tag}`, one);
  } else if (example !== undefined) {
    values.set('.example', String(example));
  }
  if (own.choices === undefined) return { values };
  const choices: string[] = [];
  for (const [index, source] of own.choices.entries()) {
    const at = `.choices[${index}]`;
    const value = compileChoice(source, path + at, findings);
    if (value === null) continue;
    if (choices.includes(value)) findings.error(path + at, 'is listed twice.');
    choices.push(value);
    values.set(at, value);
  }
  return { choices, values };
}

function compileChoice(source: SourceChoice, path: string, findings: Findings): string | null {
  if (!isObject(source)) {
    if (VALUE.accepts(source)) return String(source);
    findings.error(path, `must be ${VALUE.says}, of at most ${VALUE_LENGTH_MAX} characters.`);
    return null;
  }
  const { value } = checkObject(source, path, CHOICE_KEYS, findings);
  if (value !== undefined) return String(value);
  if (source['value'] === undefined) findings.error(path, 'A choice needs "value".');
  return null;
}

/** Texts by language tag. */
type LocalText = Readonly<Record<string, string>>;

/** As field discovery gives it, in `format.presentation`. */
interface Presentation {
  readonly label?: LocalText;
  readonly help?: LocalText;
  readonly group?: LocalText;
  readonly example?: LocalText;
  /** Labels of choices, by value. */
  readonly choices?: Readonly<Record<string, LocalText>>;
  readonly columns?: readonly LocalText[];
  /** Only `true`: nobody reads its values again. */
  readonly secret?: true;
}

/** The presentation of a field of any file, without what is malformed; null if none is left. */
export function presentationOf(field: JsonObject, language: string): Presentation | null {
  const texts = Object.fromEntries(
    (['label', 'help', 'group', 'example'] as const).flatMap((key) => {
      const text = textsOf(field[key], language);
      return text === null ? [] : [[key, text]];
    }),
  );
  const labels = listOf(field['choices']).flatMap((choice) => {
    if (!isObject(choice) || !VALUE.accepts(choice['value'])) return [];
    const label = textsOf(choice['label'], language);
    return label === null ? [] : [[String(choice['value']), label] as const];
  });
  const columns = listOf(field['columns']).map((column) => textsOf(column, language) ?? {});
  const presentation: Presentation = {
    ...texts,
    ...(labels.length === 0 ? {} : { choices: Object.fromEntries(labels) }),
    ...(columns.length === 0 ? {} : { columns }),
    ...(field['secret'] === true ? { secret: true as const } : {}),
  };
  return Object.keys(presentation).length === 0 ? null : presentation;
}

/** The permitted values of a field of any file; null if it has none. */
export function choicesOf(field: JsonObject): readonly string[] | null {
  const values = listOf(field['choices'])
    .map((choice) => (isObject(choice) ? choice['value'] : choice))
    .filter((value) => VALUE.accepts(value))
    .map(String);
  return values.length === 0 ? null : values;
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function textsOf(value: unknown, language: string): LocalText | null {
  if (typeof value === 'number') return { [language]: String(value) };
  if (typeof value === 'string') return value === '' ? null : { [language]: value };
  if (!isObject(value)) return null;
  const texts = Object.entries(value).filter(
    (entry): entry is [string, string] => typeof entry[1] === 'string',
  );
  return texts.length === 0 ? null : Object.fromEntries(texts);
}
