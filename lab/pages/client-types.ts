import { FINAL_CODES } from '../../src/errors.ts';
import { COMPONENTS } from '../../src/gateway/openapi/components.ts';

/**
 * The types of requests and responses for the clients in clients/: one declaration for each object of
 * the schemas that validate requests and stand in /openapi.json. `npm run generate` writes them.
 */

/** As much of JSON Schema as the API uses. */
export interface Schema {
  readonly type?: string | readonly string[];
  readonly enum?: readonly (string | null)[];
  readonly format?: string;
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | Schema;
  readonly items?: Schema;
  readonly oneOf?: readonly Schema[];
}

/** Comments for the bodies in COMPONENTS. The types are declared in this order. */
const NOTES = {
  ErrorBody: 'The body of every error.',
  GenerateRequest: 'A document to make.',
  Acknowledgement: 'A document that was stored.',
  DocumentRecord: 'A stored document.',
  Field: 'A field of a template.',
  FieldContract: 'The fields of a template version.',
  Verification: 'Whether a file was made for the team.',
  CreateRunRequest: 'A run to make.',
  StartRunRequest: 'How a run starts.',
  RunPart: 'A part of the rows of a run.',
  Run: 'A run.',
  RunWithParts: 'A run with its parts.',
  RunList: 'Runs, newest first.',
  RunPrintList: 'Merged print files of a run.',
  SyncIdentitiesRequest: 'Teams and users as they should be.',
  Identities: 'Teams and users as they are.',
  IdentityCounts: 'Numbers of changes.',
} as const satisfies Partial<Readonly<Record<keyof typeof COMPONENTS, string>>>;

// The keys of a constant object are the names of its members.
const NAMES = Object.keys(NOTES) as readonly (keyof typeof NOTES)[];

function noteOf(name: string): string | undefined {
  const known = NAMES.find((one) => one === name);
  return known === undefined ? undefined : NOTES[known];
}

/** Those with a comment, which are the bodies that the clients in clients/ send and get. */
const NOTED = Object.fromEntries(NAMES.map((name) => [name, COMPONENTS[name]]));

/** A type as a client's language says it. */
export type Type =
  | { readonly kind: 'name'; readonly name: string }
  | { readonly kind: 'plain'; readonly types: readonly string[]; readonly isTime: boolean }
  | { readonly kind: 'words'; readonly words: readonly string[] }
  | { readonly kind: 'list' | 'map' | 'nullable'; readonly item: Type };

export interface Member {
  readonly name: string;
  readonly type: Type;
  readonly isRequired: boolean;
  readonly note: string;
}

export interface Declaration {
  readonly name: string;
  readonly note: string;
  /** null: a choice of words. */
  readonly members: readonly Member[] | null;
  readonly words: readonly string[];
}

/** Declarations of these named schemas and of the objects in them; what is used stands first. */
export function declarations(
  wanted: Readonly<Record<string, Schema>> = NOTED,
): readonly Declaration[] {
  const made: Declaration[] = [];
  const names = new Map<Schema, string>();
  const named = { ...COMPONENTS, ...wanted };
  for (const [name, schema] of Object.entries<Schema>(named)) names.set(schema, name);
  const done = new Set<Schema>();
  const declare = (schema: Schema, name: string, note: string): void => {
    if (done.has(schema)) return;
    done.add(schema);
    const members = Object.entries(schema.properties ?? {}).map(([key, value]): Member => {
      const isRequired = schema.required?.includes(key) === true;
      const type = typeOf(value, `${name}.${key}`);
      return { name: key, type, isRequired, note: value.description ?? '' };
    });
    made.push({ name, note, members, words: [] });
  };
  const typeOf = (schema: Schema, path: string): Type => {
    const { items, properties, additionalProperties, oneOf: [one, ...others] = [] } = schema;
    if (one !== undefined && others.every(({ type }) => type === 'null')) {
      return { kind: 'nullable', item: typeOf(one, path) };
    }
    if (items !== undefined) return { kind: 'list', item: typeOf(items, path) };
    if (schema.enum !== undefined) {
      const words = schema.enum.filter((word) => word !== null);
      const name = names.get(schema);
      if (name === undefined) {
        const item: Type = { kind: 'words', words };
        return schema.enum.includes(null) ? { kind: 'nullable', item } : item;
      }
      if (!done.has(schema)) made.push({ name, note: '', members: null, words });
      done.add(schema);
      return { kind: 'name', name };
    }
    if (properties !== undefined) {
      const name = names.get(schema) ?? nameOf(path);
      names.set(schema, name);
      declare(schema, name, noteOf(name) ?? schema.description ?? '');
      return { kind: 'name', name };
    }
    if (schema.type === 'object') {
      const item = typeof additionalProperties === 'object' ? additionalProperties : {};
      return { kind: 'map', item: typeOf(item, path) };
    }
    const { type = 'unknown' } = schema;
    const types = typeof type === 'string' ? [type] : type;
    return { kind: 'plain', types, isTime: schema.format === 'date-time' };
  };
  for (const [name, schema] of Object.entries(wanted)) typeOf(schema, name);
  return made;
}

/** `Identities.teams` is an IdentitiesTeam. */
function nameOf(path: string): string {
  return path
    .split('.')
    .map((part) => part.slice(0, 1).toUpperCase() + part.slice(1))
    .join('')
    .replace(/s$/, '');
}

export const HEADER = 'Made from the schemas of the service by `npm run generate`.';

/** The comment above the list of `FINAL_CODES` in each client. */
export const FINAL_NOTE =
  'Codes with a status that asks for a repetition, which would change nothing.';

/** clients/node/src/types.ts, which has all types but those of runs. */
export function typesOfNode(): string {
  const runs = "export type * from './run-types.ts';";
  const codes = FINAL_CODES.map((code) => `'${code}'`).join(', ');
  const final = `/** ${FINAL_NOTE} */\nexport const FINAL_CODES: ReadonlySet<string> = new Set([${codes}]);`;
  return `// ${HEADER}\n\n${runs}\n\n${final}\n\n${inTypeScript(declarations()).others}`;
}

/** clients/node/src/run-types.ts. */
export function runTypesOfNode(): string {
  return runTypes(inTypeScript(declarations()), './types.ts');
}

/** Declarations in TypeScript, in two files, because one would be too long. */
export interface Texts {
  /** Of runs, or of another subject. */
  readonly apart: string;
  readonly others: string;
  /** Names of the latter that the former use. */
  readonly used: readonly string[];
}

export function inTypeScript(
  declared: readonly Declaration[],
  isApart: (one: Declaration) => boolean = isOfRuns,
): Texts {
  const others = declared.filter((one) => !isApart(one));
  const apart = declared.filter(isApart).map(inNodeFile).join('\n');
  const used = others.map(({ name }) => name).filter((name) => uses(apart, name));
  return { apart, others: others.map(inNodeFile).join('\n'), used: used.toSorted() };
}

function uses(text: string, name: string): boolean {
  return new RegExp(`: (?:readonly )?${name}\\b`).test(text);
}

/** The file with the types of runs, which imports the others from this path. */
export function runTypes({ apart, used }: Texts, path: string): string {
  return `// ${HEADER}\n\nimport type { ${used.join(', ')} } from '${path}';\n\n${apart}`;
}

export function isOfRuns({ name }: Declaration): boolean {
  return name.includes('Run');
}

function inNodeFile({ name, note, members, words }: Declaration): string {
  if (members === null) return `${choice(`export type ${name} =`, words)}\n`;
  const lines = members.flatMap((member) => {
    const mark = member.isRequired ? '' : '?';
    const said = member.note === '' ? [] : commentOf(member.note, '  ');
    const line = `  readonly ${member.name}${mark}: ${inNode(member.type)};`;
    const isLong = member.type.kind === 'words' && line.length > WIDTH;
    return [...said, isLong ? line.replace(': ', ':\n    ') : line];
  });
  const head = note === '' ? [] : commentOf(note, '');
  return [...head, `export interface ${name} {`, ...lines, '}', ''].join('\n');
}

const WIDTH = 100;

/** In as few lines as fit, as prettier has it. */
function choice(head: string, words: readonly string[]): string {
  const joined = words.map((word) => `'${word}'`).join(' | ');
  if (head.length + joined.length + 2 <= WIDTH) return `${head} ${joined};`;
  if (joined.length + 3 <= WIDTH) return `${head}\n  ${joined};`;
  return `${head}\n${words.map((word) => `  | '${word}'`).join('\n')};`;
}

function commentOf(note: string, indent: string): readonly string[] {
  const line = `${indent}/** ${note} */`;
  if (line.length <= WIDTH) return [line];
  return [`${indent}/**`, ...wrap(note, `${indent} * `), `${indent} */`];
}

/** Lines of at most 100 columns, each with this indent. */
export function wrap(text: string, indent: string): readonly string[] {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const last = lines.at(-1);
    if (last === undefined || last.length + word.length >= WIDTH) lines.push(indent + word);
    else lines[lines.length - 1] = `${last} ${word}`;
  }
  return lines;
}

const NODE_TYPES: Readonly<Record<string, string>> = {
  string: 'string',
  integer: 'number',
  number: 'number',
  boolean: 'boolean',
  null: 'null',
  unknown: 'unknown',
};

function inNode(type: Type): string {
  switch (type.kind) {
    case 'name':
      return type.name;
    case 'plain':
      return type.types.map((one) => NODE_TYPES[one]).join(' | ');
    case 'words':
      return type.words.map((word) => `'${word}'`).join(' | ');
    case 'list': {
      const item = inNode(type.item);
      return `readonly ${item.includes('|') ? `(${item})` : item}[]`;
    }
    case 'map':
      return `Readonly<Record<string, ${inNode(type.item)}>>`;
    case 'nullable':
      return `${inNode(type.item)} | null`;
  }
}

/** clients/python/intaglio_client/types.py. */
export function typesOfPython(): string {
  const parts = declarations().map(({ name, note, members, words }) => {
    if (members === null) return `${name} = ${wordsInPython(words)}\n`;
    const required = members.filter(({ isRequired }) => isRequired);
    const optional = members.filter(({ isRequired }) => !isRequired);
    const text = note === '' ? [] : [`    """${note}"""`, ''];
    // Python 3.9 has no NotRequired: keys that may be absent have a separate class.
    const base = required.length > 0 && optional.length > 0 ? `_${name}` : 'TypedDict';
    const first =
      base === 'TypedDict' ? '' : `class ${base}(TypedDict):\n${inClass(required)}\n\n\n`;
    const total = optional.length > 0 ? ', total=False' : '';
    const own = inClass(optional.length > 0 ? optional : required);
    return `${first}class ${name}(${base}${total}):\n${[...text, own].join('\n')}\n`;
  });
  const typing = 'from typing import Any, Dict, List, Literal, TypedDict, Union';
  const codes = FINAL_CODES.map((code) => `"${code}"`).join(', ');
  const final = `# ${FINAL_NOTE}\nFINAL_CODES = frozenset([${codes}])`;
  const head = `"""Bodies of requests and answers. ${HEADER}"""\n\n${typing}\n\n${final}`;
  return `${head}\n\n\n${parts.join('\n\n')}`;
}

function inClass(members: readonly Member[]): string {
  return members
    .flatMap(({ name, type, note }) => [
      ...(note === '' ? [] : wrap(note, '    # ')),
      `    ${name}: ${inPython(type)}`,
    ])
    .join('\n');
}

const PYTHON_TYPES: Readonly<Record<string, string>> = {
  string: 'str',
  integer: 'int',
  number: 'float',
  boolean: 'bool',
  null: 'None',
  unknown: 'Any',
};

function wordsInPython(words: readonly string[]): string {
  const line = `Literal[${words.map((word) => `"${word}"`).join(', ')}]`;
  if (line.length <= WIDTH - 20) return line;
  return `Literal[\n${words.map((word) => `    "${word}",`).join('\n')}\n]`;
}

function inPython(type: Type): string {
  switch (type.kind) {
    case 'name':
      return type.name;
    case 'plain': {
      const types = type.types.map((one) => PYTHON_TYPES[one] ?? '');
      return types.length === 1 ? (types[0] ?? '') : `Union[${types.join(', ')}]`;
    }
    case 'words':
      return wordsInPython(type.words);
    case 'list':
      return `List[${inPython(type.item)}]`;
    case 'map':
      return `Dict[str, ${inPython(type.item)}]`;
    case 'nullable':
      return `Union[${inPython(type.item)}, None]`;
  }
}
