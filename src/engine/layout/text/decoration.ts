import { entryAt } from '../../../errors.ts';
import type { Decoration } from '../../model/nodes.ts';
import type { PathData } from '../../model/style.ts';
import { LineItem, type Item } from '../../model/frame.ts';
import type { Sheet } from '../place/sheet.ts';
import { type Justification, stretchPt } from './justify.ts';
import type { Line } from './line.ts';
import { CURVE, MOVE } from '../../model/path.ts';

/** Lengths of pdfmake's dashes and waves, in points. */
const DASH_PT = 3.96;
const DASH_GAP_PT = 2.84;
const WAVE_X_PT = 0.7;
const WAVE_Y_PT = 1;

/** Draws the decorations of a line; neighbouring words with the same one share a stroke. */
export function paintDecorations(
  sheet: Sheet,
  line: Line,
  startX: number,
  top: number,
  justified: Justification | null,
): void {
  const { atoms } = line;
  let x = startX;
  let index = 0;
  while (index < atoms.length) {
    const { decoration } = atoms[index]?.run ?? { decoration: null };
    let width = 0;
    let end = index;
    let largest = atoms[index];
    while (end < atoms.length && sameDecoration(atoms[end]?.run.decoration ?? null, decoration)) {
      const atom = atoms[end];
      if (atom === undefined) break;
      width += atom.widthPt + stretchPt(justified, atom);
      if (justified !== null && end > index) width += entryAt(justified.gapsPt, end - 1);
      if (largest === undefined || atom.run.sizePt > largest.run.sizePt) largest = atom;
      end++;
    }
    if (decoration !== null && largest !== undefined) {
      const visible = end === atoms.length ? width - line.trailingCutPt : width;
      const { run } = largest;
      const baseline = top + run.shiftPt + line.ascentPt;
      for (const kind of decoration.lines) {
        const y = baseline + dropOf(kind, run.heightPt, run.ascentPt);
        const stroke = { x, y, widthPt: visible };
        for (const item of strokeItems(decoration, stroke, run.sizePt)) sheet.items.push(item);
      }
    }
    x += width + (justified?.gapsPt[end - 1] ?? 0);
    index = end;
  }
}

function sameDecoration(one: Decoration | null, other: Decoration | null): boolean {
  if (one === null || other === null) return one === other;
  return (
    one === other ||
    (one.style === other.style &&
      one.color === other.color &&
      one.thicknessPt === other.thicknessPt &&
      one.lines.join() === other.lines.join())
  );
}

/** Where a stroke lies: its left end, and its middle from top to bottom. */
interface StrokeBox {
  readonly x: number;
  readonly y: number;
  readonly widthPt: number;
}

/** The items of a stroke beside text of this size. */
function strokeItems(decoration: Decoration, { x, y, widthPt }: StrokeBox, sizePt: number): Item[] {
  const { color } = decoration;
  const thickness = decoration.thicknessPt ?? 0.5 + Math.floor(Math.max(sizePt - 8, 0) / 2) * 0.12;
  const right = x + widthPt;
  switch (decoration.style) {
    case 'solid':
      return [new LineItem(x, y, right, y, thickness, color, null)];
    case 'dashed':
      return [
        new LineItem(x, y, right, y, thickness, color, {
          lengths: [DASH_PT, DASH_GAP_PT],
          phase: 0,
        }),
      ];
    case 'dotted':
      return [
        new LineItem(x, y, right, y, thickness, color, {
          lengths: [thickness, thickness * 2],
          phase: 0,
        }),
      ];
    case 'double': {
      const gap = Math.max(0.5, thickness, sizePt * 0.15);
      const upper = y - thickness / 4;
      return [
        new LineItem(x, upper, right, upper, thickness / 2, color, null),
        new LineItem(x, upper + gap, right, upper + gap, thickness / 2, color, null),
      ];
    }
    case 'wavy':
      return [
        {
          kind: 'path',
          x,
          y,
          path: wave(widthPt),
          fill: null,
          stroke: {
            paint: color,
            widthPt: thickness / 3,
            opacity: 1,
            cap: 0,
            join: 0,
            miterLimit: 10,
            dash: null,
          },
        },
      ];
  }
}

/** Distance below the baseline of the line. */
function dropOf(kind: Decoration['lines'][number], heightPt: number, ascentPt: number): number {
  switch (kind) {
    case 'underline':
      return (heightPt - ascentPt) * 0.45;
    case 'overline':
      return -ascentPt * 0.85;
    case 'lineThrough':
      return -ascentPt * 0.25;
  }
}

function wave(widthPt: number): PathData {
  const path: number[] = [MOVE, 0, 0];
  const period = WAVE_X_PT * 6;
  const count = Math.max(1, Math.floor(widthPt / period));
  // Stretched to the text's width, so that no clip is needed.
  const step = widthPt / count / 6;
  for (let index = 0; index < count; index++) {
    const at = index * step * 6;
    path.push(CURVE, at + step, -WAVE_Y_PT, at + 2 * step, -WAVE_Y_PT, at + 3 * step, 0);
    path.push(CURVE, at + 4 * step, WAVE_Y_PT, at + 5 * step, WAVE_Y_PT, at + 6 * step, 0);
  }
  return path;
}
