import type { Sheet } from '../place/sheet.ts';
import { FillItem, TextItem } from '../frame.ts';
import type { Alignment } from '../../template/nodes.ts';
import type { Atom } from './atom.ts';
import type { Line } from './line.ts';
import type { LineBox } from './paint.ts';

/**
 * Right-to-left paragraphs: the Unicode bidirectional algorithm (UAX #9) at the grain of words. The
 * shaper sets the letters of a word in their order; here the words of a line get theirs.
 */

const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff]/u;
const STRONG = /[\p{L}\p{Nd}]/u;
const DIGIT = /\p{Nd}/u;

export type Direction = 'ltr' | 'rtl';

/** The paragraph's direction by its first letter (P2, P3), or null: nothing in it runs leftwards. */
export function paragraphDirection(texts: readonly string[]): Direction | null {
  if (!texts.some((text) => RIGHT_TO_LEFT.test(text))) return null;
  for (const text of texts) {
    for (const character of text) {
      if (!STRONG.test(character) || DIGIT.test(character)) continue;
      return RIGHT_TO_LEFT.test(character) ? 'rtl' : 'ltr';
    }
  }
  return 'rtl';
}

type WordClass = 'L' | 'R' | 'EN' | 'N';

function classOf(text: string): WordClass {
  for (const character of text) {
    if (!STRONG.test(character)) continue;
    if (RIGHT_TO_LEFT.test(character)) return 'R';
    return DIGIT.test(character) ? 'EN' : 'L';
  }
  return 'N';
}

/** Embedding levels of a line's words: even ones run rightwards, odd ones leftwards. */
export function levelsOf(texts: readonly string[], base: Direction): number[] {
  const baseLevel = base === 'rtl' ? 1 : 0;
  const classes = texts.map(classOf);
  let strong: WordClass = base === 'rtl' ? 'R' : 'L';
  const levels = classes.map((word) => {
    if (word === 'L' || word === 'R') strong = word;
    if (word === 'R') return 1;
    if (word === 'L') return baseLevel * 2;
    // Numbers keep their own order, inside what they stand in (W7, I1, I2).
    if (word === 'EN') return strong === 'R' ? 2 : baseLevel * 2;
    return -1;
  });
  return levels.map((level, index) => {
    if (level >= 0) return level;
    const before = levels.slice(0, index).findLast((one) => one >= 0) ?? baseLevel;
    const after = levels.slice(index + 1).find((one) => one >= 0) ?? baseLevel;
    return before % 2 === after % 2 ? Math.min(before, after) : baseLevel;
  });
}

/** Indices of the words from left to right (rule L2). */
export function visualOrder(levels: readonly number[]): number[] {
  const order = levels.map((_, index) => index);
  const highest = Math.max(0, ...levels);
  for (let level = highest; level > 0; level--) {
    let from = 0;
    while (from < order.length) {
      if ((levels[order[from] ?? 0] ?? 0) < level) {
        from++;
        continue;
      }
      let to = from;
      while (to < order.length && (levels[order[to] ?? 0] ?? 0) >= level) to++;
      order.splice(from, to - from, ...order.slice(from, to).toReversed());
      from = to;
    }
  }
  return order;
}

/** Paints a line word by word in visual order; spaces at its logical end hang out of the box. */
export function paintBidiLine(
  sheet: Sheet,
  line: Line,
  box: LineBox,
  alignment: Alignment,
  base: Direction,
): void {
  const { atoms } = line;
  const levels = levelsOf(
    atoms.map((atom) => atom.shape.text),
    base,
  );
  const stretches = alignment === 'justify' && !line.isForced && !line.isLast && atoms.length > 1;
  const free = box.widthPt - line.widthPt;
  const gap = stretches ? free / (atoms.length - 1) : 0;
  let x = box.x + freeBefore(alignment, base, stretches ? 0 : free);
  x -= base === 'rtl' ? line.trailingCutPt : line.leadingCutPt;
  for (const index of visualOrder(levels)) {
    const atom = atoms[index];
    if (atom === undefined) continue;
    paintWord(sheet, atom, x, box.y, line, (levels[index] ?? 0) % 2 === 1);
    x += atom.widthPt + gap;
  }
}

/** Room left of the line: a right-to-left paragraph that says nothing stands on the right. */
function freeBefore(alignment: Alignment, base: Direction, free: number): number {
  if (alignment === 'center') return free / 2;
  if (alignment === 'right') return free;
  return alignment === 'justify' && base === 'rtl' ? free : 0;
}

function paintWord(
  sheet: Sheet,
  atom: Atom,
  x: number,
  top: number,
  line: Line,
  isLeftwards: boolean,
): void {
  const { run, shape } = atom;
  if (run.background !== null) {
    sheet.items.push(new FillItem(x, top, atom.widthPt, line.heightPt, run.background, 1));
  }
  const text = shape.text.trimEnd();
  const y = top + line.ascentPt + run.shiftPt;
  // The spaces after a word that runs leftwards stand on its left.
  const left = isLeftwards ? x + atom.widthPt - run.widthOf(text) : x;
  if (text !== '') {
    sheet.items.push(new TextItem(run.style, left, y, [run.style.stack.shape(text)], null));
  }
  if (run.link !== null) {
    const { widthPt } = atom;
    sheet.links.push({ x, y: y - run.ascentPt, widthPt, heightPt: run.heightPt, target: run.link });
  }
  if (run.id !== null) sheet.places.push({ id: run.id, x, y: top });
}
