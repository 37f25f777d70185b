import type { Shape } from '../../font/font.ts';
import type { TextAlignment } from '../../model/nodes.ts';
import { FillItem, TextItem } from '../../model/frame.ts';
import type { StructElement } from '../../model/structure.ts';
import type { RunStyle } from './run-style.ts';
import type { Sheet } from '../place/sheet.ts';
import type { Atom } from './atom.ts';
import { paintDecorations } from './decoration.ts';
import { type Justification, justifyLine, stretchPt, wordsOf } from './justify.ts';
import type { Line } from './line.ts';

/** The box that a line is painted and aligned in, in points. */
export interface LineBox {
  readonly x: number;
  readonly y: number;
  readonly widthPt: number;
  readonly alignment: TextAlignment;
}

/** Tags the runs of a line. */
export interface LineTags {
  /** Assigns the next painted items to the run; returns the element of its link. */
  begin(run: RunStyle): StructElement | null;
}

/** How far an element of `widthPt` is moved to the right inside its box. */
export function alignOffset(alignment: TextAlignment, roomPt: number, widthPt: number): number {
  if (alignment === 'right') return roomPt - widthPt;
  return alignment === 'center' ? (roomPt - widthPt) / 2 : 0;
}

/** Appends the items of one line to the sheet, justified if its box asks for it. */
export function paintLine(sheet: Sheet, line: Line, box: LineBox, tags: LineTags | null): void {
  const justified = box.alignment === 'justify' ? justifyLine(line, box.widthPt) : null;
  paintJustified(sheet, line, box, justified, tags);
}

/** Appends the items of one line to the sheet; `justified` null leaves it ragged. */
export function paintJustified(
  sheet: Sheet,
  line: Line,
  box: LineBox,
  justified: Justification | null,
  tags: LineTags | null,
): void {
  const { atoms } = line;
  const startX = lineStartX(line, box);
  let x = startX;
  let hasDecoration = false;
  let index = 0;
  while (index < atoms.length) {
    const first = atoms[index];
    if (first === undefined) break;
    const { run } = first;
    const end = runEnd(atoms, index);
    const width = widthBetween(atoms, index, end, justified);
    if (run.background !== null) {
      sheet.items.push(new FillItem(x, box.y, width, line.heightPt, run.background, 1));
    }
    const element = tags === null ? null : tags.begin(run);
    const baseline = box.y + line.ascentPt + run.shiftPt;
    if (run.reference?.kind === 'page') {
      paintPageNumber(sheet, first, run.reference.id, x, baseline, box.alignment);
    } else {
      const item = textOf(atoms, index, end, x, baseline, justified);
      if (item !== null) sheet.items.push(item);
    }
    if (run.decoration !== null) hasDecoration = true;
    if (run.link !== null) {
      const y = box.y + line.ascentPt - run.ascentPt + run.shiftPt;
      const area = { x, y, widthPt: width, heightPt: run.heightPt, target: run.link };
      sheet.links.push(element === null ? area : { ...area, element });
    }
    if (run.id !== null) sheet.places.push({ id: run.id, x, y: box.y });
    x += width + (end < atoms.length ? (justified?.gapsPt[end - 1] ?? 0) : 0);
    index = end;
  }
  if (hasDecoration) paintDecorations(sheet, line, startX, box.y, justified);
}

/** Left edge of the line's first atom; its leading spaces may lie outside the box. */
function lineStartX(line: Line, box: LineBox): number {
  return box.x + alignOffset(box.alignment, box.widthPt, line.widthPt) - line.leadingCutPt;
}

/** Index after the last atom from `start` on that belongs to the same run. */
function runEnd(atoms: readonly Atom[], start: number): number {
  const run = atoms[start]?.run;
  let end = start + 1;
  while (end < atoms.length && atoms[end]?.run === run) end++;
  return end;
}

/** Width of the atoms from `start` to `end`, with justification inside and between them. */
function widthBetween(
  atoms: readonly Atom[],
  start: number,
  end: number,
  justified: Justification | null,
): number {
  let width = 0;
  for (let index = start; index < end; index++) {
    const atom = atoms[index];
    if (atom !== undefined) width += atom.widthPt + stretchPt(justified, atom);
    if (justified !== null && index + 1 < end) width += justified.gapsPt[index] ?? 0;
  }
  return width;
}

/** Adds the item of a page reference without its number, which is known only after layout. */
function paintPageNumber(
  sheet: Sheet,
  { run, widthPt }: Atom,
  id: string,
  x: number,
  baseline: number,
  alignment: TextAlignment,
): void {
  const shapes: Shape[] = [];
  const item = new TextItem(run.style, x, baseline, shapes, null);
  sheet.items.push(item);
  const side = alignment === 'justify' || alignment === 'start' ? 'left' : alignment;
  sheet.references.push({ id, item, shapes, widthPt, alignment: side });
}

/** The item of the atoms from `start` to `end`, which belong to one run; null without any text. */
function textOf(
  atoms: readonly Atom[],
  start: number,
  end: number,
  x: number,
  baseline: number,
  justified: Justification | null,
): TextItem | null {
  const run = atoms[start]?.run;
  if (run === undefined) return null;
  const shapes: Shape[] = [];
  const gaps: number[] | null = justified === null && run.spacingPt === 0 ? null : [];
  for (let index = start; index < end; index++) {
    const shape = atoms[index]?.shape;
    if (shape === undefined || shape.text.length === 0) continue;
    const words = justified === null || justified.spacePt === 0 ? null : wordsOf(shape.text);
    if (words !== null) {
      for (const word of words) {
        shapes.push(run.style.stack.shape(word));
        gaps?.push(justified?.spacePt ?? 0);
      }
      // The gap after the last word is the one after the atom, which follows.
      gaps?.pop();
    } else {
      shapes.push(shape);
    }
    // The writer adds spacing after every cluster; as in pdfmake, a word has none after its last.
    gaps?.push((justified?.gapsPt[index] ?? 0) - run.spacingPt);
  }
  if (shapes.length === 0) return null;
  const between = shapes.length === 1 ? null : gaps;
  return new TextItem(justified?.style(run) ?? run.style, x, baseline, shapes, between);
}
