import type { PlainType } from '#engine';
import { type EntryType, entryTypes, type TypedField, type TypeSource } from './model.ts';
import { literal, type NameRules, uniqueNames, wordsOf } from './names.ts';

export const RULES: NameRules = {
  isPascal: false,
  illegal: /[^\p{L}\p{Nd}\p{Mn}\p{Mc}]/gu,
  // Keywords, and names that a record gives a meaning (JLS 8.10.1).
  reserved:
    wordsOf(`abstract assert boolean break byte case catch char class const continue default do
    double else enum extends false final finally float for goto if implements import instanceof int
    interface long native new null package private protected public return short static strictfp
    super switch synchronized this throw throws transient true try void volatile while
    clone finalize getClass hashCode notify notifyAll toString wait equals toData fromData data`),
};

const TYPES: Readonly<Record<PlainType, string>> = {
  text: 'String',
  number: 'BigDecimal',
  date: 'LocalDate',
  image: 'String',
  qrcode: 'String',
  table: 'List<List<String>>',
  svg: 'String',
};

/** A constructor takes at most 255 values (JVMS 4.11): more become fields of a class. */
const COMPONENTS_MAX = 250;

interface Named extends TypedField {
  readonly own: string;
}

/** A record with `toData`, whose map is what the client sends, and `fromData`. */
export function toJava({ typeName, scope, origin, fields }: TypeSource): string {
  return [
    ...origin.map((line) => `// ${escaped(line)}`),
    ...(scope === '' ? [] : [`package ${scope};`]),
    '',
    ...importsOf([fields, ...entryTypes(fields).map((entry) => entry.fields)].flat()),
    '',
    ...bodyOf({ typeName, fields }, ''),
    '',
  ].join('\n');
}

/** A type, with the types of its records and lists in it. */
function bodyOf({ typeName, fields }: EntryType, nesting: '' | 'static '): readonly string[] {
  const names = uniqueNames(
    fields.map(({ name }) => name),
    RULES,
  );
  const named = fields.map((field, at): Named => ({ ...field, own: names[at] ?? '' }));
  const isRecord = fields.length <= COMPONENTS_MAX;
  const inner = fields.flatMap(({ entry }) =>
    entry === null ? [] : ['', ...bodyOf(entry, 'static ').map(indented)],
  );
  return [
    ...(isRecord ? recordHead(typeName, named) : classHead(typeName, named, nesting)),
    '',
    ...toData(named),
    '',
    ...fromData(typeName, named, isRecord),
    ...inner,
    '}',
  ];
}

function indented(line: string): string {
  return line === '' ? '' : `    ${line}`;
}

function typeOf({ type, entry }: TypedField): string {
  if (entry !== null) return type === 'list' ? `List<${entry.typeName}>` : entry.typeName;
  // Only records and lists have an entry.
  return TYPES[type as PlainType];
}

function importsOf(fields: readonly TypedField[]): readonly string[] {
  const has = (type: TypedField['type']): boolean => fields.some((field) => field.type === type);
  return [
    ...(has('number') ? ['import java.math.BigDecimal;'] : []),
    ...(has('date') ? ['import java.time.LocalDate;'] : []),
    'import java.util.LinkedHashMap;',
    ...(has('table') || has('list') ? ['import java.util.List;'] : []),
    'import java.util.Map;',
  ];
}

function recordHead(typeName: string, fields: readonly Named[]): readonly string[] {
  const components = fields.flatMap((field, at) => [
    ...commentOf(field),
    `    ${typeOf(field)} ${field.own}${at === fields.length - 1 ? '' : ','}`,
  ]);
  return [`public record ${typeName}(`, ...components, ') {'];
}

function classHead(
  typeName: string,
  fields: readonly Named[],
  nesting: '' | 'static ',
): readonly string[] {
  const members = fields.flatMap((field) => [
    ...commentOf(field),
    `    public ${typeOf(field)} ${field.own};`,
  ]);
  return [`public ${nesting}final class ${typeName} {`, ...members];
}

function commentOf({ comment, isRequired }: TypedField): readonly string[] {
  const lines = comment.map((line) => `     * ${escaped(line)}`);
  return ['    /**', ...lines, ...(isRequired ? [] : ['     * null: absent.']), '     */'];
}

/** Java reads a backslash with a u everywhere, and Javadoc reads HTML. */
function escaped(line: string): string {
  return line
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('\\', '&#92;')
    .replaceAll('*/', '*&#47;')
    .replaceAll('@', '&#64;');
}

function toData(fields: readonly Named[]): readonly string[] {
  const puts = fields.map((field) => {
    const { name, own } = field;
    return `        if (this.${own} != null) data.put(${literal(name)}, this.${own}${sent(field)});`;
  });
  return [
    '    /** The data of a request, in the order of the contract. */',
    '    public Map<String, Object> toData() {',
    '        var data = new LinkedHashMap<String, Object>();',
    ...puts,
    '        return data;',
    '    }',
  ];
}

/** What makes of a value what is sent. */
function sent({ type, entry }: TypedField): string {
  if (type === 'list') return `.stream().map(${entry?.typeName}::toData).toList()`;
  if (type === 'record') return '.toData()';
  if (type === 'number') return '.toPlainString()';
  return type === 'date' ? '.toString()' : '';
}

function fromData(
  typeName: string,
  fields: readonly Named[],
  isRecord: boolean,
): readonly string[] {
  const values = fields.map((field) => {
    const { name, type, entry } = field;
    const value = `data.get(${literal(name)})`;
    if (entry !== null) return read(value, entry.typeName, type === 'list');
    if (type === 'number') return `${value} == null ? null : new BigDecimal(${value}.toString())`;
    if (type === 'date') return `${value} == null ? null : LocalDate.parse(${value}.toString())`;
    return `(${typeOf(field)}) ${value}`;
  });
  const made = isRecord
    ? [
        `        return new ${typeName}(`,
        ...values.map((value, at) => `            ${value}${at === values.length - 1 ? '' : ','}`),
        '        );',
      ]
    : [
        `        var made = new ${typeName}();`,
        ...values.map((value, at) => `        made.${fields[at]?.own ?? ''} = ${value};`),
        '        return made;',
      ];
  return [
    '    /** Reads such data again. */',
    '    @SuppressWarnings("unchecked")',
    `    public static ${typeName} fromData(Map<String, ?> data) {`,
    ...made,
    '    }',
  ];
}

/** A record or list of a map that may lack it. */
function read(value: string, typeName: string, isList: boolean): string {
  const made = isList
    ? `((List<Map<String, ?>>) ${value}).stream().map(${typeName}::fromData).toList()`
    : `${typeName}.fromData((Map<String, ?>) ${value})`;
  return `${value} == null ? null : ${made}`;
}
