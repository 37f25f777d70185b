import type { Page } from 'playwright-core';
import sharp from 'sharp';

/**
 * Finds Thai text whose ink is cut: marks that lie above or below the box that clips them. Each word
 * of a page is compared with the same word in the same font, drawn by another page where nothing
 * clips it. Ink is what changes between a picture with all text transparent and one with all text
 * in one colour, so borders, icons and themes do not matter.
 */

/** A word, or the value of a control, as a page shows it. Lengths are in CSS pixels. */
interface Spot {
  /** What holds it, for the message. */
  readonly where: string;
  readonly text: string;
  /** Where its ink may lie: as wide as the text, and somewhat higher than its line. */
  readonly box: Box;
  /** Style of the word alone, with the width of its line for a control. */
  readonly style: string;
  readonly lang: string;
  /** The distance between lines; null for a control, whose lines are not known. */
  readonly lineHeight: number | null;
}

interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** Rows of a picture, each with the number of pixels that are ink. */
type Profile = readonly number[];

/** Ink of a row that is lighter is a tip that antialiasing makes appear and disappear. */
const ROW_INK_MIN = 1.5;
/** Share of a row's ink that has to be seen: text of disabled buttons is faint. */
const SHARE_MIN = 0.25;
/** A word may lie between two rows of pixels, other than its reference. */
const SHIFT_ROWS = 3;
/** Room above and below a reference, in ems: no mark is taller. */
const ROOM_EM = 0.5;

/** As text: these sources are checked without the types of a browser. Loads the Thai fonts. */
const FONTS = `Promise.all(['400', '600'].map((weight) =>
  document.fonts.load(weight + ' 16px "Studio Thai"', 'ก'))).then(() => undefined)`;

const HIDE = `
  *, *::before, *::after, ::placeholder {
    -webkit-text-fill-color: transparent !important;
    text-decoration-color: transparent !important;
    caret-color: transparent !important;
    transition: none !important;
    animation: none !important;
  }
  ::selection { background: transparent !important; }`;
const SHOW = HIDE.replace('-fill-color: transparent', '-fill-color: #f0f');

/** Gives the spots of the page that are in view. */
const SPOTS = `(() => {
  const MARKED = /[\\u0E31\\u0E34-\\u0E3A\\u0E47-\\u0E4E\\u0E0E\\u0E0F\\u0E10\\u0E0D]/;
  const words = new Intl.Segmenter('th', { granularity: 'word' });
  const spots = [];
  const nameOf = (element) => {
    const dialog = element.closest('dialog') === null ? '' : 'dialog ';
    const parent = element.parentElement;
    const own = (one) => one.localName + [...one.classList].map((name) => '.' + name).join('');
    return dialog + (parent === null ? '' : own(parent) + ' > ') + own(element);
  };
  const styleOf = (css) => ['font-family', 'font-size', 'font-weight', 'font-style',
    'letter-spacing', 'font-variant-numeric', 'font-feature-settings', 'text-rendering']
    .map((name) => name + ':' + css.getPropertyValue(name)).join(';');
  const langOf = (element) => element.closest('[lang]')?.getAttribute('lang') ?? '';
  /* Whether the point belongs to the element, and nothing lies above it. */
  const isSeen = (element, x, y) => {
    const top = document.elementFromPoint(x, y);
    return top !== null && (top === element || element.contains(top) || top.contains(element));
  };
  /* Whether a bar that stays in view, or a dialog, covers a corner of the word, its marks included. */
  const isCovered = (element, { left, right, top, bottom, height }) => {
    const room = height / 2;
    return [left + 1, right - 1].some((x) => [top - room, top, bottom, bottom + room].some((y) => {
      for (let one = document.elementFromPoint(x, y); one !== null; one = one.parentElement) {
        if (one.contains(element)) return false;
        if (['sticky', 'fixed'].includes(getComputedStyle(one).position)) return true;
      }
      return false;
    }));
  };
  /* Whether it was scrolled away, or an ellipsis stands for it. */
  const isAway = (element, rect) => {
    for (let one = element; one !== null; one = one.parentElement) {
      if (getComputedStyle(one).overflowX === 'visible') continue;
      const box = one.getBoundingClientRect();
      const isScroller = one.scrollHeight > one.clientHeight + 1 &&
        ['auto', 'scroll'].includes(getComputedStyle(one).overflowY);
      const room = rect.height / 2;
      if (isScroller && (rect.top - room < box.top || rect.bottom + room > box.bottom)) return true;
      if (rect.left < box.left - 1 || rect.right > box.right + 1) return true;
      if (one.scrollWidth > one.clientWidth + 1 && getComputedStyle(one).textOverflow === 'ellipsis'
        && rect.right > box.right - 24) return true;
    }
    return false;
  };
  const add = (element, text, rect, css, more, lineHeight) => spots.push({
    where: nameOf(element), text, lang: langOf(element), lineHeight,
    style: styleOf(css) + more,
    box: { x: rect.left, y: rect.top, width: rect.width, height: rect.height },
  });
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
    const element = node.parentElement;
    if (!MARKED.test(node.data) || element.closest('.hidden, option, textarea') !== null) continue;
    const css = getComputedStyle(element);
    for (const { segment, index } of words.segment(node.data)) {
      if (!MARKED.test(segment)) continue;
      const range = document.createRange();
      range.setStart(node, index);
      range.setEnd(node, index + segment.length);
      const rects = range.getClientRects();
      const [rect] = rects;
      if (rects.length !== 1 || rect.width < 2 || isAway(element, rect)) continue;
      if (!isSeen(element, rect.left + rect.width / 2, rect.top + rect.height / 2)) continue;
      if (isCovered(element, rect)) continue;
      add(element, segment, rect, css, '', parseFloat(css.lineHeight));
    }
  }
  for (const control of document.querySelectorAll('input, select, textarea')) {
    const isChoice = control.localName === 'select';
    const text = isChoice ? control.selectedOptions[0]?.text ?? '' : control.value;
    const rect = control.getBoundingClientRect();
    if (!MARKED.test(text) || rect.width < 4 || isAway(control, rect)) continue;
    if (!isSeen(control, rect.left + rect.width / 2, rect.top + rect.height / 2)) continue;
    if (isCovered(control, rect)) continue;
    const css = getComputedStyle(control);
    const isArea = control.localName === 'textarea';
    const inner = control.clientWidth - parseFloat(css.paddingLeft) - parseFloat(css.paddingRight);
    const more = ';width:' + inner + 'px;overflow-x:clip' +
      (isArea ? ';white-space:pre-wrap;line-height:' + css.lineHeight : '');
    add(control, text, rect, css, more, null);
  }
  return spots;
})()`;

/** Text of an element that is shorter than its own ink, or whose ink is cut, as messages. */
export async function cutText(page: Page, references: References): Promise<readonly string[]> {
  await page.evaluate(`document.activeElement?.blur(); ${FONTS}`);
  const spots = await page.evaluate<Spot[]>(SPOTS);
  const wanted = await references.of(spots);
  const shown = await picturesOf(page);
  const found = new Set<string>();
  for (const spot of spots) {
    const reference = wanted(spot);
    const missing = missingRows(reference, shown(boxOf(spot), boxOf(spot).height), spot);
    if (missing > 0) found.add(`${spot.where}: ${missing} rows of ${spot.text} are cut`);
    const height = (reference.findLastIndex(hasInk) - reference.findIndex(hasInk) + 1) / scale;
    // Ink fills whole pixels.
    if (spot.lineHeight !== null && spot.lineHeight + 1 / scale < height) {
      found.add(`${spot.where}: lines of ${spot.lineHeight} px hold ${height} px of ${spot.text}`);
    }
  }
  return [...found];
}

/** Device pixels of a CSS pixel. Text of 200 % shows what a finer screen would. */
const scale = 1;

function hasInk(ink: number): boolean {
  return ink >= ROW_INK_MIN;
}

function boxOf({ box, lineHeight }: Spot): Box {
  const room = lineHeight === null ? 0 : Math.ceil(box.height * ROOM_EM);
  return { ...box, y: box.y - room, height: box.height + 2 * room };
}

/** The fewest rows of the reference that the page lacks, wherever the text lies exactly. */
function missingRows(reference: Profile, shown: Profile, { lineHeight }: Spot): number {
  // The reference of a control begins somewhere else than the control's box.
  const range = lineHeight === null ? Math.max(reference.length, shown.length) : SHIFT_ROWS;
  let fewest = Infinity;
  for (let shift = -range; shift <= range; shift += 1) {
    const isCut = (ink: number, row: number): boolean =>
      hasInk(ink) && (shown[row + shift] ?? 0) < ink * SHARE_MIN;
    fewest = Math.min(fewest, reference.filter(isCut).length);
  }
  return fewest;
}

/** Takes both pictures; gives the function that counts the ink of a box. */
async function picturesOf(page: Page): Promise<(box: Box, height: number) => Profile> {
  const without = await raw(page, HIDE);
  const within = await raw(page, SHOW);
  return ({ x, y, width }, height) =>
    Array.from({ length: Math.round(height * scale) }, (_, index) => {
      const row = Math.round(y * scale) + index;
      let ink = 0;
      for (let at = Math.floor(x * scale); at < Math.ceil((x + width) * scale); at += 1) {
        ink += inkAt(without, within, at, row);
      }
      return ink;
    });
}

interface Raw {
  readonly data: Buffer;
  readonly width: number;
  readonly height: number;
}

/** How much of the pixel is covered, 0 to 1. */
function inkAt(without: Raw, within: Raw, x: number, y: number): number {
  if (x < 0 || y < 0 || x >= without.width || y >= without.height) return 0;
  const at = (y * without.width + x) * 3;
  let most = 0;
  for (let channel = 0; channel < 3; channel += 1) {
    const before = without.data[at + channel] ?? 0;
    most = Math.max(most, Math.abs(before - (within.data[at + channel] ?? 0)));
  }
  return most / 255;
}

async function raw(page: Page, css: string): Promise<Raw> {
  // Such a sheet needs no permission of the Content-Security-Policy.
  await page.evaluate(`const sheet = new CSSStyleSheet();
    sheet.replaceSync(${JSON.stringify(css)});
    document.adoptedStyleSheets = [sheet]`);
  const png = await page.screenshot({ scale: 'device' });
  await page.evaluate('document.adoptedStyleSheets = []');
  const { data, info } = await sharp(png).removeAlpha().raw().toBuffer({ resolveWithObject: true });
  return { data, width: info.width, height: info.height };
}

/** Draws words where nothing clips them, on a page of the same fonts; keeps what it has drawn. */
export class References {
  readonly #page: Page;
  readonly #known = new Map<string, Profile>();

  /** `page` shows a page of the Studio, 2,400 px high, and serves nothing else from now on. */
  constructor(page: Page) {
    this.#page = page;
  }

  async of(spots: readonly Spot[]): Promise<(spot: Spot) => Profile> {
    const keyOf = ({ style, lang, text }: Spot): string => JSON.stringify([style, lang, text]);
    const fresh = new Map(
      spots.filter((spot) => !this.#known.has(keyOf(spot))).map((spot) => [keyOf(spot), spot]),
    );
    const queue = [...fresh];
    while (queue.length > 0) await this.#draw(queue.splice(0, 60));
    return (spot) => this.#known.get(keyOf(spot)) ?? [];
  }

  async #draw(batch: readonly (readonly [key: string, spot: Spot])[]): Promise<void> {
    const given = batch.map(([, { style, lang, text }]) => ({ style, lang, text }));
    const boxes = await this.#page.evaluate<Box[]>(
      `(${DRAW})(${JSON.stringify(given)}, ${ROOM_EM})`,
    );
    const shown = await picturesOf(this.#page);
    for (const [index, [key]] of batch.entries()) {
      const box = boxes[index];
      if (box !== undefined) this.#known.set(key, shown(box, box.height));
    }
  }
}

/** Fills the page with the words, one below the other; gives their boxes with their room. */
const DRAW = `(words, roomEm) => {
  document.documentElement.style.cssText = 'color-scheme:light;background:#fff';
  document.body.style.cssText = 'background:#fff';
  document.body.replaceChildren(...words.map(({ style, lang, text }) => {
    const line = document.createElement('span');
    line.style.cssText = 'display:inline-block;margin:0 9px;padding-block:0.6em;' +
      'white-space:pre;line-height:2.6;' + style;
    if (lang !== '') line.lang = lang;
    line.textContent = text;
    return line;
  }));
  return (${FONTS}).then(() => [...document.body.children].map((line) => {
    const range = document.createRange();
    range.selectNodeContents(line);
    const text = range.getBoundingClientRect();
    const box = line.getBoundingClientRect();
    const room = Math.ceil(text.height * roomEm);
    const isControl = line.style.width !== '';
    return {
      x: text.left,
      y: text.top - room,
      width: isControl ? box.width : text.width,
      height: text.height + 2 * room,
    };
  }));
}`;
