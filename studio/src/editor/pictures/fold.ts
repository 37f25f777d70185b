import { type EditorState, type Extension, StateField } from '@codemirror/state';
import { Decoration, type DecorationSet, EditorView, WidgetType } from '@codemirror/view';
import { formatBytes, t } from '../../i18n/i18n.ts';
import { docText } from '../doc-text.ts';
import { hiddenPictures } from './hidden.ts';
import type { PicturePlace } from './places.ts';
import { choosePicture, pictureOf, takePicture } from './take.ts';

/** Stands in the text instead of the data URL of a picture; a click on it chooses another file. */
class PictureWidget extends WidgetType {
  readonly #place: PicturePlace;
  readonly #key: string;

  constructor(place: PicturePlace, text: string) {
    super();
    this.#place = place;
    // The text of a picture has megabytes; its length and end tell it from its successor.
    this.#key = `${place.name} ${place.to - place.from} ${text.slice(place.to - 40, place.to)}`;
  }

  override eq(other: PictureWidget): boolean {
    return other.#key === this.#key;
  }

  override toDOM(view: EditorView): HTMLElement {
    const { name, bytes } = this.#place;
    const size = formatBytes(bytes);
    const button = document.createElement('button');
    button.type = 'button';
    button.className = 'cm-picture';
    button.textContent = t('picture.replace', { name, size });
    button.addEventListener('click', () => choosePicture(view, this.#place));
    return button;
  }

  override ignoreEvent(): boolean {
    return true;
  }
}

function fold(state: EditorState): DecorationSet {
  const text = docText(state.doc);
  const folds = state
    .field(hiddenPictures)
    .map((place) =>
      Decoration.replace({ widget: new PictureWidget(place, text) }).range(place.from, place.to),
    );
  return Decoration.set(folds);
}

const folds = StateField.define<DecorationSet>({
  create: fold,
  update: (found, { docChanged, state }) => (docChanged ? fold(state) : found),
  provide: (field) => [
    EditorView.decorations.from(field),
    EditorView.atomicRanges.of((view) => view.state.field(field)),
  ],
});

/** Takes a picture that was dropped or pasted; false: there is none, and the editor goes on. */
function takeFrom(
  view: EditorView,
  event: Event,
  files: FileList | undefined,
  at: number | null,
): boolean {
  const file = pictureOf(files);
  if (file === null) return false;
  event.preventDefault();
  const places = view.state.field(hiddenPictures);
  const line = at === null ? null : view.state.doc.lineAt(at);
  // A file that is dropped or pasted on the line of a picture replaces that picture.
  const replaced = places.find(
    ({ from, to }) => line !== null && from <= line.to && to >= line.from,
  );
  void takePicture(view, file, replaced ?? null);
  return true;
}

/**
 * Handles pictures in the text: hides their base64, and lets users drop, paste and replace them.
 */
export function pictures(): Extension {
  return [
    hiddenPictures,
    folds,
    EditorView.domEventHandlers({
      drop: (event, view) => {
        const at = view.posAtCoords({ x: event.clientX, y: event.clientY });
        return takeFrom(view, event, event.dataTransfer?.files, at);
      },
      paste: (event, view) =>
        takeFrom(view, event, event.clipboardData?.files, view.state.selection.main.head),
    }),
  ];
}
