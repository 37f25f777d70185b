import type { SearchQuery } from '@codemirror/search';
import type { EditorState } from '@codemirror/state';

/** Matches that are counted; a text may have millions of a letter. */
const COUNT_MAX = 1_000;
/** Characters of the text that are searched without a pause for keys. */
const SLICE_LENGTH = 100_000;

/** The matches of a search in a text. */
export interface Counted {
  readonly count: number;
  /** Position of the selected match, from 1; 0: none is selected. */
  readonly index: number;
  readonly isAll: boolean;
}

/** Yields after each slice of the text. Slices end with lines, so a match within a line is whole. */
export function* countMatches(state: EditorState, query: SearchQuery): Generator<null, Counted> {
  const { main } = state.selection;
  const { doc } = state;
  // A match over several lines may lie in two slices.
  const length = /\\n|\n|\\s|\[\^/.test(query.search) ? doc.length : SLICE_LENGTH;
  let count = 0;
  let index = 0;
  for (let from = 0; from <= doc.length;) {
    const to = doc.lineAt(Math.min(doc.length, from + length)).to;
    const cursor = query.getCursor(state, from, to);
    for (let next = cursor.next(); next.done !== true; next = cursor.next()) {
      if (count === COUNT_MAX) return { count, index, isAll: false };
      count += 1;
      if (next.value.from === main.from && next.value.to === main.to) index = count;
    }
    from = to + 1;
    if (from <= doc.length) yield null;
  }
  return { count, index, isAll: true };
}
