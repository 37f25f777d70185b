import { type EditorState, StateField } from '@codemirror/state';
import { docText } from '../doc-text.ts';
import { type PicturePlace, picturesIn } from './places.ts';

function read(state: EditorState): readonly PicturePlace[] {
  return picturesIn(docText(state.doc));
}

/** The pictures of the text, whose data URLs are hidden. */
export const hiddenPictures = StateField.define<readonly PicturePlace[]>({
  create: read,
  update: (places, { docChanged, state }) => (docChanged ? read(state) : places),
});

/**
 * Whether a range contains characters of a picture's data. An empty range touches a picture inside
 * its data and at both ends. Called for each match of a search.
 */
export function touchesPicture(state: EditorState, start: number, end: number): boolean {
  const [from, to] = start === end ? [start - 1, end + 1] : [start, end];
  const places = state.field(hiddenPictures);
  let [low, high] = [0, places.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((places[middle]?.to ?? 0) <= from) low = middle + 1;
    else high = middle;
  }
  return (places[low]?.from ?? Infinity) < to;
}
