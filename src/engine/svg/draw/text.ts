import type { SvgElement } from '../tree.ts';
import type { FontStack } from '../../font/font.ts';
import type { Matrix, Rgb, TextStyle } from '../../model/style.ts';
import { type Item, TextItem } from '../../model/frame.ts';
import type { PaintValue } from './color.ts';
import type { Drawing, Styled } from './drawing.ts';
import { resolveGradient } from './gradient.ts';
import { wrapItems } from './group.ts';
import { compose, IDENTITY, rotation, uniformScale } from './matrix.ts';
import { parseLengths, parseNumbers } from './number.ts';
import type { Style } from './presentation.ts';
import { RECTANGLE } from '../../model/path.ts';

/** Limit of the characters that are drawn for one text element. */
const CHARACTERS_MAX = 100_000;
/** Limit of the text styles that are kept. */
const STYLES_MAX = 1_000;
/** Limit of nested elements; deeper text is left out. */
const DEPTH_MAX = 400;

/** One addressable character (SVG 2 §11.4). */
interface Letter {
  readonly character: string;
  readonly style: Style;
  readonly opacity: number;
  x: number | null;
  y: number | null;
  dx: number;
  dy: number;
  /** Degrees. */
  rotate: number | null;
}

/** A stretch of letters in one style, set in one go. */
interface TextRun {
  readonly text: string;
  readonly style: Style;
  readonly opacity: number;
  readonly stack: FontStack;
  readonly width: number;
  readonly degrees: number;
  x: number;
  readonly y: number;
}

/** A `text` element with its `tspan`s, in the space of `styled.place.matrix`. */
export function textItems(styled: Styled, drawing: Drawing): Item[] {
  const letters: Letter[] = [];
  collect(styled, styled.style.opacity, letters, drawing, { afterSpace: true });
  trimEnd(letters);
  const items: Item[] = [];
  for (const run of setRuns(letters, drawing)) {
    for (const item of runItems(run, styled, drawing)) items.push(item);
  }
  return items;
}

interface Spacing {
  /** True when the last character is a space, or there is none yet: another space collapses. */
  afterSpace: boolean;
}

/** Gathers the letters of an element; its position lists apply to those without a position. */
function collect(
  styled: Styled,
  opacity: number,
  letters: Letter[],
  drawing: Drawing,
  spacing: Spacing,
): void {
  const { element, style } = styled;
  const from = letters.length;
  for (const child of element.children) {
    if (letters.length >= CHARACTERS_MAX) break;
    if (typeof child === 'string') {
      if (!drawing.spend(child.length)) return;
      addText(child, style, opacity, letters, spacing);
    } else if (child.name === 'tspan' || child.name === 'a') {
      const inner = drawing.styled(child, styled.place);
      if (!inner.style.displayed || inner.place.depth > DEPTH_MAX) continue;
      collect(inner, opacity * inner.style.opacity, letters, drawing, spacing);
    }
  }
  applyPositions(styled, letters, from);
}

/** Adds the characters of a text, with spaces collapsed unless the style preserves them. */
function addText(
  text: string,
  style: Style,
  opacity: number,
  letters: Letter[],
  spacing: Spacing,
): void {
  for (const raw of text) {
    if (letters.length >= CHARACTERS_MAX) return;
    const isSpace = raw === ' ' || raw === '\n' || raw === '\t' || raw === '\r';
    if (isSpace && !style.preservesSpace && spacing.afterSpace) continue;
    spacing.afterSpace = isSpace && !style.preservesSpace;
    const character = isSpace ? ' ' : raw;
    letters.push({ character, style, opacity, x: null, y: null, dx: 0, dy: 0, rotate: null });
  }
}

/** Removes the spaces at the end. */
function trimEnd(letters: Letter[]): void {
  for (let last = letters.at(-1); last?.character === ' '; last = letters.at(-1)) {
    if (last.style.preservesSpace) return;
    letters.pop();
  }
}

/** Gives the letters from `from` on the entries of the element's lists of positions and angles. */
function applyPositions({ element, place, style }: Styled, letters: Letter[], from: number): void {
  const list = (name: string, whole: number): number[] =>
    parseLengths(element.attributes.get(name), { whole, fontSize: style.fontSize }) ?? [];
  const { width, height } = place.viewport;
  const [xs, ys] = [list('x', width), list('y', height)];
  const [dxs, dys] = [list('dx', width), list('dy', height)];
  const turns = parseNumbers(element.attributes.get('rotate'));
  const lastTurn = turns.at(-1);
  for (let index = from; index < letters.length; index++) {
    const letter = letters[index];
    const at = index - from;
    if (letter === undefined) continue;
    letter.x ??= xs[at] ?? null;
    letter.y ??= ys[at] ?? null;
    if (letter.dx === 0) letter.dx = dxs[at] ?? 0;
    if (letter.dy === 0) letter.dy = dys[at] ?? 0;
    if (lastTurn !== undefined) letter.rotate ??= turns[at] ?? lastTurn;
    else if (at >= Math.max(xs.length, ys.length, dxs.length, dys.length)) return;
  }
}

/** Marks stay with their base: separate positions would detach them. */
const MARK = /^(?:\p{M}|\u200c|\u200d|\u0e33|\u0eb3)$/u;

/** Places the letters from left to right, chunk by chunk (SVG 2 §11.5). */
function setRuns(letters: readonly Letter[], drawing: Drawing): TextRun[] {
  const runs: TextRun[] = [];
  let chunk: TextRun[] = [];
  let [penX, penY] = [0, 0];
  const endChunk = (): void => {
    const [first] = chunk;
    const share = { start: 0, middle: 0.5, end: 1 }[first?.style.anchor ?? 'start'];
    const shift = first === undefined ? 0 : share * (penX - first.x);
    for (const run of chunk) run.x -= shift;
    chunk = [];
  };
  for (let from = 0; from < letters.length;) {
    const letter = letters[from];
    // A run costs as much as an element: letters placed or turned one by one make many runs.
    if (letter === undefined || !drawing.spend(0)) break;
    let to = from + 1;
    while (to < letters.length && continues(letter, letters[to])) to++;
    if (letter.x !== null || letter.y !== null) endChunk();
    penX = (letter.x ?? penX) + letter.dx;
    penY = (letter.y ?? penY) + letter.dy;
    const text = letters
      .slice(from, to)
      .map(({ character }) => character)
      .join('');
    const run = setRun(text, letter, penX, penY, drawing);
    runs.push(run);
    chunk.push(run);
    penX += run.width;
    from = to;
  }
  endChunk();
  return runs;
}

/** Whether a letter is set in one run with the first one: in its style, without a place of its own. */
function continues(first: Letter, next: Letter | undefined): boolean {
  if (next === undefined || next.style !== first.style) return false;
  if (MARK.test(next.character)) return true;
  const isMoved = next.x !== null || next.y !== null || next.dx !== 0 || next.dy !== 0;
  return !isMoved && (next.rotate ?? 0) === 0 && (first.rotate ?? 0) === 0;
}

function setRun(text: string, letter: Letter, x: number, y: number, drawing: Drawing): TextRun {
  const { style, opacity, rotate } = letter;
  const stack = drawing.stackFor(style, () => pickStack(style, drawing));
  const shape = stack.shape(text);
  const spaces = style.wordSpacing === 0 ? 0 : text.split(' ').length - 1;
  const width =
    shape.widthEm * style.fontSize +
    shape.clusterCount * style.letterSpacing +
    spaces * style.wordSpacing;
  const shifted = y + baselineOffset(style, stack) - style.baselineShift;
  return { text, style, opacity, stack, width, degrees: rotate ?? 0, x, y: shifted };
}

/** Picks a stack that the template declares: by the first family asked for, then weight, then slant. */
function pickStack(style: Style, { stacks, textStyle }: Drawing): FontStack {
  const own = textStyle.stack;
  const names = style.families.map((name) => name.toLowerCase());
  const family =
    names.find((name) => stacks.some((stack) => stack.family.toLowerCase() === name)) ??
    own.family.toLowerCase();
  let best = own;
  let bestScore = -1;
  for (const stack of [own, ...stacks]) {
    const score =
      (stack.family.toLowerCase() === family ? 4 : 0) +
      (stack.bold === (style.bold ?? own.bold) ? 2 : 0) +
      (stack.italics === (style.italics ?? own.italics) ? 1 : 0);
    if (score > bestScore) {
      best = stack;
      bestScore = score;
    }
  }
  return best;
}

/** Distance from the text's origin down to its alphabetic baseline (CSS Inline 3 §5). */
function baselineOffset(
  { alignmentBaseline, dominantBaseline, fontSize }: Style,
  stack: FontStack,
) {
  const { ascentEm, descentEm, xHeightEm } = stack;
  switch (alignmentBaseline ?? dominantBaseline) {
    case 'middle':
      return (xHeightEm / 2) * fontSize;
    case 'central':
      return ((ascentEm + descentEm) / 2) * fontSize;
    case 'hanging':
      return 0.8 * ascentEm * fontSize;
    case 'before-edge':
    case 'text-before-edge':
    case 'text-top':
      return ascentEm * fontSize;
    case 'after-edge':
    case 'text-after-edge':
    case 'text-bottom':
    case 'ideographic':
      return descentEm * fontSize;
    default:
      return 0;
  }
}

function runItems(run: TextRun, styled: Styled, drawing: Drawing): Item[] {
  const { style, degrees } = run;
  const ink = inkOf(style.fill, styled, drawing) ?? inkOf(style.stroke, styled, drawing);
  const isBlank = run.text.trim() === '' && !style.underline && !style.lineThrough;
  if (ink === null || !style.visible || isBlank || run.style.fontSize <= 0) return [];
  const opacity = ink.opacity * run.opacity * style.fillOpacity;
  if (opacity <= 0) return [];
  const painted: Ink = { color: ink.color, opacity };
  let matrix = compose(styled.place.matrix, [1, 0, 0, 1, run.x, run.y]);
  if (degrees !== 0) matrix = compose(matrix, rotation((degrees * Math.PI) / 180));
  const [a, b, c, d, e, f] = matrix;
  const scale = uniformScale(matrix);
  const isUpright = a > 0 && d > 0 && Math.abs(b) < 1e-6 * a && Math.abs(c) < 1e-6 * a;
  if (scale !== null && isUpright) {
    return setText(run, { x: e, y: f, scale }, painted, drawing);
  }
  // Turned or slanted text is in a separate group, at a size that keeps its precision.
  const size = Math.sqrt(Math.abs(a * d - b * c)) || 1;
  const turned: Matrix = [a / size, b / size, c / size, d / size, e, f];
  const items = setText(run, { x: 0, y: 0, scale: size }, painted, drawing);
  return wrapItems(items, { matrix: turned });
}

/** Where a run is set, and by how much its lengths are scaled. */
interface Placement {
  readonly x: number;
  readonly y: number;
  readonly scale: number;
}

/** The items of a run: its text and the lines that decorate it. */
function setText(
  run: TextRun,
  { x, y, scale }: Placement,
  { color, opacity }: Ink,
  drawing: Drawing,
): Item[] {
  const { style, stack } = run;
  const sizePt = style.fontSize * scale;
  const words = style.wordSpacing === 0 ? [run.text] : run.text.split(/(?<= )/);
  const gaps =
    style.wordSpacing === 0
      ? null
      : words.map((word) => (word.endsWith(' ') ? style.wordSpacing * scale : 0));
  const shapes = words.map((word) => stack.shape(word));
  const textStyle = styleFor(
    { stack, sizePt, color, opacity, characterSpacingPt: style.letterSpacing * scale },
    drawing,
  );
  const items: Item[] = [new TextItem(textStyle, x, y, shapes, gaps)];
  const thickness = stack.underlineThicknessEm * sizePt;
  const line = (middle: number): void => {
    const path = [RECTANGLE, x, y - middle - thickness / 2, run.width * scale, thickness];
    const fill = { paint: color, opacity, rule: 'nonzero' } as const;
    items.push({ kind: 'path', x: 0, y: 0, path, fill, stroke: null });
  };
  if (style.underline) line(stack.underlinePositionEm * sizePt);
  if (style.overline) line(stack.ascentEm * sizePt);
  if (style.lineThrough) line((stack.xHeightEm / 2) * sizePt);
  return items;
}

/** One object per style: the painter and the fragment caches compare by identity. */
function styleFor(style: TextStyle, { textStyles }: Drawing): TextStyle {
  const { stack, sizePt, color, opacity, characterSpacingPt } = style;
  const key = `${stack.key} ${sizePt} ${color} ${opacity} ${characterSpacingPt}`;
  const known = textStyles.get(key);
  if (known !== undefined) return known;
  if (textStyles.size < STYLES_MAX) textStyles.set(key, style);
  return style;
}

/** The plain colour that a text is painted with. */
interface Ink {
  readonly color: Rgb;
  readonly opacity: number;
}

/** The colour of a paint; for a gradient, that of its first stop; null where nothing is painted. */
function inkOf(value: PaintValue, styled: Styled, drawing: Drawing): Ink | null {
  switch (value.kind) {
    case 'none':
      return null;
    case 'color':
      return { color: value.color.rgb, opacity: value.color.alpha };
    case 'current':
      return { color: styled.style.color.rgb, opacity: styled.style.color.alpha };
    case 'server':
      return (
        serverInk(drawing.ids.get(value.id), styled, drawing) ??
        (value.fallback === null ? null : inkOf(value.fallback, styled, drawing))
      );
  }
}

function serverInk(element: SvgElement | undefined, styled: Styled, drawing: Drawing): Ink | null {
  if (element?.name !== 'linearGradient' && element?.name !== 'radialGradient') return null;
  const gradient = resolveGradient(element, {
    drawing,
    viewport: styled.place.viewport,
    bounds: { x: 0, y: 0, width: 1, height: 1 },
    matrix: IDENTITY,
  });
  if (gradient === null) return null;
  const stop = gradient.kind === 'stop' ? gradient.stop : gradient.gradient.stops[0];
  return stop === undefined ? null : { color: stop.color, opacity: stop.opacity };
}
