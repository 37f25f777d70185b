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

/** Where a line is painted: the box it is aligned in, in points. */
export interface LineBox {
  readonly x: number;
  readonly y: number;
  readonly widthPt: number;
}

/** Tags the runs of a line. */
export interface LineTags {
  /** Assigns the next painted items to the run; returns the element of its link. */
  begin(run: RunStyle): StructElement | null;
}

/** Left edge of the line's first atom; its leading spaces may lie outside the box. */
export function lineStartX(line: Line, box: LineBox, alignment: TextAlignment): number {
  return box.x + alignOffset(alignment, box.widthPt, line.widthPt) - line.leadingCutPt;
}

/** How far an element of `widthPt` is moved to the right inside its box. */
export function alignOffset(alignment: TextAlignment, roomPt: number, widthPt: number): number {
  if (alignment === 'right') return roomPt - widthPt;
  return alignment === 'center' ? (roomPt - widthPt) / 2 : 0;
}

/** Appends the items of one line to the sheet; `justified`: how it is stretched. */
export function paintLine(
  sheet: Sheet,
  line: Line,
  box: LineBox,
  alignment: TextAlignment,
  justified = alignment === 'justify' ? justifyLine(line, box.widthPt) : null,
  tags: LineTags | null = null,
): void {
  const { atoms } = line;
  let x = lineStartX(line, box, alignment);
  const startX = x;
  let index = 0;
  let hasDecoration = false;
  while (index < atoms.length) {
    const first = atoms[index];
    if (first === undefined) break;
    const { run } = first;
    const end = runEnd(atoms, index);
    const width = widthBetween(atoms, index, end, justified);
    if (run.background !== null) {
      const height = line.heightPt;
      sheet.items.push(new FillItem(x, box.y, width, height, run.background, 1));
    }
    const element = tags === null ? null : tags.begin(run);
    paintRun(sheet, line, index, end, x, box.y, alignment, justified);
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

function paintRun(
  sheet: Sheet,
  line: Line,
  start: number,
  end: number,
  x: number,
  top: number,
  alignment: TextAlignment,
  justified: Justification | null,
): void {
  const run = line.atoms[start]?.run;
  if (run === undefined) return;
  const y = top + line.ascentPt + run.shiftPt;
  if (run.reference?.kind === 'page') {
    const shapes: Shape[] = [];
    const item = new TextItem(run.style, x, y, shapes, null);
    sheet.items.push(item);
    sheet.references.push({
      id: run.reference.id,
      item,
      shapes,
      widthPt: line.atoms[start]?.widthPt ?? 0,
      alignment: alignment === 'justify' || alignment === 'start' ? 'left' : alignment,
    });
    return;
  }
  const shapes: Shape[] = [];
  const gaps: number[] | null = justified === null && run.spacingPt === 0 ? null : [];
  for (let index = start; index < end; index++) {
    const shape = line.atoms[index]?.shape;
    if (shape === undefined || shape.text.length === 0) continue;
    const words = justified === null || justified.spacePt === 0 ? null : wordsOf(shape.text);
    if (words !== null) {
      for (const word of words) {
        shapes.push(run.style.stack.shape(word));
        gaps?.push(justified?.spacePt ?? 0);
      }
      gaps?.pop();
    } else {
      shapes.push(shape);
    }
    // The writer adds spacing after every cluster; as in pdfmake, a word has none after its last.
    gaps?.push((justified?.gapsPt[index] ?? 0) - run.spacingPt);
  }
  if (shapes.length === 0) return;
  const between = shapes.length === 1 ? null : gaps;
  sheet.items.push(new TextItem(justified?.style(run) ?? run.style, x, y, shapes, between));
}
