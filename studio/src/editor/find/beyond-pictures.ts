import { search, SearchQuery, setSearchQuery } from '@codemirror/search';
import { EditorState, type Extension } from '@codemirror/state';
import { hiddenPictures, touchesPicture } from '../pictures/hidden.ts';

/**
 * CodeMirror's test of a match. It must be a single function: queries with different tests count as
 * different queries.
 */
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

/** The panel makes queries without a test. Replaces each by the same query with the test. */
const queries = EditorState.transactionExtender.of(({ effects }) => {
  const found = effects.flatMap((effect) =>
    effect.is(setSearchQuery) && effect.value.test !== isShown
      ? [setSearchQuery.of(shownOnly(effect.value))]
      : [],
  );
  return found.length === 0 ? null : { effects: found };
});

/**
 * Makes find and replace skip the data of pictures, which the editor hides: "replace all" of a
 * letter would destroy the pictures unseen. `search` must come first, so that the panel sets a
 * query when it opens, too.
 */
export const beyondPictures: Extension = [hiddenPictures, search(), queries];
