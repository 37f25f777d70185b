import type { EditorView } from '@codemirror/view';
import { tell } from '../../app/state.ts';
import { formatBytes, formatNumber, t } from '../../i18n/i18n.ts';
import { docText } from '../doc-text.ts';
import { addPicture, neededScale, pictureName, type PicturePlace, picturesIn } from './places.ts';
import { PICTURE_BYTES_MAX, PICTURE_TYPES, shrink, type PictureFault } from './shrink.ts';

/** The first file that could be a picture. */
export function pictureOf(files: FileList | undefined): File | null {
  return [...(files ?? [])].find(({ type }) => type.startsWith('image/')) ?? null;
}

/** Asks for a file, which then takes the place of a picture; null: it is a new one. */
export function choosePicture(view: EditorView, replaced: PicturePlace | null): void {
  const input = document.createElement('input');
  input.type = 'file';
  input.accept = PICTURE_TYPES.join(',');
  input.addEventListener('change', () => {
    const file = pictureOf(input.files ?? undefined);
    if (file !== null) void takePicture(view, file, replaced);
  });
  input.click();
}

/** Puts a picture into the text, as small as print allows; what happened is told in a few words. */
export async function takePicture(
  view: EditorView,
  file: File,
  replaced: PicturePlace | null,
): Promise<void> {
  const name = replaced?.name ?? pictureName(file.name, takenNames(view));
  const made = await shrink(file, (size) => neededScale(textOf(view), name, size));
  if (typeof made === 'string') return tell('bad', faultText(made));
  const text = textOf(view);
  const facts = {
    name,
    width: formatNumber(made.width),
    height: formatNumber(made.height),
    size: formatBytes(made.bytes),
  };
  if (replaced === null) {
    const change = addPicture(text, name, made.url);
    if (change === null) return tell('bad', t('picture.not_json'));
    view.dispatch({ changes: change, userEvent: 'input.picture' });
    return tell('good', t('picture.added', facts));
  }
  const place = placeNow(text, replaced);
  if (place === null) return tell('bad', t('picture.gone'));
  const changes = { from: place.from, to: place.to, insert: made.url };
  view.dispatch({ changes, userEvent: 'input.picture' });
  tell('good', t('picture.replaced', facts));
}

/** Where the picture is now: the text may have changed while the file was chosen and read. */
function placeNow(text: string, { name, from }: PicturePlace): PicturePlace | null {
  const places = picturesIn(text);
  const same = places.filter((place) => place.name === name);
  return same.find((place) => place.from === from) ?? (same.length === 1 ? same[0] : null) ?? null;
}

function takenNames(view: EditorView): ReadonlySet<string> {
  return new Set(picturesIn(textOf(view)).map(({ name }) => name));
}

function textOf(view: EditorView): string {
  return docText(view.state.doc);
}

function faultText(fault: PictureFault): string {
  switch (fault) {
    case 'type':
      return t('form.picture_type');
    case 'bytes':
      return t('form.picture_bytes', { max: formatBytes(PICTURE_BYTES_MAX) });
    case 'pixels':
      return t('picture.pixels');
    case 'broken':
      return t('form.picture_broken');
  }
}
