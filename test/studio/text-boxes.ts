import type { Page } from 'playwright-core';

/**
 * Finds Thai text whose ink is cut by a box, by arithmetic: one walk over the text of a page, without
 * pictures. The ink of a word is measured by a canvas in the font of its element, and compared with
 * every box around it that clips. ink.ts looks at pictures of fewer pages, and at inputs.
 */

/** As text: these sources are checked without the types of a browser. Loads the fonts of Thai. */
const FONTS = `Promise.all(['400', '600'].map((weight) =>
  document.fonts.load(weight + ' 16px "Studio Thai"', 'ก'))).then(() => undefined)`;

/** Less than a pixel is the edge of a curve, which nobody misses. */
const TOLERANCE_PX = 1;

const CUT = `(() => {
  const MARKED = /[\\u0E31\\u0E34-\\u0E3A\\u0E47-\\u0E4E\\u0E0E\\u0E0F\\u0E10\\u0E0D]/;
  const canvas = document.createElement('canvas').getContext('2d');
  const inks = new Map();
  const found = new Set();
  let count = 0;
  const nameOf = (element) => [element.parentElement, element].map((one) =>
    one.localName + [...one.classList].map((name) => '.' + name).join('')).join(' > ');
  const inkOf = (css, text) => {
    const font = [css.fontStyle, css.fontWeight, css.fontSize, css.fontFamily].join(' ');
    const key = font + text;
    if (!inks.has(key)) {
      canvas.font = font;
      inks.set(key, canvas.measureText(text));
    }
    return inks.get(key);
  };
  /* The upper and lower edge of what can be seen of a box's content, also by scrolling; or null. */
  const edgesOf = (element, css) => {
    if (css.overflowY === 'visible') return null;
    const box = element.getBoundingClientRect();
    const top = box.top + element.clientTop;
    const isScroller = ['auto', 'scroll'].includes(css.overflowY);
    if (!isScroller) return [top, top + element.clientHeight];
    return [top - element.scrollTop, top - element.scrollTop + element.scrollHeight];
  };
  const look = (node) => {
    const element = node.parentElement;
    if (element.closest('.hidden, option, textarea, title, script, style, svg') !== null) return;
    const css = getComputedStyle(element);
    if (css.visibility !== 'visible' || !element.checkVisibility()) return;
    const range = document.createRange();
    range.selectNodeContents(node);
    const rects = [...range.getClientRects()].filter(({ width }) => width >= 2);
    if (rects.length === 0) return;
    const ink = inkOf(css, node.data.trim());
    const { fontBoundingBoxAscent: ascent, fontBoundingBoxDescent: descent } = ink;
    const say = (what) => found.add(nameOf(element) + ': ' + what + ' of ' + node.data.trim());
    count += 1;
    const tall = ink.actualBoundingBoxAscent + ink.actualBoundingBoxDescent;
    if (css.lineHeight !== 'normal' && parseFloat(css.lineHeight) + ${TOLERANCE_PX} < tall) {
      say('lines of ' + css.lineHeight + ' hold ' + tall.toFixed(1) + ' px');
    }
    /* Each line may have any of the words, so all lines have the ink of the tallest. */
    const lines = [rects[0], rects[rects.length - 1]];
    for (let one = element; one !== null; one = one.parentElement) {
      const edges = edgesOf(one, getComputedStyle(one));
      if (edges === null) continue;
      for (const rect of lines) {
        /* A line that is not shown at all is folded or scrolled away. */
        if (rect.bottom <= edges[0] + 1 || rect.top >= edges[1] - 1) continue;
        const middle = (rect.top + rect.bottom) / 2;
        const base = middle + (ascent - descent) / 2;
        const above = edges[0] - (base - ink.actualBoundingBoxAscent);
        const below = base + ink.actualBoundingBoxDescent - edges[1];
        if (Math.max(above, below) > ${TOLERANCE_PX}) {
          say(Math.max(above, below).toFixed(1) + ' px cut by ' + nameOf(one));
        }
      }
    }
  };
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
    if (MARKED.test(node.data)) look(node);
  }
  for (const input of document.querySelectorAll('input[placeholder]')) {
    const css = getComputedStyle(input);
    const room = input.clientWidth - parseFloat(css.paddingLeft) - parseFloat(css.paddingRight);
    const { width } = inkOf(css, input.placeholder);
    if (room > 0 && width > room + ${TOLERANCE_PX}) {
      found.add(nameOf(input) + ': the placeholder is cut: ' + input.placeholder);
    }
  }
  return { count, found: [...found] };
})()`;

/** The number of texts with marks that were looked at, and what is cut of them. */
export interface CutText {
  readonly count: number;
  readonly found: readonly string[];
}

/** What boxes of the page cut of Thai text, and placeholders that are wider than their inputs. */
export async function cutByBoxes(page: Page): Promise<CutText> {
  await page.evaluate(FONTS);
  return page.evaluate<CutText>(CUT);
}
