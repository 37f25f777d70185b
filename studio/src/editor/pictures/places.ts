import { addItem, locate, memberOf, type TextChange } from '../sample-edit.ts';
import { isRecord } from '../template-text.ts';

/** A picture in the text of a template: a data URL. */
export interface PicturePlace {
  /** The key before it, which is its name in `document.images`; '' if it has none. */
  readonly name: string;
  /** What a PNG or another picture is: `image/png`. */
  readonly type: string;
  /** The data URL, without its quotation marks. */
  readonly from: number;
  readonly to: number;
  /** Bytes of the picture. */
  readonly bytes: number;
}

const START = '"data:image/';
const KEY = /"((?:[^"\\]|\\.)*)"\s*:\s*$/;
/** Characters before a picture in which its key is looked for. */
const KEY_LENGTH_MAX = 300;
/** A shorter one does not hide the text around it. */
const BASE64_LENGTH_MIN = 60;

/** The pictures of a text, in its order. The text need not be JSON. */
export function picturesIn(text: string): readonly PicturePlace[] {
  const found: PicturePlace[] = [];
  for (let at = text.indexOf(START); at !== -1; at = text.indexOf(START, at + 1)) {
    const head = /^"data:(image\/[\w+.-]+);base64,/.exec(text.slice(at, at + 60));
    const base64 = at + (head?.[0].length ?? 0);
    const to = text.indexOf('"', base64);
    if (head === null || to - base64 < BASE64_LENGTH_MIN) continue;
    const name = KEY.exec(text.slice(Math.max(0, at - KEY_LENGTH_MAX), at))?.[1] ?? '';
    const padded = /={0,2}$/.exec(text.slice(to - 2, to))?.[0].length ?? 0;
    const bytes = Math.floor(((to - base64 - padded) * 3) / 4);
    found.push({ name, type: head[1] ?? '', from: at + 1, to, bytes });
  }
  return found;
}

/** Puts a picture into `document.images`; null: the text is not JSON, or has no document. */
export function addPicture(text: string, name: string, url: string): TextChange | null {
  if (!isJson(text)) return null;
  const document = memberOf(locate(text), 'document');
  if (document === null || text[document.from] !== '{') return null;
  const images = memberOf(document, 'images');
  const member = `${JSON.stringify(name)}: ${JSON.stringify(url)}`;
  if (images === null) return addItem(text, document, () => `"images": { ${member} }`);
  return text[images.from] === '{' ? addItem(text, images, () => member) : null;
}

function isJson(text: string): boolean {
  return parsedTemplate(text) !== null;
}

/** The template of a text; null: it is no JSON object. */
export function parsedTemplate(text: string): Readonly<Record<string, unknown>> | null {
  try {
    const value = JSON.parse(text) as unknown;
    return isRecord(value) ? value : null;
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

/** A name for a file: its own in letters that are easy to type, and one that is not taken. */
export function pictureName(fileName: string, taken: ReadonlySet<string>): string {
  const stem = fileName.replace(/\.\w+$/, '').toLowerCase();
  const plain = stem.replaceAll(/[^a-z0-9]+/g, '-').replaceAll(/^-+|-+$/g, '') || 'picture';
  for (let count = 1; ; count += 1) {
    const name = count === 1 ? plain : `${plain}-${count}`;
    if (!taken.has(name)) return name;
  }
}

/** Dots for each inch that print needs. */
const DPI = 300;
const POINTS_PER_INCH = 72;
/** What a picture is given that no node prints yet: the width of A4. */
const WIDTH_PT_DEFAULT = 595;

export interface Size {
  readonly width: number;
  readonly height: number;
}

/** How many pixels print needs of a picture. */
export interface PrintNeed {
  /** The width in points at which the template prints it largest; null: no node gives it a size. */
  readonly widthPt: number | null;
  /** Pixels of its width that give 300 dots for each inch there. */
  readonly widthPixels: number;
}

/** What print needs of a picture of this size in pixels, where the template prints it largest. */
export function printNeed(text: string, name: string, size: Size): PrintNeed {
  return needIn(parsedTemplate(text), name, size);
}

function needIn(template: unknown, name: string, size: Size): PrintNeed {
  const scales = printingNodes(template, name).map(({ node }) => scaleOf(node, size));
  const sized = scales.filter((scale) => scale !== null);
  const widthPt = sized.length === 0 ? null : Math.max(...sized) * size.width;
  // Without a size, a pixel is printed as a point, so each of them is kept.
  const natural = scales.includes(null) ? size.width : 0;
  const printedPt = Math.max(widthPt ?? 0, natural) || WIDTH_PT_DEFAULT;
  return { widthPt, widthPixels: (printedPt * DPI) / POINTS_PER_INCH };
}

/** Dots for each inch below which print shows the pixels of a picture. */
const COARSE_DPI = 150;

interface Coarseness {
  readonly widthPt: number;
  readonly dpi: number;
  /** Keys and indexes that lead to the node that prints it largest. */
  readonly steps: Steps;
}

/**
 * How coarse a picture of this size in pixels is where the template prints it largest; null: it has at
 * least 150 dots for each inch there, or no node gives it a size.
 */
export function coarseness(
  template: Readonly<Record<string, unknown>>,
  name: string,
  size: Size,
): Coarseness | null {
  let largest: { readonly scale: number; readonly steps: Steps } | null = null;
  for (const { node, steps } of printingNodes(template, name)) {
    const scale = scaleOf(node, size);
    if (scale !== null && scale > (largest?.scale ?? 0)) largest = { scale, steps };
  }
  if (largest === null) return null;
  const widthPt = largest.scale * size.width;
  const dpi = POINTS_PER_INCH / largest.scale;
  // Half a dot: sizes are rounded when a picture is scaled down.
  return dpi + 0.5 < COARSE_DPI ? { widthPt, dpi, steps: largest.steps } : null;
}

/** How many times its printed width a picture is kept for, so that it can be printed larger later. */
const SPARE = 2;
/** Pixels of the width of a page: nothing is printed wider. */
const PAGE_WIDTH_PIXELS = (WIDTH_PT_DEFAULT * DPI) / POINTS_PER_INCH;

/** Shares, at most 1, to which a picture can be scaled down. */
interface Scales {
  /** What print needs. */
  readonly needed: number;
  /** The same for twice the printed width, up to the width of a page. */
  readonly roomy: number;
}

/** To what a picture of this size in pixels can be scaled down. */
export function printScales(text: string, name: string, size: Size): Scales {
  const { widthPixels } = printNeed(text, name, size);
  const widest = Math.max(widthPixels, Math.min(widthPixels * SPARE, PAGE_WIDTH_PIXELS));
  return {
    needed: Math.min(1, widthPixels / size.width),
    roomy: Math.min(1, widest / size.width),
  };
}

/** Points for each pixel of a picture; null: the node gives it no size. */
function scaleOf(node: Readonly<Record<string, unknown>>, size: Size): number | null {
  const { width, height, fit, cover } = node;
  const sides = (wide: unknown, high: unknown): number[] => [
    ...(typeof wide === 'number' ? [wide / size.width] : []),
    ...(typeof high === 'number' ? [high / size.height] : []),
  ];
  if (Array.isArray(fit)) return Math.min(...sides(fit[0], fit[1]), 1_000);
  if (isRecord(cover)) return Math.max(...sides(cover['width'], cover['height']), 0.01);
  const given = sides(width, height);
  return given.length === 0 ? null : Math.max(...given);
}

type Steps = readonly (string | number)[];

interface PrintingNode {
  readonly node: Readonly<Record<string, unknown>>;
  readonly steps: Steps;
}

/** The nodes that print the picture, with their places. */
function printingNodes(value: unknown, name: string, steps: Steps = []): readonly PrintingNode[] {
  if (Array.isArray(value)) {
    return value.flatMap((item, index) => printingNodes(item, name, [...steps, index]));
  }
  if (!isRecord(value)) return [];
  const inner = Object.entries(value).flatMap(([key, item]) =>
    printingNodes(item, name, [...steps, key]),
  );
  return value['image'] === name ? [{ node: value, steps }, ...inner] : inner;
}
