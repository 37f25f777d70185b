import { formatNumber, t } from '../../i18n/i18n.ts';
import { positionAt } from '../checks/carry.ts';
import type { ShownFinding } from '../finding-text.tsx';
import { locate, type Place } from '../sample-edit.ts';
import { coarseness, parsedTemplate, type PicturePlace, picturesIn, type Size } from './places.ts';

/** A picture that is printed too large for its pixels. */
export interface CoarsePicture {
  readonly place: PicturePlace;
  /** Where the node that prints it largest names it. */
  readonly printedAt: { readonly from: number; readonly to: number };
  /** The path of that node. */
  readonly path: string;
  /** Says so in the language of the reader. */
  readonly says: () => string;
}

/** Sizes of pictures in pixels, by length and end of their data; null: the browser cannot read them. */
const sizes = new Map<string, Size | null>();
/** A text seldom has more; the size that was read first is dropped. */
const SIZES_MAX = 200;

/**
 * The pictures of a text that are printed too large for their pixels. One that was scaled down to its
 * width at the time is coarse when a node prints it larger later. None: the text is not JSON.
 */
export async function coarsePicturesIn(text: string): Promise<readonly CoarsePicture[]> {
  const places = picturesIn(text);
  const template = places.length === 0 ? null : parsedTemplate(text);
  if (template === null) return [];
  const found: CoarsePicture[] = [];
  for (const place of places) {
    const size = await sizeOf(text.slice(place.from, place.to));
    const coarse = size === null ? null : coarseness(template, place.name, size);
    if (size === null || coarse === null) continue;
    const facts = {
      name: place.name,
      width: formatNumber(size.width),
      printed: formatNumber(coarse.widthPt, 1),
      dpi: formatNumber(coarse.dpi),
    };
    found.push({
      place,
      printedAt: placeOf(locate(text), [...coarse.steps, 'image']),
      path: pathOf(coarse.steps),
      says: () => t('picture.enlarged', facts),
    });
  }
  return found;
}

/** The same as warnings beside those of the service, which does not look for them. */
export async function coarseFindings(text: string): Promise<readonly ShownFinding[]> {
  return (await coarsePicturesIn(text)).map(({ printedAt, path, says }) => ({
    severity: 'warning',
    path,
    message: says(),
    says,
    ...positionAt(text, printedAt.from),
  }));
}

/** The place of the value that is reached by these steps, which the text has. */
function placeOf(root: Place, steps: readonly (string | number)[]): Place {
  let place = root;
  for (const step of steps) {
    const { items } = place;
    const item = typeof step === 'number' ? items[step] : items.findLast(({ key }) => key === step);
    place = item?.place ?? place;
  }
  return place;
}

/** The steps as the service writes a path: `document.content[0].columns[1]`. */
function pathOf(steps: readonly (string | number)[]): string {
  let path = '';
  for (const step of steps) {
    if (typeof step === 'number') path += `[${step}]`;
    else if (/^[A-Za-z_$][\w$]*$/.test(step)) path += path === '' ? step : `.${step}`;
    else path += `[${JSON.stringify(step)}]`;
  }
  return path;
}

async function sizeOf(url: string): Promise<Size | null> {
  const key = `${url.length} ${url.slice(-60)}`;
  const known = sizes.get(key);
  if (known !== undefined) return known;
  const size = await readSize(url);
  const [oldest] = sizes.keys();
  if (sizes.size >= SIZES_MAX && oldest !== undefined) sizes.delete(oldest);
  sizes.set(key, size);
  return size;
}

async function readSize(url: string): Promise<Size | null> {
  const comma = url.indexOf(',');
  const type = url.slice('data:'.length, url.indexOf(';'));
  try {
    const bytes = Uint8Array.from(atob(url.slice(comma + 1)), (one) => one.charCodeAt(0));
    const bitmap = await createImageBitmap(new Blob([bytes], { type }));
    const { width, height } = bitmap;
    bitmap.close();
    return { width, height };
  } catch (error) {
    // Not base64, or no picture: the service says so.
    if (error instanceof DOMException) return null;
    throw error;
  }
}
