import { search, SearchQuery, setSearchQuery } from '@codemirror/search';
import { EditorState, type Extension } from '@codemirror/state';
import { hiddenPictures, touchesPicture } from '../pictures/hidden.ts';

/** CodeMirror's test of a match. One function, because queries with other tests are different. */
function isShown(_match: string, state: EditorState, from: number, to: number): boolean {
  return !touchesPicture(state, from, to);
}

function shownOnly(query: SearchQuery): SearchQuery {
  const { search: text, caseSensitive, literal, regexp, replace, wholeWord } = query;
  return new SearchQuery({
    search: text,
    caseSensitive,
    literal,
    regexp,
    replace,
    wholeWord,
    test: isShown,
  });
}

/** The panel makes queries without a test; the same query with it takes the place of each. */
const queries = EditorState.transactionExtender.of(({ effects }) => {
  const found = effects.flatMap((effect) =>
    effect.is(setSearchQuery) && effect.value.test !== isShown
      ? [setSearchQuery.of(shownOnly(effect.value))]
      : [],
  );
  return found.length === 0 ? null : { effects: found };
});

/**
 * Find and replace pass over the data of pictures, which the editor hides: a letter that is replaced
 * everywhere would destroy them unseen. `search` comes first, so that the panel sets a query when it
 * opens, too.
 */
export const beyondPictures: Extension = [hiddenPictures, search(), queries];
