import type { Completion } from '@codemirror/autocomplete';
import { CompletionContext } from '@codemirror/autocomplete';
import { json } from '@codemirror/lang-json';
import type { TransactionSpec } from '@codemirror/state';
import { EditorState } from '@codemirror/state';
import t from 'tap';
import { completeTemplate } from '../../studio/src/editor/assist.ts';

/** The text after `label` was taken at `|`, which is then where the cursor is; '' without offers. */
function taken(marked: string, label: string, explicit = false): string {
  const pos = marked.indexOf('|');
  let state = EditorState.create({ doc: marked.replace('|', ''), extensions: [json()] });
  const result = completeTemplate(new CompletionContext(state, pos, explicit));
  const option = result?.options.find((other) => other.label === label);
  if (result === null || option === undefined) return '';
  const dispatch = (spec: TransactionSpec): void => {
    state = state.update(spec).state;
  };
  apply(option, { dispatch }, result.from, pos);
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
  t.equal(taken('{"fields":[{"type":"text"|}]}', '"date"'), '');
  t.equal(taken('{"fields":[{"name"|}]}', '"type"'), '');
});
