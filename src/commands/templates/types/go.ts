import { type EntryType, entryTypes, type TypedField, type TypeSource } from './model.ts';
import { literal, type NameRules, uniqueNames, wordsOf } from './names.ts';

const RULES: NameRules = {
  isPascal: true,
  // Go takes letters and digits only: no marks, such as the tones of Thai.
  illegal: /[^\p{L}\p{Nd}]/gu,
  reserved: wordsOf('MarshalJSON UnmarshalJSON'),
};

/** Names that encoding/json takes from a tag; it ignores a tag with any other. */
const TAG = /^[\p{L}\p{Nd}!#$%&()*+\-./:;<=>?@[\]^_{|}~ ]+$/u;
const PACKAGE = 'templates';

interface Named extends TypedField {
  readonly own: string;
}

/** A struct; numbers and days are strings, and an empty string counts as absent. */
export function toGo({ typeName, scope, origin, fields }: TypeSource): string {
  const types = [{ typeName, fields }, ...entryTypes(fields)];
  return [
    ...origin.map((line) => `// ${line}`),
    `package ${scope === '' ? PACKAGE : scope}`,
    '',
    ...(types.every(isTagged) ? [] : ['import "encoding/json"', '']),
    `// ${typeName} is the data of a document.`,
    ...types.flatMap(structOf),
  ].join('\n');
}

function isTagged({ fields }: EntryType): boolean {
  return fields.every(({ name }) => TAG.test(name));
}

function structOf(type: EntryType): readonly string[] {
  const { typeName, fields } = type;
  const names = uniqueNames(
    fields.map(({ name }) => name),
    RULES,
  );
  const named = fields.map((field, at): Named => ({ ...field, own: names[at] ?? '' }));
  const hasTags = isTagged(type);
  const members = named.flatMap((field) => [
    ...field.comment.map((line) => `\t// ${line}`),
    `\t${field.own} ${typeOf(field)}${hasTags ? tagOf(field) : ''}`,
  ]);
  return [
    `type ${typeName} struct {`,
    ...members,
    '}',
    ...(hasTags ? [] : codecOf(typeName, named)),
    '',
  ];
}

function typeOf({ type, isRequired, entry }: TypedField): string {
  if (entry === null) return type === 'table' ? '[][]string' : 'string';
  if (type === 'list') return `[]${entry.typeName}`;
  // Only a pointer can be absent.
  return isRequired ? entry.typeName : `*${entry.typeName}`;
}

function tagOf({ name, isRequired }: TypedField): string {
  // "-" alone would leave the field out.
  const options = isRequired ? (name === '-' ? ',' : '') : ',omitempty';
  return ` \`json:"${name}${options}"\``;
}

/** A name that no tag can hold is written by hand, for example one with a tone mark. */
function codecOf(typeName: string, fields: readonly Named[]): readonly string[] {
  const writes = fields.map(({ name, own, isRequired, type }) => {
    const put = `data[${literal(name)}] = d.${own}`;
    const isThere = type === 'record' ? `d.${own} != nil` : `len(d.${own}) > 0`;
    return isRequired ? `\t${put}` : `\tif ${isThere} {\n\t\t${put}\n\t}`;
  });
  const reads = fields.map(
    ({ name, own }) =>
      `\tif raw, ok := data[${literal(name)}]; ok {\n` +
      `\t\tif err := json.Unmarshal(raw, &d.${own}); err != nil {\n\t\t\treturn err\n\t\t}\n\t}`,
  );
  return [
    '',
    '// MarshalJSON writes the names of the contract, which no tag can hold.',
    `func (d ${typeName}) MarshalJSON() ([]byte, error) {`,
    '\tdata := map[string]interface{}{}',
    ...writes,
    '\treturn json.Marshal(data)',
    '}',
    '',
    '// UnmarshalJSON reads what MarshalJSON writes.',
    `func (d *${typeName}) UnmarshalJSON(text []byte) error {`,
    '\tvar data map[string]json.RawMessage',
    '\tif err := json.Unmarshal(text, &data); err != nil {\n\t\treturn err\n\t}',
    ...reads,
    '\treturn nil',
    '}',
  ];
}
