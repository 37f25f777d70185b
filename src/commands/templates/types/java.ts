import type { TypedField, TypeSource } from './model.ts';
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

const TYPES: Readonly<Record<TypedField['type'], string>> = {
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
  const names = uniqueNames(
    fields.map(({ name }) => name),
    RULES,
  );
  const named = fields.map((field, at): Named => ({ ...field, own: names[at] ?? '' }));
  const isRecord = fields.length <= COMPONENTS_MAX;
  return [
    ...origin.map((line) => `// ${escaped(line)}`),
    ...(scope === '' ? [] : [`package ${scope};`]),
    '',
    ...importsOf(fields),
    '',
    ...(isRecord ? recordHead(typeName, named) : classHead(typeName, named)),
    '',
    ...toData(named),
    '',
    ...fromData(typeName, named, isRecord),
    '}',
    '',
  ].join('\n');
}

function importsOf(fields: readonly TypedField[]): readonly string[] {
  const has = (type: TypedField['type']): boolean => fields.some((field) => field.type === type);
  return [
    ...(has('number') ? ['import java.math.BigDecimal;'] : []),
    ...(has('date') ? ['import java.time.LocalDate;'] : []),
    'import java.util.LinkedHashMap;',
    ...(has('table') ? ['import java.util.List;'] : []),
    'import java.util.Map;',
  ];
}

function recordHead(typeName: string, fields: readonly Named[]): readonly string[] {
  const components = fields.flatMap((field, at) => [
    ...commentOf(field),
    `    ${TYPES[field.type]} ${field.own}${at === fields.length - 1 ? '' : ','}`,
  ]);
  return [`public record ${typeName}(`, ...components, ') {'];
}

function classHead(typeName: string, fields: readonly Named[]): readonly string[] {
  const members = fields.flatMap((field) => [
    ...commentOf(field),
    `    public ${TYPES[field.type]} ${field.own};`,
  ]);
  return [`public final class ${typeName} {`, ...members];
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
  const puts = fields.map(({ name, own, type }) => {
    const text = type === 'number' ? '.toPlainString()' : type === 'date' ? '.toString()' : '';
    return `        if (this.${own} != null) data.put(${literal(name)}, this.${own}${text});`;
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

function fromData(
  typeName: string,
  fields: readonly Named[],
  isRecord: boolean,
): readonly string[] {
  const values = fields.map(({ name, type }) => {
    const value = `data.get(${literal(name)})`;
    if (type === 'number') return `${value} == null ? null : new BigDecimal(${value}.toString())`;
    if (type === 'date') return `${value} == null ? null : LocalDate.parse(${value}.toString())`;
    return `(${TYPES[type]}) ${value}`;
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
