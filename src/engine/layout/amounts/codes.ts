import { type Reason, REASONS } from '../../contract/reasons.ts';
import type { GraphicBox } from '../box/blocks.ts';
import { LEAST_MODULE_PT, leastScaleOf, type PrintedCode } from '../box/printed-code.ts';
import type { Flow } from '../place/flow.ts';
import { LostTextFault } from './lost.ts';

/**
 * QR codes and barcodes are printed whole, because a reader cannot read a part of one. A code that is
 * larger than its place is made smaller as long as its modules can be told apart. A code that still
 * does not fit is refused as a value that has no room, and so is one that the paper would cut.
 */

/** Tolerance for rounding errors, as for lines. */
const SLACK_PT = 0.01;
const SCALE_SLACK = 1e-6;

/** The share of its width that a code has room for where the flow is; 1: it fits. */
export function scaleAcross(flow: Flow, { widthPt, code }: GraphicBox): number {
  if (code === null) return 1;
  const { region } = flow;
  // Content at a position may reach into the margin. As a moved text does, it ends at the margin if
  // it would reach beyond the paper.
  const isInMargin = region.isDetached && flow.overhangPt(region.x, widthPt) <= SLACK_PT;
  if (isInMargin || flow.isRotated) return 1;
  return shareOf(widthPt, region.width);
}

/**
 * The share of its size that a code is printed in: it has room for that in both directions. Throws
 * `LostTextFault` if its modules would be too narrow then.
 */
export function scaleOfCode(flow: Flow, box: GraphicBox): number {
  const { code, widthPt, heightPt } = box;
  if (code === null) return 1;
  const across = scaleAcross(flow, box);
  const down = shareOf(heightPt, roomBelow(flow));
  const scale = Math.min(across, down);
  if (scale === 1) return 1;
  const leastScale = leastScaleOf(code);
  const isPrinted = scale >= leastScale - SCALE_SLACK;
  const neededPt = across <= down ? widthPt : heightPt;
  noteNarrowed(code, neededPt, neededPt * scale, isPrinted);
  if (!isPrinted) throw lostCode(code);
  return scale;
}

/**
 * Records where a code was just painted, so that it is refused if the paper cuts it or if it shares its
 * place with a text or another code, and whether the size that the template gives it makes its modules
 * narrow.
 */
export function watchCode(flow: Flow, box: GraphicBox, x: number, scale: number): void {
  const { code, widthPt, heightPt, node } = box;
  const item = flow.region.sheet.items.at(-1);
  if (code === null || item === undefined) return;
  const { sheet, y } = flow.region;
  const { blankXPt, blankYPt, modulePt, policy } = code;
  const narrowestPt = policy.smallModules.get(node.path) ?? LEAST_MODULE_PT - SCALE_SLACK;
  if (modulePt * scale < narrowestPt) policy.smallModules.set(node.path, modulePt * scale);
  const aroundXPt = blankXPt * scale;
  const aroundYPt = blankYPt * scale;
  sheet.looseTexts.push({
    x: x + aroundXPt,
    y: y + aroundYPt,
    widthPt: widthPt * scale - 2 * aroundXPt,
    heightPt: heightPt * scale - 2 * aroundYPt,
    path: node.path,
    source: null,
    line: null,
    code: { of: code, item, aroundXPt, aroundYPt, isTurned: flow.isRotated },
  });
}

/** The fault of a code that has no room. */
export function lostCode(
  { node, text }: PrintedCode,
  reason: Reason = REASONS.codeLarge,
): LostTextFault {
  return new LostTextFault(node, text, reason);
}

/** The height that a code has from where the flow is to the end of the page. */
function roomBelow({ region, isRotated }: Flow): number {
  // Content at a position never begins a new page; `demandOnPaper` refuses it if the paper cuts it.
  return isRotated || region.isDetached ? Number.POSITIVE_INFINITY : region.room;
}

function shareOf(sizePt: number, roomPt: number): number {
  return sizePt <= roomPt + SLACK_PT ? 1 : Math.max(0, roomPt) / sizePt;
}

function noteNarrowed(
  { node: { path }, policy, modulePt }: PrintedCode,
  neededPt: number,
  roomPt: number,
  isPrinted: boolean,
): void {
  const known = policy.narrowed.get(path);
  if (known !== undefined && neededPt / roomPt <= known.neededPt / known.roomPt) return;
  policy.narrowed.set(path, { neededPt, roomPt, isPrinted, modulePt });
}
