import { FIELD_KEYS, VALIDATION_KEYS } from './fields/fields.ts';
import { FORMAT_KEYS } from './fields/format.ts';
import { CHOICE_KEYS } from './fields/presentation.ts';
import {
  ATTACHED_KEYS,
  BLOCK_KEYS,
  BREAK_BEFORE_KEYS,
  DOCUMENT_KEYS,
  FILE_KEYS,
  FILE_METADATA_KEYS,
  RUNNING_ELEMENT_KEYS,
  INFO_KEYS,
  LAYOUT_KEYS,
  NAMED_STYLE_KEYS,
  NODE_KEYS,
  PATTERN_KEYS,
  ROW_KEYS,
  RUN_KEYS,
  SECTION_KEYS,
  SIGNATURE_FIELD_KEYS,
  STATEMENT_KEYS,
  TABLE_KEYS,
  TEMPLATE_KEYS,
  TOC_KEYS,
  VECTOR_KEYS,
  REFERENCE_KEYS,
  WATERMARK_KEYS,
} from './vocabulary/keys.ts';
import { PLACES } from './style/layouts.ts';
import { noteOf } from './vocabulary/notes.ts';
import { SAMPLE_KEYS } from './samples.ts';
import type { JsonSchema, KeyTable } from './vocabulary/values.ts';

type Properties = Record<string, JsonSchema>;

const ref = (definition: string): JsonSchema => ({ $ref: `#/definitions/${definition}` });
const listOf = (items: JsonSchema): JsonSchema => ({ type: 'array', items });
const mapOf = (values: JsonSchema): JsonSchema => ({
  type: 'object',
  additionalProperties: values,
});

const PRIMITIVES: readonly JsonSchema[] = [{ type: ['string', 'number', 'boolean', 'null'] }];

/** Keys that many kinds of objects have; each is described once. */
const SHARED: KeyTable = BLOCK_KEYS;

/** A closed object of a key table; `place` picks the notes, `given` overrides single keys. */
function objectOf(
  keys: KeyTable,
  place: string,
  required: readonly string[] = [],
  given: Properties = {},
): JsonSchema {
  const properties: Properties = {};
  for (const [key, type] of Object.entries(keys)) {
    const isOwn = noteOf(place, key) !== noteOf('node', key) || given[key] !== undefined;
    const isShared = !isOwn && SHARED[key] === type;
    properties[key] = isShared
      ? ref(`key-${key}`)
      : withNote(given[key] ?? type.editor, noteOf(place, key));
  }
  return {
    type: 'object',
    properties,
    additionalProperties: false,
    ...(required.length === 0 ? {} : { required }),
  };
}

/** Draft-07 ignores what stands beside a $ref, so a noted reference is wrapped. */
function withNote(schema: JsonSchema, description: string): JsonSchema {
  if (description === '') return schema;
  if (typeof schema === 'boolean') return { description };
  return '$ref' in schema ? { description, allOf: [schema] } : { description, ...schema };
}

/**
 * The JSON schema of template files (draft-07) for editors: made from the tables that the compiler
 * itself checks with. Only the compiler finds faults beyond shape (unknown names, missing cells).
 */
export function templateSchema(): JsonSchema {
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: 'Intaglio template',
    description:
      'A document template: contract, layout and samples. docs/templates.md explains it.',
    ...templateObject(),
    definitions: { ...blockDefinitions(), ...tableDefinitions(), ...smallDefinitions() },
  };
}

function templateObject(): Properties {
  const sample = objectOf(SAMPLE_KEYS, 'sample', ['data']);
  const schema = objectOf(TEMPLATE_KEYS, 'template', ['templateId', 'document'], {
    fields: listOf(ref('field')),
    document: ref('document'),
    samples: listOf(sample),
    attachedPages: ref('attachedPages'),
    files: listOf(
      objectOf(FILE_KEYS, 'file', ['name', 'mediaType', 'data'], {
        metadata: objectOf(FILE_METADATA_KEYS, 'fileMetadata', [
          'namespace',
          'prefix',
          'properties',
        ]),
      }),
    ),
    signatureField: objectOf(SIGNATURE_FIELD_KEYS, 'signatureField', ['width', 'height']),
  });
  // An object schema by construction.
  return schema as Properties;
}

function blockDefinitions(): Properties {
  const kinds = Object.entries(NODE_KEYS).map(([kind, keys]) => {
    const isText = kind === 'text';
    return objectOf(keys, `${kind} node`, isText ? [] : [kind], isText ? {} : { text: false });
  });
  const run = objectOf(RUN_KEYS, 'run');
  const textParts = listOf(ref('text'));
  return {
    node: { anyOf: [...PRIMITIVES, listOf(ref('node')), ...kinds] },
    text: { anyOf: [...PRIMITIVES, textParts, run] },
    runningElement: { anyOf: [ref('node'), objectOf(RUNNING_ELEMENT_KEYS, 'runningElement')] },
    section: objectOf(SECTION_KEYS, 'section', ['section']),
    document: objectOf(DOCUMENT_KEYS, 'document', ['content'], {
      content: {
        anyOf: [ref('section'), ref('node'), listOf({ anyOf: [ref('section'), ref('node')] })],
      },
      defaultStyle: ref('style'),
      styles: mapOf(ref('style')),
      images: mapOf({ type: 'string', pattern: '^data:image/' }),
      pdfs: mapOf({ type: 'string' }),
      patterns: mapOf(objectOf(PATTERN_KEYS, 'pattern', ['pattern', 'xStep', 'yStep'])),
      tableLayouts: mapOf(ref('layoutObject')),
      info: objectOf(INFO_KEYS, 'info'),
      breakBefore: objectOf(BREAK_BEFORE_KEYS, 'breakBefore'),
      attachedPages: ref('attachedPages'),
    }),
    toc: objectOf(TOC_KEYS, 'toc'),
    vector: {
      anyOf: Object.entries(VECTOR_KEYS).map(([type, keys]) =>
        objectOf(keys, type, ['type'], { type: { const: type } }),
      ),
    },
  };
}

function tableDefinitions(): Properties {
  const layoutEntries: Properties = {};
  for (const [key, type] of Object.entries(LAYOUT_KEYS)) {
    const value = type.editor;
    const isWhole = key === 'extends' || key === 'defaultBorder' || key === 'hLineWhenBroken';
    layoutEntries[key] = isWhole ? value : entryOf(value);
  }
  return {
    table: objectOf(TABLE_KEYS, 'table', ['body'], {
      statement: objectOf(STATEMENT_KEYS, 'statement', ['each']),
    }),
    row: {
      anyOf: [
        listOf(ref('node')),
        objectOf(ROW_KEYS, 'row', ['cells'], { cells: listOf(ref('node')) }),
      ],
    },
    layoutObject: objectOf(LAYOUT_KEYS, 'layout', [], layoutEntries),
    layout: { anyOf: [{ type: 'string' }, ref('layoutObject')] },
  };
}

/** A value for all, values by index, or values by place. */
function entryOf(value: JsonSchema): JsonSchema {
  const places = Object.fromEntries(PLACES.map((place) => [place, value]));
  const byPlace = { type: 'object', properties: places, additionalProperties: false };
  return { anyOf: [value, listOf({ anyOf: [value, { type: 'null' }] }), byPlace] };
}

function smallDefinitions(): Properties {
  const shared = Object.entries(SHARED).map(([key, type]) => [
    `key-${key}`,
    withNote(type.editor, noteOf('node', key)),
  ]);
  return {
    ...Object.fromEntries(shared),
    style: objectOf(NAMED_STYLE_KEYS, 'namedStyle'),
    styleOrNames: {
      anyOf: [
        { type: 'string' },
        listOf({ anyOf: [{ type: 'string' }, ref('style')] }),
        ref('style'),
      ],
    },
    format: objectOf(FORMAT_KEYS, 'format'),
    reference: { anyOf: [{ type: 'string' }, objectOf(REFERENCE_KEYS, 'reference', ['value'])] },
    watermark: { anyOf: [{ type: 'string' }, objectOf(WATERMARK_KEYS, 'watermark', ['text'])] },
    attachedPages: objectOf(ATTACHED_KEYS, 'attachedPages'),
    choice: objectOf(CHOICE_KEYS, 'choice', ['value']),
    field: objectOf(FIELD_KEYS, 'field', ['name', 'type'], {
      format: ref('format'),
      validation: objectOf(VALIDATION_KEYS, 'validation'),
    }),
  };
}
