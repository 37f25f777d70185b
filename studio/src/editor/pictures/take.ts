import type { EditorView } from '@codemirror/view';
import { tell } from '../../app/state.ts';
import { formatBytes, formatNumber, t } from '../../i18n/i18n.ts';
import { docText } from '../doc-text.ts';
import {
  addPicture,
  pictureName,
  type PicturePlace,
  picturesIn,
  printNeed,
  printScales,
} from './places.ts';
import {
  PICTURE_BYTES_MAX,
  PICTURE_TYPES,
  shrink,
  type PictureFault,
  type Shrunk,
} from './shrink.ts';

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
  const made = await shrinkFor(textOf(view), name, file);
  if (typeof made === 'string') return tell('bad', () => faultText(made));
  const text = textOf(view);
  const { kind, said } = sizeTold(text, name, made);
  const told = (key: 'picture.added' | 'picture.replaced') => (): string => {
    const width = formatNumber(made.width);
    const height = formatNumber(made.height);
    return `${t(key, { name, width, height, size: formatBytes(made.bytes) })}${said()}`;
  };
  if (replaced === null) {
    const change = addPicture(text, name, made.url);
    if (change === null) return tell('bad', () => t('picture.not_json'));
    view.dispatch({ changes: change, userEvent: 'input.picture' });
    return tell(kind, told('picture.added'));
  }
  const place = placeNow(text, replaced);
  if (place === null) return tell('bad', () => t('picture.gone'));
  const changes = { from: place.from, to: place.to, insert: made.url };
  view.dispatch({ changes, userEvent: 'input.picture' });
  tell(kind, told('picture.replaced'));
}

/** Every document holds the pixels to spare, too, so they may take no more bytes than this. */
const ROOMY_BYTES_MAX = 100_000;

/** The picture with pixels for twice its printed width if they take few bytes, else for that width. */
async function shrinkFor(text: string, name: string, file: File): Promise<Shrunk | PictureFault> {
  const roomy = await shrink(file, (size) => printScales(text, name, size).roomy);
  if (typeof roomy === 'string' || roomy.bytes <= ROOMY_BYTES_MAX) return roomy;
  return shrink(file, (size) => printScales(text, name, size).needed);
}

/** Below this share of the pixels that print needs, which is 200 dots for each inch, edges are coarse. */
const COARSE_SHARE = 2 / 3;

/** What became of the pixels of a picture, and whether they are too few for print. */
function sizeTold(
  text: string,
  name: string,
  { width, height, original }: Shrunk,
): { readonly kind: 'good' | 'warn'; readonly said: () => string } {
  if (width < original.width) {
    const { needed } = printScales(text, name, original);
    const isRoomy = width > Math.ceil(original.width * needed);
    const said = (): string => {
      const from = {
        width: formatNumber(original.width),
        height: formatNumber(original.height),
      };
      return ` ${t(isRoomy ? 'picture.spare' : 'picture.scaled', from)}`;
    };
    return { kind: 'good', said };
  }
  const { widthPt, widthPixels } = printNeed(text, name, { width, height });
  if (widthPt === null) return { kind: 'good', said: () => '' };
  if (width >= widthPixels * COARSE_SHARE) {
    return { kind: 'good', said: () => ` ${t('picture.kept')}` };
  }
  const said = (): string => {
    const facts = {
      printed: formatNumber(widthPt, 1),
      needed: formatNumber(widthPixels),
      width: formatNumber(width),
    };
    return ` ${t('picture.coarse', facts)}`;
  };
  return { kind: 'warn', said };
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
