import { FIELD_KEYS, VALIDATION_KEYS } from '../src/workers/template/fields/fields.ts';
import { FORMAT_KEYS } from '../src/workers/template/fields/format.ts';
import * as keys from '../src/workers/template/vocabulary/keys.ts';
import { noteOf } from '../src/workers/template/vocabulary/notes.ts';
import { SAMPLE_KEYS } from '../src/workers/template/samples.ts';
import type { KeyTable } from '../src/workers/template/vocabulary/values.ts';
import { EXAMPLES } from './key-examples.ts';

/** Title, place (of notes and examples), keys, and the keys that another table has shown already. */
type Part = readonly [title: string, place: string, table: KeyTable, shown?: KeyTable];

export const PARTS: readonly Part[] = [
  ['The file', 'template', keys.TEMPLATE_KEYS],
  ['A sample', 'sample', SAMPLE_KEYS],
  ['A field', 'field', FIELD_KEYS],
  ['`format`', 'format', FORMAT_KEYS],
  ['`validation`', 'validation', VALIDATION_KEYS],
  ['`document`', 'document', keys.DOCUMENT_KEYS],
  ['Style properties', 'style', keys.STYLE_KEYS],
  ['Named styles also', 'namedStyle', keys.NAMED_STYLE_KEYS, keys.STYLE_KEYS],
  ['Every node also', 'node', keys.BLOCK_KEYS, keys.NAMED_STYLE_KEYS],
  ...Object.entries(keys.NODE_KEYS).map(([kind, table]): Part => [
    `A node with \`${kind}\``,
    `${kind} node`,
    table,
    keys.BLOCK_KEYS,
  ]),
  ['An inline run also', 'run', keys.RUN_KEYS, { ...keys.STYLE_KEYS, ...keys.FLOW_KEYS }],
  ['`table`', 'table', keys.TABLE_KEYS],
  ['A row', 'row', keys.ROW_KEYS],
  ['`statement`', 'statement', keys.STATEMENT_KEYS],
  ['A table layout', 'layout', keys.LAYOUT_KEYS],
  ['`toc`', 'toc', keys.TOC_KEYS],
  ['A section', 'section', keys.SECTION_KEYS],
  ['A file of `files`', 'file', keys.FILE_KEYS],
  ['`metadata` of a file', 'fileMetadata', keys.FILE_METADATA_KEYS],
  ['`signatureField`', 'signatureField', keys.SIGNATURE_FIELD_KEYS],
  ['`first`, `rest`, `last`', 'runningElement', keys.RUNNING_ELEMENT_KEYS],
  ['`info`', 'info', keys.INFO_KEYS],
  ['`watermark`', 'watermark', keys.WATERMARK_KEYS],
  ['`breakBefore`', 'breakBefore', keys.BREAK_BEFORE_KEYS],
  ['`attachedPages`', 'attachedPages', keys.ATTACHED_KEYS],
  ['A pattern', 'pattern', keys.PATTERN_KEYS],
  ...Object.entries(keys.VECTOR_KEYS).map(([type, table]): Part => [
    `A vector of type \`${type}\``,
    type,
    table,
  ]),
];

/** docs/template-keys.md: every key of a template file, from the tables that check it. */
export function keyReference(): string {
  const parts = PARTS.map((part) => {
    const [title, place, table] = part;
    const rows = keysOf(part).map((key) => {
      const example = escaped(JSON.stringify(EXAMPLES[place]?.[key]?.value ?? null));
      const says = escaped(table[key]?.says ?? '');
      return `| \`${key}\` | ${says} | \`${example}\` | ${escaped(noteOf(place, key))} |`;
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
  return head + parts.join('\n');
}

/** The keys that a part of the reference shows. */
export function keysOf([, , table, shown]: Part): readonly string[] {
  return Object.keys(table).filter((key) => shown?.[key] !== table[key]);
}

function escaped(text: string): string {
  return text.replaceAll('|', '\\|');
}
