import { IDENTITIES_SCHEMA, RUN_SCHEMA, RUN_START_SCHEMA } from '../src/gateway/body/schemas.ts';
import * as runs from '../src/gateway/openapi/run-schemas.ts';
import * as api from '../src/gateway/openapi/schemas.ts';

/**
 * The types of requests and responses for the clients in clients/: one declaration for each object of
 * the schemas that validate requests and stand in /openapi.json. `npm run generate` writes them.
 */

/** As much of JSON Schema as the API uses. */
interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly string[];
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | Schema;
  readonly items?: Schema;
}

/** A schema with what is said of it. */
interface Named {
  readonly note: string;
  readonly schema: Schema;
}

/** Names and schemas of the bodies, in the order in which they are declared. */
export const CLIENT_TYPES: Readonly<Record<string, Named>> = {
  ErrorBody: { note: 'The body of every error.', schema: api.COMPONENTS.Error },
  GenerateRequest: { note: 'A document to make.', schema: api.generateBody },
  Acknowledgement: { note: 'A document that was stored.', schema: api.acknowledgement },
  DocumentRecord: { note: 'A stored document.', schema: api.documentRecord },
  Field: { note: 'A field of a template.', schema: api.COMPONENTS.Field },
  FieldContract: { note: 'The fields of a template version.', schema: api.fieldContract },
  Verification: { note: 'Whether a file was made for the team.', schema: api.verification },
  CreateRunRequest: { note: 'A run to make.', schema: RUN_SCHEMA },
  StartRunRequest: { note: 'How a run starts.', schema: RUN_START_SCHEMA },
  RunPart: { note: 'A part of the rows of a run.', schema: runs.part },
  Run: { note: 'A run.', schema: runs.run },
  RunWithParts: { note: 'A run with its parts.', schema: runs.runWithParts },
  RunList: { note: 'Runs, newest first.', schema: runs.runList },
  RunPrintList: { note: 'Merged print files of a run.', schema: runs.printList },
  SyncIdentitiesRequest: { note: 'Teams and users as they should be.', schema: IDENTITIES_SCHEMA },
  Identities: { note: 'Teams and users as they are.', schema: api.identities },
  IdentityCounts: { note: 'Numbers of changes.', schema: api.identityCounts },
};

/** Names chosen by hand where the place in the schema would give a worse one. */
const NAMES: Readonly<Record<string, string>> = {
  'ErrorBody.code': 'ErrorCode',
  'ErrorBody.fields': 'FieldError',
  'GenerateRequest.options': 'DocumentOptions',
  'DocumentOptions.metadata': 'Metadata',
  'DocumentOptions.protection': 'Protection',
  'DocumentOptions.watermark': 'Watermark',
  'Protection.permissions': 'Permissions',
  'CreateRunRequest.expected': 'RunTotals',
  'Run.counts': 'RunCounts',
  'Run.state': 'RunState',
  'RunPrintList.prints': 'RunPrint',
  'Verification.documents': 'VerifiedDocument',
  'Verification.madeHere': 'UnstoredAnswer',
  'Verification.drafts': 'DraftAnswer',
  'IdentityCounts.teams': 'ChangeCounts',
};

/** A type as a client's language says it. */
type Type =
  | { readonly kind: 'name'; readonly name: string }
  | { readonly kind: 'plain'; readonly types: readonly string[] }
  | { readonly kind: 'words'; readonly words: readonly string[] }
  | { readonly kind: 'list' | 'map'; readonly item: Type };

interface Member {
  readonly name: string;
  readonly type: Type;
  readonly isRequired: boolean;
  readonly note: string;
}

interface Declaration {
  readonly name: string;
  readonly note: string;
  /** null: a choice of words. */
  readonly members: readonly Member[] | null;
  readonly words: readonly string[];
}

/** The declarations of all named schemas and of the objects in them; what is used stands first. */
function declarations(): readonly Declaration[] {
  const made: Declaration[] = [];
  const names = new Map<Schema, string>();
  for (const [name, { schema }] of Object.entries(CLIENT_TYPES)) names.set(schema, name);
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
    const { $ref, items, properties, additionalProperties } = schema;
    if ($ref !== undefined) return { kind: 'name', name: $ref.split('/').at(-1) ?? '' };
    if (items !== undefined) return { kind: 'list', item: typeOf(items, path) };
    if (schema.enum !== undefined) {
      const named = NAMES[path] ?? names.get(schema);
      if (named === undefined) return { kind: 'words', words: schema.enum };
      if (!names.has(schema)) {
        made.push({ name: named, note: '', members: null, words: schema.enum });
      }
      names.set(schema, named);
      return { kind: 'name', name: named };
    }
    if (properties !== undefined) {
      const name = names.get(schema) ?? NAMES[path] ?? nameOf(path);
      names.set(schema, name);
      declare(schema, name, CLIENT_TYPES[name]?.note ?? schema.description ?? '');
      return { kind: 'name', name };
    }
    if (schema.type === 'object') {
      const item = typeof additionalProperties === 'object' ? additionalProperties : {};
      return { kind: 'map', item: typeOf(item, path) };
    }
    const { type = 'unknown' } = schema;
    return { kind: 'plain', types: typeof type === 'string' ? [type] : type };
  };
  for (const [name, { note, schema }] of Object.entries(CLIENT_TYPES)) declare(schema, name, note);
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

const HEADER = 'Made from the schemas of the service by `npm run generate`.';

/** clients/node/src/types.ts. */
export function typesOfNode(): string {
  const parts = declarations().map(({ name, note, members, words }) => {
    if (members === null) return `${choice(`export type ${name} =`, words)}\n`;
    const lines = members.flatMap((member) => {
      const mark = member.isRequired ? '' : '?';
      const said = member.note === '' ? [] : commentOf(member.note, '  ');
      return [...said, `  readonly ${member.name}${mark}: ${inNode(member.type)};`];
    });
    const head = note === '' ? [] : commentOf(note, '');
    return [...head, `export interface ${name} {`, ...lines, '}', ''].join('\n');
  });
  return `// ${HEADER}\n\n${parts.join('\n')}`;
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

function wrap(text: string, indent: string): readonly string[] {
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
  return `"""Bodies of requests and answers. ${HEADER}"""\n\n${typing}\n\n\n${parts.join('\n\n')}`;
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
  }
}
