import { json } from '@codemirror/lang-json';
import { SearchQuery } from '@codemirror/search';
import { EditorState } from '@codemirror/state';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { countMatches } from '../../studio/src/editor/find/matches.ts';
import { lineInsertion, type Side } from '../../studio/src/editor/lines/insert-line.ts';
import { HOME } from '../../lab/home.ts';

function stateOf(doc: string): EditorState {
  return EditorState.create({ doc, extensions: [json()] });
}

/** The text after an insertion at `|`, with `|` where the cursor is then; '' when there is none. */
function inserted(marked: string, side: Side): string {
  const pos = marked.indexOf('|');
  const text = marked.replace('|', '');
  const made = lineInsertion(stateOf(text), pos, side);
  if (made === null) return '';
  const { from, insert, cursor } = made;
  const changed = text.slice(0, from) + insert + text.slice(from);
  JSON.parse(changed);
  return `${changed.slice(0, cursor)}|${changed.slice(cursor)}`;
}

t.test('a line of the content has a line above and below', async (t) => {
  const content = '{ "content": [\n  { "text": "o|ne" },\n  { "text": "two" }\n] }';
  t.equal(
    inserted(content, 'below'),
    '{ "content": [\n  { "text": "one" },\n  { "text": "|" },\n  { "text": "two" }\n] }',
  );
  t.equal(
    inserted(content, 'above'),
    '{ "content": [\n  { "text": "|" },\n  { "text": "one" },\n  { "text": "two" }\n] }',
  );
  const last = '{ "content": [\n  { "text": "one" }|\n] }';
  t.equal(
    inserted(last, 'below'),
    '{ "content": [\n  { "text": "one" },\n  { "text": "|" }\n] }',
    'after the last one no comma follows',
  );
  t.equal(inserted('{ "ul": ["a|", "b"] }', 'below'), '{ "ul": ["a", "|", "b"] }');
  t.equal(inserted('{ "ol": ["|a"] }', 'above'), '{ "ol": ["|", "a"] }');
  t.equal(inserted('{ "content": [|] }', 'below'), '{ "content": ["|"] }');
  t.equal(inserted('{ "content": [|] }', 'above'), '{ "content": ["|"] }');
  t.equal(
    inserted('{ "content": [\n|  "a",\n  "b"\n] }', 'above'),
    '{ "content": [\n  "|",\n  "a",\n  "b"\n] }',
  );
  t.equal(inserted('{ "content": ["a"], "fields": [|] }', 'below'), '', 'no line of the page');
  t.equal(inserted('|{ "content": [] }', 'above'), '');
});

t.test('a table has a new row with as many cells', async (t) => {
  const body = '{ "table": { "body": [\n  ["A", { "text": "|B" }, "C"],\n  ["1", "2", "3"]\n] } }';
  t.equal(
    inserted(body, 'below'),
    '{ "table": { "body": [\n  ["A", { "text": "B" }, "C"],\n  ["|", "", ""],\n  ["1", "2", "3"]\n] } }',
  );
  const each =
    '{ "body": [["A", "B"], { "each": "items", "cells": ["{{0}}", "{{1}}", "{{|2}}"] }] }';
  t.equal(
    inserted(each, 'below'),
    '{ "body": [["A", "B"], { "each": "items", "cells": ["{{0}}", "{{1}}", "{{2}}"] }, ["|", "", ""]] }',
  );
  t.equal(inserted('{ "body": [|] }', 'below'), '{ "body": [["|"]] }');
  t.equal(
    inserted('{ "body": [[{ "stack": ["x|"] }, "y"]] }', 'below'),
    '{ "body": [[{ "stack": ["x", "|"] }, "y"]] }',
    'a line within a cell is a line',
  );
});

t.test('wherever the cursor stands in a sample, the template stays JSON', async (t) => {
  for (const name of ['receipt', 'contract', 'loan-offer', 'statement']) {
    const text = readFileSync(join(HOME, `templates/${name}.json`), 'utf8');
    const state = stateOf(text);
    let count = 0;
    for (let line = 1; line <= state.doc.lines; line += 3) {
      const { from, to } = state.doc.line(line);
      for (const pos of [from, Math.floor((from + to) / 2), to]) {
        for (const side of ['above', 'below'] as const) {
          const made = lineInsertion(state, pos, side);
          if (made === null) continue;
          const changed = text.slice(0, made.from) + made.insert + text.slice(made.from);
          t.doesNotThrow(() => JSON.parse(changed), `${name}, ${side} of ${line}`);
          t.equal(changed.slice(made.cursor - 1, made.cursor + 1), '""');
          count += 1;
        }
      }
    }
    t.ok(count > 50, `${name}: ${count}`);
  }
});

function counted(
  doc: string,
  search: string,
  more: object = {},
): [number, number, boolean, number] {
  const selection = { anchor: 0, head: search.length };
  const state = EditorState.create({ doc, selection });
  const counting = countMatches(state, new SearchQuery({ search, ...more }));
  for (let slices = 1; ; slices += 1) {
    const { done, value } = counting.next();
    if (done === true) return [value.count, value.index, value.isAll, slices];
  }
}

t.test('matches of a search are counted slice by slice', async (t) => {
  t.same(counted('ab AB xab', 'ab'), [3, 1, true, 1]);
  t.same(counted('ab AB xab', 'ab', { caseSensitive: true }), [2, 1, true, 1]);
  t.same(counted('xab ab', 'ab', { wholeWord: true }), [1, 0, true, 1]);
  t.same(counted('ab', 'c'), [0, 0, true, 1]);
  t.same(counted('a'.repeat(1_001), 'a'), [1_000, 1, false, 1]);
  const long = `${'x'.repeat(70_000)}needle\n`.repeat(30);
  const [count, , isAll, slices] = counted(long, 'needle');
  t.same([count, isAll], [30, true]);
  t.ok(slices >= 10, `${slices} slices`);
  t.same(counted('น้ำ น้ำ', 'น้ำ'), [2, 1, true, 1]);
  t.match(counted('a\n'.repeat(99), 'a\\na', { regexp: true }), [49]);
});
