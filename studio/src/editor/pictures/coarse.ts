import { type Diagnostic, linter } from '@codemirror/lint';
import type { EditorState, Extension } from '@codemirror/state';
import { formatBytes, formatNumber, t } from '../../i18n/i18n.ts';
import { docText } from '../doc-text.ts';
import { hiddenPictures } from './hidden.ts';
import { coarseness, parsedTemplate, type PicturePlace, type Size } from './places.ts';
import { choosePicture } from './take.ts';

/** Sizes of pictures in pixels, by length and end of their data; null: the browser cannot read them. */
const sizes = new Map<string, Size | null>();
/** A text seldom has more; the size that was read first is dropped. */
const SIZES_MAX = 200;

/**
 * Warns of pictures that are printed too large for their pixels. One that was scaled down to its width
 * at the time is coarse when a node prints it larger later.
 */
export const coarsePictures: Extension = linter(({ state }) => coarseIn(state), { delay: 600 });

async function coarseIn(state: EditorState): Promise<readonly Diagnostic[]> {
  const places = state.field(hiddenPictures);
  if (places.length === 0) return [];
  const text = docText(state.doc);
  const template = parsedTemplate(text);
  if (template === null) return [];
  const found: Diagnostic[] = [];
  for (const place of places) {
    const size = await sizeOf(text.slice(place.from, place.to));
    const coarse = size === null ? null : coarseness(template, place.name, size);
    if (size === null || coarse === null) continue;
    const marked = diagnosticOf(place, size, coarse);
    const printed = printedAt(text, place.name);
    found.push(marked, ...(printed === null ? [] : [{ ...marked, ...printed }]));
  }
  return found;
}

/** Where the only node that prints a picture names it: that is the place somebody works at. */
function printedAt(
  text: string,
  name: string,
): { readonly from: number; readonly to: number } | null {
  const quoted = `"${name}"`;
  const found: { readonly from: number; readonly to: number }[] = [];
  for (let from = text.indexOf(quoted); from !== -1; from = text.indexOf(quoted, from + 1)) {
    const before = text.slice(Math.max(0, from - 30), from);
    if (/"image"\s*:\s*$/.test(before)) found.push({ from, to: from + quoted.length });
  }
  return found.length === 1 ? (found[0] ?? null) : null;
}

function diagnosticOf(
  place: PicturePlace,
  { width }: Size,
  { widthPt, dpi }: { readonly widthPt: number; readonly dpi: number },
): Diagnostic {
  const { name, from, to, bytes } = place;
  const facts = {
    name,
    width: formatNumber(width),
    printed: formatNumber(widthPt, 1),
    dpi: formatNumber(dpi),
  };
  return {
    from,
    to,
    severity: 'warning',
    message: t('picture.enlarged', facts),
    actions: [
      {
        name: t('picture.replace', { name, size: formatBytes(bytes) }),
        apply: (view) => choosePicture(view, place),
      },
    ],
  };
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
