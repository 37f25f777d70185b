import { replaceAll, search, SearchQuery, setSearchQuery } from '@codemirror/search';
import { EditorState, type Transaction } from '@codemirror/state';
import type { EditorView } from '@codemirror/view';
import t from 'tap';
import { replacedText } from '../../studio/src/editor/find/replaced.ts';

/** The transactions of "replace all" in this text. */
function replaceIn(doc: string, find: string, replace: string): Transaction[] {
  const extensions = [search(), EditorState.phrases.of({ 'replaced $ matches': '$ replaced' })];
  const query = setSearchQuery.of(new SearchQuery({ search: find, replace }));
  const { state } = EditorState.create({ doc, extensions }).update({ effects: query });
  const made: Transaction[] = [];
  // The command uses only these two members.
  const view = { state, dispatch: (spec: object) => void made.push(state.update(spec)) };
  replaceAll(view as unknown as EditorView);
  return made;
}

t.test('a replacement of all matches says how many there were', (t) => {
  t.equal(replacedText(replaceIn('one two one', 'one', 'three')), '2 replaced');
  t.equal(replacedText(replaceIn('aa', 'a', '')), '2 replaced', 'neighbours that go are two');
  t.equal(replacedText(replaceIn('one', 'four', 'three')), '');
  const typed = EditorState.create({ doc: 'x' }).update({ changes: { from: 0, insert: 'y' } });
  t.equal(replacedText([typed]), '');
  t.end();
});
