import {
  findNext,
  findPrevious,
  getSearchQuery,
  replaceAll,
  search,
  SearchQuery,
  setSearchQuery,
} from '@codemirror/search';
import { EditorState, type Transaction } from '@codemirror/state';
import type { Command, EditorView } from '@codemirror/view';
import t from 'tap';
import { beyondPictures } from '../../studio/src/editor/find/beyond-pictures.ts';
import { countMatches } from '../../studio/src/editor/find/matches.ts';
import { picturesIn } from '../../studio/src/editor/pictures/places.ts';
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

const PICTURE = `data:image/png;base64,${'iVBORw0KGgoAAAANSUhEUgAA+aA/'.repeat(40)}`;
const TEMPLATE = `{
  "name": "A receipt",
  "images": { "logo": "${PICTURE}", "seal": "${PICTURE}" },
  "text": "A text of a bank"
}`;

type Query = ConstructorParameters<typeof SearchQuery>[0];

/** An editor of the template, as far as commands of a search need one, which looks for `query`. */
function editorOf(query: Query) {
  const extensions = [beyondPictures];
  let state = EditorState.create({ doc: TEMPLATE, extensions });
  const dispatch = (spec: object): void => void ({ state } = state.update(spec));
  dispatch({ effects: setSearchQuery.of(new SearchQuery(query)) });
  return {
    text: (): string => state.doc.toString(),
    /** The line and text that a command selects. */
    run: (command: Command): string => {
      // The command uses only these members: no panel is open.
      command({ state, dispatch, plugin: () => null } as unknown as EditorView);
      const { from, to } = state.selection.main;
      return `${state.doc.lineAt(from).number}: ${state.sliceDoc(from, to)}`;
    },
    count: (): number => {
      const counting = countMatches(state, getSearchQuery(state));
      for (let next = counting.next(); ; next = counting.next()) {
        if (next.done === true) return next.value.count;
      }
    },
  };
}

t.test('find and replace pass over the hidden data of pictures', async (t) => {
  const replaced: readonly (readonly [Query, string])[] = [
    [{ search: 'A', replace: 'X' }, 'every letter, in any case'],
    [{ search: 'A', replace: 'X', caseSensitive: true }, 'capitals'],
    [{ search: '[A/+]', replace: '', regexp: true }, 'a regular expression'],
    [{ search: '"[^"]*"', replace: '""', regexp: true }, 'one that reaches beyond the data'],
    [{ search: '\\w+', replace: 'word', regexp: true, wholeWord: true }, 'whole words'],
    [{ search: '(?=data:|iV|[",])', replace: 'X', regexp: true }, 'places between two characters'],
    [{ search: 'image', replace: 'file' }, 'what begins the data, too'],
  ];
  for (const [query, name] of replaced) {
    const editor = editorOf(query);
    editor.run(replaceAll);
    const urls = picturesIn(editor.text()).map(({ from, to }) => editor.text().slice(from, to));
    t.strictSame(urls, [PICTURE, PICTURE], name);
    t.not(editor.text(), TEMPLATE, `${name}: the rest is replaced`);
  }
});

t.test('a search counts and selects only what is shown', async (t) => {
  const editor = editorOf({ search: 'A', caseSensitive: true });
  t.equal(editor.count(), 2);
  t.equal(editor.run(findNext), '2: A');
  t.equal(editor.run(findNext), '4: A');
  t.equal(editor.run(findPrevious), '2: A');
  t.equal(editor.run(findPrevious), '4: A');
  t.equal(editorOf({ search: 'iVBOR' }).count(), 0);
  t.equal(editorOf({ search: 'A' }).count(), 7, 'small ones of “name”, “images”, “seal”, “a bank”');
});
