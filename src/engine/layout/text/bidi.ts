import bidiModule from 'bidi-js';
import type { Amount } from '../amounts/amounts.ts';
import type { FontStack, Shape } from '../../font/font.ts';
import type { Sheet } from '../place/sheet.ts';
import { Atom } from './atom.ts';
import type { Justification } from './justify.ts';
import { Line, type LineStart } from './line.ts';
import { type LineBox, type LineTags, paintJustified } from './paint.ts';
import type { RunStyle } from './run-style.ts';

/**
 * Paragraphs with right-to-left text (UAX #9). Levels are computed once per paragraph. A line is
 * cut into pieces of one level, which are painted in visual order like the words of a line. The
 * shaper orders the letters inside a right-to-left word; punctuation beside it forms separate
 * pieces.
 */

// The types declare a module with a default export, but Node imports the function itself.
const bidi = (bidiModule as unknown as typeof bidiModule.default)();

const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff]/u;
const LETTER = /\p{L}/u;

export type Direction = 'ltr' | 'rtl';

/** The direction of a paragraph, by its first letter (P2, P3); null without right-to-left text. */
export function paragraphDirection(texts: readonly string[]): Direction | null {
  if (!texts.some((text) => RIGHT_TO_LEFT.test(text))) return null;
  for (const text of texts) {
    for (const character of text) {
      if (LETTER.test(character)) return RIGHT_TO_LEFT.test(character) ? 'rtl' : 'ltr';
    }
  }
  return 'rtl';
}

/** Limit of one call of the library, which searches the whole text back from each number. */
const CHUNK_LENGTH_MAX = 1_024;

/**
 * The level of each UTF-16 unit. A longer text is processed in chunks, so that the time is linear.
 * A chunk ends between two letters, because only the rules for explicit formatting and paired
 * brackets look past a letter; these two are applied within each chunk.
 */
export function embeddingLevels(text: string, direction: Direction): Uint8Array {
  if (text.length <= CHUNK_LENGTH_MAX) return bidi.getEmbeddingLevels(text, direction).levels;
  const levels = new Uint8Array(text.length);
  for (let from = 0; from < text.length;) {
    const end = chunkEnd(text, from);
    levels.set(bidi.getEmbeddingLevels(text.slice(from, end), direction).levels, from);
    from = end;
  }
  return levels;
}

function chunkEnd(text: string, from: number): number {
  const farthest = from + CHUNK_LENGTH_MAX;
  if (farthest >= text.length) return text.length;
  for (let end = farthest; end > from + CHUNK_LENGTH_MAX / 2; end--) {
    if (LETTER.test(text.charAt(end)) && LETTER.test(text.charAt(end - 1))) return end;
  }
  const isInPair = (text.charCodeAt(farthest) & 0xfc00) === 0xdc00;
  return isInPair ? farthest - 1 : farthest;
}

/** The embedding levels of a paragraph, and where each of its atoms begins in them. */
export class BidiParagraph {
  readonly direction: Direction;
  readonly levels: Uint8Array;
  readonly #atoms: readonly Atom[];
  /** Where each atom begins in `levels`, and the end of the last. */
  readonly #offsets: readonly number[];

  constructor(atoms: readonly Atom[], direction: Direction) {
    let text = '';
    const offsets = [0];
    for (const { amounts, endsLine, shape } of atoms) {
      const own = amounts === null ? shape.text : withIsolates(shape.text, amounts);
      // A line separator for the newline: it ends a line but not the bidi paragraph.
      text += endsLine ? `${own}\u2028` : own;
      offsets.push(text.length);
    }
    this.direction = direction;
    this.levels = embeddingLevels(text, direction);
    setLeftToRight(this.levels, atoms, offsets);
    this.#atoms = atoms;
    this.#offsets = offsets;
  }

  /** Index in `levels` at which a line begins. */
  offsetOf({ index, rest }: Readonly<LineStart>): number {
    const whole = this.#atoms[index]?.shape.text.length ?? 0;
    return (this.#offsets[index] ?? 0) + (rest === null ? 0 : whole - rest.shape.text.length);
  }
}

/** Object replacement character, which is neutral: text treats an isolate around it so (N1, N2). */
const NEUTRAL = '\ufffc';

/**
 * The text with its amounts replaced by neutral characters. An amount runs from left to right
 * whatever stands around it, and nothing around it knows what is inside: it is an isolate (BD 8).
 */
function withIsolates(text: string, amounts: readonly Amount[]): string {
  let found = '';
  let from = 0;
  for (const amount of amounts) {
    found += text.slice(from, amount.from) + NEUTRAL.repeat(amount.to - amount.from);
    from = amount.to;
  }
  return found + text.slice(from);
}

/** Gives the amounts the least even level that is not below that of their place (X5b). */
function setLeftToRight(
  levels: Uint8Array,
  atoms: readonly Atom[],
  offsets: readonly number[],
): void {
  for (let index = 0; index < atoms.length; index++) {
    for (const { from, to } of atoms[index]?.amounts ?? []) {
      const start = (offsets[index] ?? 0) + from;
      const level = levels[start] ?? 0;
      levels.fill(level + (level % 2), start, start + to - from);
    }
  }
}

/** A part of one atom that is painted as a unit. */
interface Piece {
  readonly atom: Atom;
  readonly level: number;
}

/** Right-to-left letters with their marks and joiners, or any other character by itself. */
const RIGHT_TO_LEFT_UNITS = /(?:[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]|\u200c|\u200d)+|[^]/gu;

/** The pieces of a line in logical order, without the spaces at its end. */
function piecesOf(line: Line, levels: Uint8Array, start: number): Piece[] {
  const pieces: Piece[] = [];
  let offset = start;
  let end = line.atoms.length;
  while (end > 0 && (line.atoms[end - 1]?.shape.text ?? '').trim() === '') end--;
  for (let index = 0; index < end; index++) {
    const atom = line.atoms[index];
    if (atom === undefined) break;
    const text = index + 1 < end ? atom.shape.text : atom.shape.text.trimEnd();
    for (let from = 0; from < text.length;) {
      const level = levels[offset + from] ?? 0;
      let to = from + 1;
      while (to < text.length && levels[offset + to] === level) to++;
      appendPieces(pieces, atom.run, text.slice(from, to), level);
      from = to;
    }
    if (text === '') pieces.push({ atom, level: levels[offset] ?? 0 });
    offset += atom.shape.text.length;
  }
  return pieces;
}

function appendPieces(pieces: Piece[], run: RunStyle, text: string, level: number): void {
  const isRightToLeft = level % 2 === 1;
  if (!isRightToLeft) {
    pieces.push({ atom: pieceOf(run, text), level });
    return;
  }
  for (const [unit] of text.matchAll(RIGHT_TO_LEFT_UNITS)) {
    pieces.push({ atom: mirroredPiece(run, unit) ?? pieceOf(run, unit), level });
  }
}

/** Cached shapes of mirrored characters for each stack, a few hundred at most. */
const mirroredShapes = new WeakMap<FontStack, Map<string, Shape>>();

/**
 * A piece that shows the mirrored glyph but is extracted as the original character; null for a text
 * that has no mirrored character.
 */
function mirroredPiece(run: RunStyle, text: string): Atom | null {
  const { stack } = run.style;
  let shapes = mirroredShapes.get(stack);
  if (shapes === undefined) {
    shapes = new Map();
    mirroredShapes.set(stack, shapes);
  }
  let shape = shapes.get(text);
  if (shape === undefined) {
    const mirrored = bidi.getMirroredCharacter(text);
    if (mirrored === null) return null;
    const clusters = stack.clusters(mirrored).map((cluster) => ({ ...cluster, text }));
    shape = { id: 0, text, widthEm: stack.shape(mirrored).widthEm, clusterCount: 1, clusters };
    shapes.set(text, shape);
  }
  return new Atom(shape, run, run.widthOfShape(shape));
}

function pieceOf(run: RunStyle, text: string): Atom {
  return new Atom(run.style.stack.shape(text), run, run.widthOf(text));
}

/** Indices of the pieces from left to right (rule L2). */
export function visualOrder(levels: readonly number[]): number[] {
  const order = levels.map((_, index) => index);
  let highest = 0;
  for (const level of levels) highest = Math.max(highest, level);
  for (let level = highest; level > 0; level--) {
    for (let from = 0; from < order.length;) {
      if ((levels[order[from] ?? 0] ?? 0) < level) {
        from++;
        continue;
      }
      let to = from;
      while (to < order.length && (levels[order[to] ?? 0] ?? 0) >= level) to++;
      reverse(order, from, to);
      from = to;
    }
  }
  return order;
}

function reverse(list: number[], from: number, to: number): void {
  for (let low = from, high = to - 1; low < high; low++, high--) {
    [list[low], list[high]] = [list[high] ?? 0, list[low] ?? 0];
  }
}

/** Paints a line in visual order; `start` is where it begins in the paragraph. */
export function paintBidiLine(
  sheet: Sheet,
  line: Line,
  box: LineBox,
  paragraph: BidiParagraph,
  start: Readonly<LineStart>,
  tags: LineTags | null,
): void {
  const pieces = piecesOf(line, paragraph.levels, paragraph.offsetOf(start));
  const order = visualOrder(pieces.map((piece) => piece.level));
  const atoms = order.flatMap((index) => pieces[index]?.atom ?? []);
  const isRtl = paragraph.direction === 'rtl';
  const indent = Math.max(0, -line.leadingCutPt);
  const visual = new Line(indented(atoms, indent, isRtl), line.isLast, line);
  const { alignment } = box;
  const justified = alignment === 'justify' ? justifyPieces(visual, line, box.widthPt) : null;
  const isAtStart = alignment === 'start' || alignment === 'justify';
  // A justified line fills its box; the others begin at its right edge in a right-to-left text.
  const side = justified === null && isRtl && isAtStart ? 'right' : alignment;
  paintJustified(sheet, visual, { ...box, alignment: side }, justified, tags);
}

/** Adds the indent of a first line on the side where the line begins. */
function indented(atoms: readonly Atom[], indentPt: number, isRtl: boolean): readonly Atom[] {
  const at = isRtl ? atoms.length - 1 : 0;
  const first = atoms[at];
  if (first === undefined || indentPt === 0) return atoms;
  const { shape, run, widthPt } = first;
  const [leading, trailing] = isRtl ? [0, -indentPt] : [-indentPt, 0];
  return atoms.with(at, new Atom(shape, run, widthPt, leading, trailing));
}

/** Distributes the free room over the spaces; null when the line stays ragged. */
function justifyPieces(visual: Line, line: Line, roomPt: number): Justification | null {
  if (line.isForced || line.isLast) return null;
  const { atoms } = visual;
  const grows = atoms.map(
    ({ shape }, index) => index + 1 < atoms.length && shape.text.endsWith(' '),
  );
  const spaces = grows.filter(Boolean).length;
  if (spaces === 0) return null;
  const gap = (roomPt - visual.widthPt) / spaces;
  return {
    gapsPt: grows.map((does) => (does ? gap : 0)),
    spacePt: 0,
    spacingPt: 0,
    style: (run) => run.style,
  };
}
