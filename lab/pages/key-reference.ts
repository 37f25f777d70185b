import { FIELD_KEYS, VALIDATION_KEYS } from '../../src/engine/template/fields/fields.ts';
import { CHOICE_KEYS } from '../../src/engine/template/fields/presentation.ts';
import { FORMAT_KEYS } from '../../src/engine/template/fields/format.ts';
import * as keys from '../../src/engine/template/vocabulary/keys.ts';
import { noteOf } from '../../src/engine/template/vocabulary/notes.ts';
import { SAMPLE_KEYS } from '../../src/engine/template/samples.ts';
import type { KeyTable } from '../../src/engine/template/vocabulary/values.ts';
import { EXAMPLES } from './key-examples.ts';

/** A part of the reference: the keys of one kind of object in a template file. */
interface Part {
  readonly title: string;
  /** The name of the kind in notes.ts and in `EXAMPLES`. */
  readonly place: string;
  readonly table: KeyTable;
  /** Keys that an earlier part shows already. */
  readonly shown: KeyTable;
}

function part(title: string, place: string, table: KeyTable, shown: KeyTable = {}): Part {
  return { title, place, table, shown };
}

export const PARTS: readonly Part[] = [
  part('The file', 'template', keys.TEMPLATE_KEYS),
  part('A sample', 'sample', SAMPLE_KEYS),
  part('A field', 'field', FIELD_KEYS),
  part('A choice', 'choice', CHOICE_KEYS),
  part('`format`', 'format', FORMAT_KEYS),
  part('`validation`', 'validation', VALIDATION_KEYS),
  part('`document`', 'document', keys.DOCUMENT_KEYS),
  part('Style properties', 'style', keys.STYLE_KEYS),
  part('Named styles also', 'namedStyle', keys.NAMED_STYLE_KEYS, keys.STYLE_KEYS),
  part('Every node also', 'node', keys.BLOCK_KEYS, keys.STYLE_KEYS),
  ...Object.entries(keys.NODE_KEYS).map(([kind, table]) =>
    part(`A node with \`${kind}\``, `${kind} node`, table, keys.BLOCK_KEYS),
  ),
  part('An inline run also', 'run', keys.RUN_KEYS, { ...keys.STYLE_KEYS, ...keys.FLOW_KEYS }),
  part('`table`', 'table', keys.TABLE_KEYS),
  part('A row', 'row', keys.ROW_KEYS),
  part('`statement`', 'statement', keys.STATEMENT_KEYS),
  part('A table layout', 'layout', keys.LAYOUT_KEYS),
  part('`toc`', 'toc', keys.TOC_KEYS),
  part('A section', 'section', keys.SECTION_KEYS),
  part('`reference`', 'reference', keys.REFERENCE_KEYS),
  part('A file of `files`', 'file', keys.FILE_KEYS),
  part('`metadata` of a file', 'fileMetadata', keys.FILE_METADATA_KEYS),
  part('`signatureField`', 'signatureField', keys.SIGNATURE_FIELD_KEYS),
  part('`first`, `rest`, `last`', 'runningElement', keys.RUNNING_ELEMENT_KEYS),
  part('`info`', 'info', keys.INFO_KEYS),
  part('`watermark`', 'watermark', keys.WATERMARK_KEYS),
  part('`breakBefore`', 'breakBefore', keys.BREAK_BEFORE_KEYS),
  part('`attachedPages`', 'attachedPages', keys.ATTACHED_KEYS),
  part('A pattern', 'pattern', keys.PATTERN_KEYS),
  ...Object.entries(keys.VECTOR_KEYS).map(([type, table]) =>
    part(`A vector of type \`${type}\``, type, table),
  ),
];

/** docs/template-keys.md: every key of a template file, from the tables that check it. */
export function keyReference(): string {
  const sections = PARTS.map(({ title, place, table, shown }) => {
    const rows = keysOf({ table, shown }).map((key) => {
      const example = escaped(JSON.stringify(EXAMPLES[place]?.[key]?.value ?? null));
      const says = escaped(table[key]?.says ?? '');
      return `| \`${key}\` | ${says} | \`${example}\` | ${escaped(explanationOf(place, key))} |`;
    });
    const head = ['| key | value | example | |', '|---|---|---|---|'];
    return [`## ${title}`, '', ...head, ...rows, ''].join('\n');
  });
  const head = [
    '# Every key of a template file',
    '',
    'Made from the tables that check templates (`npm run generate`);',
    '[templates.md](templates.md) explains them with pictures. Lengths are points.',
    '',
    '',
  ].join('\n');
  return head + sections.join('\n');
}

/** The keys that a part of the reference shows. */
export function keysOf({ table, shown }: Pick<Part, 'table' | 'shown'>): readonly string[] {
  return Object.keys(table).filter((key) => shown[key] !== table[key]);
}

/** What the reference says of a key in a place. */
export function explanationOf(place: string, key: string): string {
  return noteOf(place, key);
}

function escaped(text: string): string {
  return text.replaceAll('|', '\\|');
}
