import type { Completion, CompletionSource } from '@codemirror/autocomplete';
import { CompletionContext } from '@codemirror/autocomplete';
import type { TransactionSpec } from '@codemirror/state';
import { EditorState } from '@codemirror/state';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { DEFINITIONS, PRINTED_TYPES } from '../../src/engine/contract/definitions.ts';
import { FIELD_TYPES } from '../../studio/src/api/field-types.ts';
import { completeTemplate } from '../../studio/src/editor/complete/complete.ts';
import { keyAt } from '../../studio/src/editor/complete/key-at.ts';
import { PRINTED } from '../../studio/src/editor/complete/placeholders.ts';
import { readAt } from '../../studio/src/editor/complete/reading.ts';
import { formatKeysOf } from '../../studio/src/editor/complete/references.ts';
import { completeEn } from '../../studio/src/editor/complete/texts-en.ts';
import { HOME } from '../../lab/home.ts';

const TEXTS: Readonly<Record<string, string>> = completeEn;

const speech: Parameters<typeof completeTemplate>[1] = {
  t: (key, parameters = {}) =>
    (TEXTS[key] ?? key).replaceAll(/\{(\w+)\}/g, (_, name: string) => String(parameters[name])),
  textIn: (text) => Object.values(text ?? {})[0] ?? '',
  note: (english) => english,
};

/** The options at `|`, which is taken out of the text. */
function offered(
  marked: string,
  explicit = false,
  source?: CompletionSource,
): readonly Completion[] {
  const pos = marked.indexOf('|');
  const doc = marked.replace('|', '');
  const state = EditorState.create({ doc });
  const complete = source ?? completeTemplate(doc, speech);
  const result = complete(new CompletionContext(state, pos, explicit));
  if (result instanceof Promise) throw new Error('the source does not wait');
  return result?.options ?? [];
}

function labels(marked: string, explicit = false): readonly string[] {
  return offered(marked, explicit).map(({ label }) => label);
}

/** The text after `label` was taken at `|`, which is then where the cursor is; '' without offers. */
function taken(marked: string, label: string, explicit = false): string {
  const pos = marked.indexOf('|');
  const doc = marked.replace('|', '');
  let state = EditorState.create({ doc });
  const result = completeTemplate(doc, speech)(new CompletionContext(state, pos, explicit));
  if (result instanceof Promise) throw new Error('the source does not wait');
  const option = result?.options.find((other) => other.label === label);
  if (result === null || option === undefined) return '';
  const view = {
    get state() {
      return state;
    },
    dispatch: (spec: TransactionSpec): void => {
      state = state.update(spec).state;
    },
  };
  apply(option, view, result.from, pos);
  const at = state.selection.main.head;
  return `${state.sliceDoc(0, at)}|${state.sliceDoc(at)}`;
}

/** Applies an option to what it uses of a view. */
function apply(option: Completion, view: object, from: number, to: number): void {
  if (typeof option.apply !== 'function') throw new Error('the option is plain text');
  Reflect.apply(option.apply, undefined, [view, option, from, to]);
}

t.test('an option replaces the word around the cursor, with its quotes', async (t) => {
  const value = '{"fields":[{"type":"text"|, "required": true}]}';
  t.equal(taken('{"fields":[{"type":"te|", "required": true}]}', '"text"'), value);
  t.equal(taken('{"fields":[{"type":"n|umber", "required": true}]}', '"text"'), value);
  t.equal(taken('{"fields":[{"type":te|, "required": true}]}', '"text"'), value);
  t.equal(taken('{"fields":[{"type":"number"|, "required": true}]}', '"text"', true), value);
  t.equal(taken('{"fields":[{"na|": "a"}]}', '"name"'), '{"fields":[{"name"|: "a"}]}');
  t.equal(taken('{"fields":[{"ty|pe": "a"}]}', '"name"'), '{"fields":[{"name"|: "a"}]}');
  t.equal(taken('{"fields":[{"na|"}]}', '"name"'), '{"fields":[{"name": "|"}]}');
});

t.test('nothing is offered behind a closing quote while typing', async (t) => {
  t.same(labels('{"fields":[{"type":"text"|}]}'), []);
  t.same(labels('{"fields":[{"name"|}]}'), []);
});

/** A template of a receipt, with `content` in its place. */
function template(content: string, more = ''): string {
  return `{
  "fields": [
    { "name": "customer", "type": "text", "label": { "en": "Customer" } },
    { "name": "total", "type": "number" },
    { "name": "seal", "type": "image" },
    { "name": "items", "type": "table", "columns": [{ "en": "Item" }, "Amount"] }
  ],
  "document": {
    "styles": { "title": { "bold": true }, "small": { "fontSize": 8 } },
    "images": { "logo": "data:image/png;base64,${'A'.repeat(300)}" },
    "tableLayouts": { "airy": { "paddingTop": 9 } },
    "content": [${content}]${more}
  },
  "samples": [{ "name": "a", "data": { "items": [["x", "1", "2"]] } }]
}`;
}

t.test('a placeholder is completed with what is known at its place', async (t) => {
  const body = labels(template('{ "text": "Total {{|" }'));
  t.same(body, ['customer', 'total', 'sum items.1', 'sum items.2']);
  const rowless = template('{ "text": "Total {{|" }').replace('[["x", "1", "2"]]', '[]');
  const sums = ['sum items.0', 'sum items.1'];
  t.same(labels(rowless), ['customer', 'total', ...sums], 'without rows, any column may be summed');
  const row = template('{ "each": "items", "text": ["{{|"] }');
  t.same(labels(row).slice(0, 3), ['0', '1', '2'], 'the cells of the row, wherever "each" stands');
  t.same(
    offered(row)
      .slice(0, 3)
      .map(({ detail }) => detail),
    ['Item', 'Amount', 'Column 2'],
  );
  const footer = labels(template('', ', "footer": { "text": "{{|}}" }'));
  t.same(footer.slice(0, 2), ['page', 'pages']);
  t.same(labels(template('{ "image": "{{|" }')), ['seal']);
  const total = template(
    '{ "table": { "statement": { "each": "items", "pageTotal": ["{{|"] }, "body": [] } }',
  );
  t.ok(labels(total).includes('statement.pageCredits'));
  t.notOk(labels(total).includes('0'), 'the total has no row');
  t.same(labels('{"signatureField":{"content":"{{|"}}').slice(0, 1), ['signature.signer']);
  t.same(labels(template('{ "text": "\\\\{{|" }')), [], 'a literal');
  t.same(labels('{"fields":[{"name":"{{|"}]}'), [], 'a name takes no placeholders');
});

function textNode(text: string): string {
  return template(`{ "text": "${text}" }`);
}

t.test('a placeholder is closed where it is not', async (t) => {
  t.equal(taken(textNode('{{to|'), 'total'), textNode('{{total}}|'));
  t.equal(taken(textNode('{{to|}}!'), 'total'), textNode('{{total}}|!'));
  t.equal(taken(textNode('{{ to|tal }} x'), 'total'), textNode('{{ total}}| x'));
  t.equal(taken(textNode('a | b'), '{{total}}', true), textNode('a {{total}}| b'));
});

t.test('keys that name something offer what the template names', async (t) => {
  const at = (node: string): readonly string[] => labels(template(node));
  t.same(at('{ "style": "|" }'), ['"title"', '"small"']);
  t.same(at('{ "style": ["title", "|"] }'), ['"title"', '"small"']);
  t.same(at('{ "image": "|" }'), ['"logo"', '"{{seal}}"']);
  t.same(at('{ "each": "|" }'), ['"items"']);
  t.same(at('{ "if": "|" }'), ['"customer"', '"total"', '"seal"', '"items"']);
  t.same(at('{ "font": "|" }'), ['"Roboto"', '"Sarabun"']);
  t.same(at('{ "table": {}, "layout": "|" }').slice(0, 2), ['"airy"', '"noBorders"']);
  t.same(at('{ "id": "here" }, { "linkToDestination": "|" }'), ['"here"']);
  t.same(labels(template('', ', "pdfs": { "letterhead": "" }').replace('[]', '[{ "pdf": "|" }]')), [
    '"letterhead"',
  ]);
  t.same(labels('{"document":{"styles":{"a":{},"b":{"extends":"|"}}}}'), ['"a"']);
});

t.test('keys go by the kind of the node, and those that are there are not offered', async (t) => {
  const table = labels(template('{ "table": {}, "|" }'));
  t.ok(table.includes('"layout"'));
  t.notOk(table.includes('"table"'));
  t.notOk(table.includes('"cover"'), 'a key of images');
  const format = labels(template('{ "text": "{{total}}", "format": { "|" } }'));
  t.ok(format.includes('"decimals"'));
  t.notOk(format.includes('"mask"'), 'a number has no mask');
  t.ok(labels('{"fields":[{"type":"date","format":{"|"}}]}').includes('"calendar"'));
  t.same(labels(template('').replace('"data": {', '"data": { "|", ')), [
    '"customer"',
    '"total"',
    '"seal"',
  ]);
});

t.test('whole items are offered where a list takes them', async (t) => {
  const fields = '{"fields": [|]}';
  t.equal(
    taken(fields, '{ "name": "", "type": "number", "required": true }', true),
    '{"fields": [{ "name": "|", "type": "number", "required": true }]}',
  );
  const rows = labels(template('{ "table": { "body": [|] } }'), true);
  t.ok(rows.includes('{ "each": "items", "cells": ["{{0}}", "{{1}}", "{{2}}"] }'));
  t.ok(labels(template('|'), true).some((label) => label.startsWith('{ "table": { "headerRows"')));
});

t.test('a missing comma is set', async (t) => {
  t.equal(
    taken('{"fields":[{"name":"a" "ty|"}]}', '"type"'),
    '{"fields":[{"name":"a", "type": "|"}]}',
  );
  t.equal(
    taken('{"fields":[{"ty|" "name":"a"}]}', '"type"'),
    '{"fields":[{"type": "|", "name":"a"}]}',
  );
  const item = '{ "name": "", "type": "date", "required": true }';
  t.equal(
    taken('{"fields":[{"name":"a"} |]}', item, true),
    '{"fields":[{"name":"a"}, { "name": "|", "type": "date", "required": true }]}',
  );
});

t.test('a broken text has the names that it had before', async (t) => {
  const whole = template('');
  const source = completeTemplate(whole, speech);
  // The fields are gone into a string without an end.
  const broken = whole.replace('"fields": [', '"fields: [').replace('[]', '[{ "text": "{{|');
  const names = offered(broken, false, source).map(({ label }) => label);
  t.ok(names.includes('total'));
});

t.test('the path is found whatever stands behind the cursor', async (t) => {
  const path = ['document', 'content', 1, 'columns', 0, 'text'];
  const head = '{"document":{"content":["a",{"columns":[{"text":"{{';
  for (const rest of ['', '"}]}]}}', ' }\n]', '\n"style": "x" }]}]', '"}, {"text":']) {
    t.same(readAt(head + rest, head.length).place.path, path, rest);
  }
  t.same(keyAt('{"document":{"pageSize":"A4"}}', 15), ['document', 'pageSize']);
  t.same(keyAt('{"document":{"pageSize":"A4"}}', 26), ['document', 'pageSize']);
});

t.test('types print and are formatted as the contract says', async (t) => {
  t.same(PRINTED, PRINTED_TYPES);
  for (const type of FIELD_TYPES) {
    t.same(formatKeysOf(type), DEFINITIONS[type].formatKeys, type);
  }
});

t.test('a large broken text is read as fast as JSON.parse reads a whole one', async (t) => {
  const receipt = JSON.parse(readFileSync(join(HOME, 'templates/receipt.json'), 'utf8')) as {
    document: { content: unknown[] };
  };
  const { content } = receipt.document;
  const block = {
    text: ['{{total}} baht', { text: 'b', bold: true }],
    margin: [0, 4],
    marginTop: 2,
  };
  for (let count = 0; count < 2_000; count += 1) content.push(block);
  const text = JSON.stringify(receipt, null, 2);
  const pos = text.lastIndexOf('{{total}}') + 4;
  const broken = `${text.slice(0, pos)}\n${text.slice(pos + 40)}`;
  const source = completeTemplate(text, speech);
  const state = EditorState.create({ doc: broken });
  const ms = { complete: Infinity, parse: Infinity };
  // In turns, and the least of each: what else the machine does only adds to them.
  for (let turn = 0; turn < 60; turn += 1) {
    let startMs = performance.now();
    const result = source(new CompletionContext(state, pos, false));
    ms.complete = Math.min(ms.complete, performance.now() - startMs);
    t.ok(result !== null);
    startMs = performance.now();
    JSON.parse(text);
    ms.parse = Math.min(ms.parse, performance.now() - startMs);
  }
  t.comment(
    `${text.length} characters: ${ms.complete.toFixed(2)} ms, parse ${ms.parse.toFixed(2)} ms`,
  );
  t.ok(ms.complete < 8 * ms.parse);
});
