import { FIELD_TYPES, type FieldType } from '../../api/field-types.ts';
import { isNodeAt } from '../schema.ts';
import type { Scene } from './complete.ts';
import type { NamedField, Names } from './names.ts';
import type { Speech } from './placeholders.ts';
import { headings } from './placeholders.ts';

/** A whole item of a list; `|` in its text is where the cursor goes. */
export interface Item {
  readonly text: string;
  readonly detail: string;
}

/** Whole items that may stand at a place: fields, samples, rows and nodes. */
export function itemsAt({ place, names, speech }: Scene): readonly Item[] {
  const { path } = place;
  const isInList = place.levels.at(-1)?.isList === true;
  if (path[0] === 'fields' && path.length === 2) return fieldItems(speech);
  if (path[0] === 'samples' && path.length === 2) return [sampleItem(names, speech)];
  if (path[0] !== 'document') return [];
  if (isInList && path.at(-2) === 'body') return rowItems(names, speech);
  return isNodeAt(path) ? nodeItems(names, speech) : [];
}

function fieldItems({ t }: Speech): readonly Item[] {
  return FIELD_TYPES.map((type) => ({
    text: `{ "name": "|", "type": "${type}", "required": true${hasFields(type) ? ', "fields": []' : ''} }`,
    detail: t(`type.${type}`),
  }));
}

function hasFields(type: FieldType): boolean {
  return type === 'record' || type === 'list';
}

/** An example of a field's value that its type takes. */
function exampleOf(field: NamedField, names: Names, speech: Speech): string | null {
  switch (field.type) {
    case 'number':
      return '"1250.50"';
    case 'date':
      return '"2026-01-31"';
    case 'table':
      return `[[${headings(field, names, speech)
        .map(() => '""')
        .join(', ')}]]`;
    case 'image':
    case 'svg':
      return null;
    case 'record':
      return '{}';
    case 'list':
      return '[{}]';
    case 'text':
    case 'qrcode':
    case '':
      return '""';
  }
}

function sampleItem(names: Names, speech: Speech): Item {
  const members = [...names.fields.values()].flatMap((field) => {
    const value = exampleOf(field, names, speech);
    return value === null ? [] : [`    ${JSON.stringify(field.name)}: ${value}`];
  });
  const data = members.length === 0 ? '{}' : `{\n${members.join(',\n')}\n  }`;
  return { text: `{\n  "name": "|",\n  "data": ${data}\n}`, detail: speech.t('complete.sample') };
}

function tables(names: Names): readonly NamedField[] {
  return [...names.fields.values()].filter(({ type }) => type === 'table');
}

/** The row that is repeated for each of a table field. */
function repeatedRow(table: NamedField, names: Names, speech: Speech): string {
  const cells = headings(table, names, speech).map((_, index) => `"{{${index}}}"`);
  return `{ "each": ${JSON.stringify(table.name)}, "cells": [${cells.join(', ')}] }`;
}

function rowItems(names: Names, speech: Speech): readonly Item[] {
  return [
    { text: '["|"]', detail: speech.t('complete.row') },
    ...tables(names).map((table) => ({
      text: repeatedRow(table, names, speech),
      detail: speech.t('complete.rows_of', { table: table.name }),
    })),
  ];
}

function nodeItems(names: Names, speech: Speech): readonly Item[] {
  return [
    { text: '{ "text": "|" }', detail: speech.t('complete.text') },
    ...tables(names).map((table) => tableItem(table, names, speech)),
    {
      text: '{\n  "table": {\n    "body": [\n      ["|"]\n    ]\n  }\n}',
      detail: speech.t('complete.table'),
    },
    { text: '{\n  "columns": [\n    "|"\n  ]\n}', detail: speech.t('complete.columns') },
    { text: '{\n  "stack": [\n    "|"\n  ]\n}', detail: speech.t('complete.stack') },
    { text: '{ "ul": ["|"] }', detail: speech.t('complete.list') },
    { text: '{ "image": "|", "width": 120 }', detail: speech.t('complete.image') },
    { text: '{ "qr": "|", "fit": 80 }', detail: speech.t('complete.qr') },
  ];
}

/** A table with the headings of a table field, and a row for each of its rows. */
function tableItem(table: NamedField, names: Names, speech: Speech): Item {
  const titles = headings(table, names, speech);
  const heads = titles.map((title) => `{ "text": ${JSON.stringify(title)}, "bold": true }`);
  const widths = titles.map((_, index) => (index === 0 ? '"*"' : '"auto"'));
  const lines = [
    '{',
    '  "table": {',
    '    "headerRows": 1,',
    `    "widths": [${widths.join(', ')}],`,
    '    "body": [',
    `      [${heads.join(', ')}],`,
    `      ${repeatedRow(table, names, speech)}`,
    '    ]',
    '  },',
    '  "layout": "lightHorizontalLines|"',
    '}',
  ];
  return { text: lines.join('\n'), detail: speech.t('complete.table_of', { table: table.name }) };
}
