import { RULES as JAVA_RULES } from '../../src/commands/templates/types/java.ts';
import { FINAL_CODES } from '../../src/errors.ts';
import {
  type Declaration,
  declarations,
  FINAL_NOTE,
  HEADER,
  type Member,
  type Type,
  wrap,
} from './client-types.ts';

/** The types that the Java client returns. It needs none for requests, which it builds from maps. */
const ROOTS = [
  'FieldError',
  'Acknowledgement',
  'DocumentRecord',
  'FieldContract',
  'Verification',
  'Run',
  'RunWithParts',
  'RunPrint',
  'Identities',
  'IdentityCounts',
];

/** clients/java/src/intaglio/client/Api.java: a record for each object of the responses. */
export function typesOfJava(): string {
  const all = new Map(declarations().map((one) => [one.name, one]));
  const wanted = new Set<string>();
  const want = (name: string): void => {
    const { members } = all.get(name) ?? { members: null };
    if (members === null || wanted.has(name)) return;
    wanted.add(name);
    for (const { type } of members) namesIn(type).forEach(want);
  };
  ROOTS.forEach(want);
  const records = [...all.values()].filter(({ name }) => wanted.has(name));
  const isRecord = (name: string): boolean => wanted.has(name);
  const body = records.map((one) => inJava(one, isRecord)).join('\n');
  const used = ['java.math.BigDecimal', 'java.time.Instant', 'java.util.List', 'java.util.Map'];
  const codes = FINAL_CODES.map((code) => `"${code}"`).join(', ');
  const imports = used
    .filter((name) => new RegExp(`\\b${name.split('.').at(-1)}\\b`).test(body))
    .map((name) => `import ${name};`);
  return `// ${HEADER}
package intaglio.client;

${[...imports, 'import java.util.Set;'].join('\n')}

/**
 * Responses of the service. A member that the service left out is null, a list or map is empty. A
 * later release may add words to a text that is one of a fixed list of words.
 */
public final class Api {
    /** ${FINAL_NOTE} */
    static final Set<String> FINAL_CODES = Set.of(${codes});

    private Api() {
    }

${body}}
`;
}

function namesIn(type: Type): readonly string[] {
  if (type.kind === 'name') return [type.name];
  return 'item' in type ? namesIn(type.item) : [];
}

function inJava({ name, note, members }: Declaration, isRecord: (name: string) => boolean): string {
  const indent = '    ';
  const params = (members ?? []).flatMap((member) => {
    const [first = '', ...more] = wrap(`@param ${javaName(member)} ${noteOf(member)}`, indent);
    return [first, ...more.map((line) => `    ${line.trim()}`)].map(
      (line) => `${indent} * ${line.replace(indent, '')}`,
    );
  });
  const parts = (members ?? []).map(
    (member) => `${indent}        ${inType(member, isRecord)} ${javaName(member)}`,
  );
  return [
    `${indent}/**`,
    ...wrap(escaped(note === '' ? `${wordsOf(name)}.` : note), `${indent} * `),
    `${indent} *`,
    ...params,
    `${indent} */`,
    `${indent}public record ${name}(`,
    `${parts.join(',\n')}) {`,
    `${indent}}`,
    '',
  ].join('\n');
}

/** A word of the language, such as `protected`, has a line behind it, which Records.java knows. */
function javaName({ name }: Member): string {
  return JAVA_RULES.reserved.has(name) ? `${name}_` : name;
}

function noteOf({ name, type, note }: Member): string {
  const said = note === '' ? wordsOf(name).toLowerCase() : escaped(note);
  const inner = type.kind === 'nullable' ? type.item : type;
  if (inner.kind !== 'words') return said;
  const words = inner.words.map((word) => (/^\W/.test(word) ? `"${word}"` : word));
  return `${said.replace(/\.$/, '')}: ${words.join(', ')}`;
}

/** `documentId` is "Document id". */
function wordsOf(name: string): string {
  const words = name.replaceAll(/(?<=[a-z\d])[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  return words.slice(0, 1).toUpperCase() + words.slice(1);
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

/** Whole numbers and booleans that are always there are plain ones, which cannot be null. */
function inType({ type, isRequired }: Member, isRecord: (name: string) => boolean): string {
  const boxed = boxedOf(type, isRecord);
  const isNullable = type.kind === 'nullable';
  const mayBeNull = isNullable || (type.kind === 'plain' && type.types.includes('null'));
  if (!isRequired || mayBeNull) return boxed;
  return boxed === 'Long' ? 'long' : boxed === 'Boolean' ? 'boolean' : boxed;
}

const PLAIN: Readonly<Record<string, string>> = {
  string: 'String',
  integer: 'Long',
  number: 'BigDecimal',
  boolean: 'Boolean',
};

function boxedOf(type: Type, isRecord: (name: string) => boolean): string {
  switch (type.kind) {
    case 'name':
      return isRecord(type.name) ? type.name : 'String';
    case 'words':
      return 'String';
    case 'list':
      return `List<${boxedOf(type.item, isRecord)}>`;
    case 'map':
      return `Map<String, ${boxedOf(type.item, isRecord)}>`;
    case 'nullable':
      return boxedOf(type.item, isRecord);
    case 'plain': {
      if (type.isTime) return 'Instant';
      const [first = '', ...more] = type.types.filter((one) => one !== 'null');
      return more.length > 0 ? 'Object' : (PLAIN[first] ?? 'Object');
    }
  }
}
