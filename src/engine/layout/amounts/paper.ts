import { entryAt } from '../../../errors.ts';
import type { Item } from '../../model/frame.ts';
import type { TextBox } from '../box/text-box.ts';
import type { Flow } from '../place/flow.ts';
import type { Sheet } from '../place/sheet.ts';
import type { Line } from '../text/line.ts';
import { alignOffset } from '../text/paint.ts';
import type { RunStyle } from '../text/run-style.ts';
import { LINE_SLACK_PT } from '../text/slack.ts';
import type { Amount, AmountPolicy } from './amounts.ts';
import { demandReadable, noteBeyond } from './beyond.ts';
import { lostCode } from './codes.ts';
import type { FilledText, LooseText } from './loose.ts';
import { AmountFault } from './fit.ts';
import { lostText } from './lost.ts';

/**
 * Amounts are not cut by the edges of the paper. Lines inside the margins cannot leave it, so only
 * others are watched: those wider than the paper, those moved by a position, a negative margin or
 * an indent, and those of headers and footers. A sheet keeps their amounts until its own place on a
 * page is known.
 */

/** The part of a line that an amount takes. */
interface Part {
  readonly x: number;
  readonly widthPt: number;
}

/** How far an amount reaches above and below its baseline, in shares of its size. */
const DIGIT_RISE = 0.75;
const COMMA_DROP = 0.15;
const NO_ITEMS: readonly Item[] = [];

/** Records the amounts of a painted line if they must be judged later. */
export function watchLine(flow: Flow, box: TextBox, line: Line): void {
  const { region } = flow;
  const { bidi, node } = box;
  const left = leftOf(flow, box, line);
  // A negative indent begins the line outside its box, as do its leading spaces.
  const outsidePt = Math.max(0, line.leadingCutPt);
  const paintedPt = line.widthPt + outsidePt;
  if (!mustRecord(flow, left - outsidePt, paintedPt, line.heightPt)) return;
  const isSpread = node.alignment === 'justify' && !line.isLast;
  const whole = isSpread
    ? { x: region.x, widthPt: region.width }
    : { x: left - outsidePt, widthPt: paintedPt };
  let x = left - line.leadingCutPt;
  for (const { amounts, run, shape, widthPt } of line.atoms) {
    for (const amount of amounts ?? []) {
      // Where the words of a line lie apart or in another order, all of the line must be there.
      const isInOrder = bidi === null && !isSpread;
      const part = isInOrder ? partOf(amount, shape.text, run, x) : whole;
      record(flow, part, line.ascentPt, run, node.path, amount);
    }
    x += widthPt;
  }
}

function leftOf({ region }: Flow, { bidi, node }: TextBox, line: Line): number {
  const isRightToLeft = bidi?.direction === 'rtl';
  const { alignment } = node;
  const isAtStart = alignment === 'start' || alignment === 'justify';
  const side = isRightToLeft && isAtStart ? 'right' : alignment;
  return region.x + alignOffset(side, region.width, line.widthPt);
}

/**
 * Records a painted line as a whole if it reaches beyond its place, or if it shows a value and the
 * paper may not hold it. `from`: index of its first item.
 */
export function watchWholeLine(flow: Flow, box: TextBox, line: Line, from: number): void {
  const { region } = flow;
  const isTooWide = line.widthPt > region.width + LINE_SLACK_PT;
  if (!isTooWide && flow.limit === null && !box.hasValues) return;
  const left = leftOf(flow, box, line);
  if (!isTooWide && flow.limit === null) {
    if (!mayLeavePaper(flow, left, line.widthPt, line.heightPt)) return;
  }
  const run = line.atoms[0]?.run;
  if (run === undefined || line.widthPt <= 0) return;
  const isValue = showsValue(box, line);
  recordWhole(flow, box, { x: left, widthPt: line.widthPt }, line.ascentPt, run, isValue, from);
}

/**
 * The same for a text of one line, which begins at `x` and is painted by the item with index `from`;
 * its amounts are recorded, too.
 */
export function watchPhrase(flow: Flow, box: TextBox, x: number, from: number): void {
  const { phrase, hasAmounts, node } = box;
  if (phrase === null) return;
  const { run, widthPt } = phrase;
  const mayLeave = mayLeavePaper(flow, x, widthPt, run.heightPt);
  if (hasAmounts && (mayLeave || flow.columnWatches > 0)) {
    const { amounts, text } = entryAt(box.runs, 0);
    for (const amount of amounts ?? []) {
      record(flow, partOf(amount, text, run, x), run.ascentPt, run, node.path, amount);
    }
  }
  if (!mayLeave && flow.limit === null) return;
  recordWhole(flow, box, { x, widthPt }, run.ascentPt, run, box.hasValues, from);
}

function recordWhole(
  { region, limit, blockX, isRotated }: Flow,
  box: TextBox,
  { x, widthPt }: Part,
  ascentPt: number,
  { sizePt, shiftPt }: RunStyle,
  isValue: boolean,
  from: number,
): void {
  const { sheet } = region;
  let left = region.x;
  let right = region.x + region.width;
  if (limit !== null) {
    left = Math.max(left, limit.left - blockX);
    right = Math.min(right, limit.right - blockX);
  }
  // The place of turned content has no left and right on the page.
  const beforePt = isRotated ? 0 : Math.min(widthPt, Math.max(0, left - x));
  const afterPt = isRotated ? 0 : Math.min(widthPt, Math.max(0, x + widthPt - right));
  const items = beforePt + afterPt > 0 ? sheet.items.slice(from) : NO_ITEMS;
  const line = { of: box, isValue, beforePt, afterPt, items };
  const y = region.y + ascentPt + shiftPt - sizePt * DIGIT_RISE;
  const heightPt = sizePt * DIGIT_RISE;
  sheet.looseTexts.push({
    x,
    y,
    widthPt,
    heightPt,
    path: box.node.path,
    source: null,
    line,
    code: null,
  });
}

function showsValue({ runs }: TextBox, { atoms }: Line): boolean {
  const bound = new Set<RunStyle>();
  for (const { run, kept } of runs) if (kept === null) bound.add(run);
  return atoms.some(
    ({ amounts, run, shape }) => amounts !== null || (bound.has(run) && shape.text.trim() !== ''),
  );
}

function mustRecord(flow: Flow, x: number, widthPt: number, heightPt: number): boolean {
  return flow.columnWatches > 0 || mayLeavePaper(flow, x, widthPt, heightPt);
}

function mayLeavePaper(flow: Flow, x: number, widthPt: number, heightPt: number): boolean {
  const { y, sheet, isBlock } = flow.region;
  if (y < 0 || !flow.staysOnPaper(x, widthPt)) return true;
  if (flow.detachedDepth === 0) return false;
  const isKnown = !isBlock && !flow.isRotated && Number.isFinite(sheet.heightPt);
  return !isKnown || y + heightPt > sheet.heightPt + LINE_SLACK_PT;
}

function partOf({ from, to }: Amount, text: string, run: RunStyle, x: number): Part {
  const beforePt = from === 0 ? 0 : run.widthOf(text.slice(0, from));
  return { x: x + beforePt, widthPt: run.widthOf(text.slice(0, to)) - beforePt };
}

function record(
  { region }: Flow,
  { x, widthPt }: Part,
  ascentPt: number,
  { sizePt, shiftPt }: RunStyle,
  path: string,
  { source }: Amount,
): void {
  const baseline = region.y + ascentPt + shiftPt;
  const y = baseline - sizePt * DIGIT_RISE;
  const heightPt = sizePt * (DIGIT_RISE + COMMA_DROP);
  region.sheet.looseTexts.push({
    x,
    y,
    widthPt,
    heightPt,
    path,
    source,
    line: null,
    code: null,
  });
}

/** Whether the only values of a text are amounts, each of which is recorded by itself. */
function hasOnlyAmounts({ node, runs }: FilledText): boolean {
  const policy = runs[0]?.amounts?.[0]?.source.policy;
  return policy !== undefined && node.runs.every((run) => policy.printsOnlyFigures(run.text));
}

/** Throws a fault for the first amount, value or code that is not inside a page of this size. */
export function demandOnPaper(
  texts: readonly LooseText[],
  widthPt: number,
  heightPt: number,
): void {
  const right = widthPt + LINE_SLACK_PT;
  const bottom = heightPt + LINE_SLACK_PT;
  for (const { x, y, widthPt: ownPt, heightPt: linePt, path, source, line, code } of texts) {
    const isInside =
      x >= -LINE_SLACK_PT && y >= -LINE_SLACK_PT && x + ownPt <= right && y + linePt <= bottom;
    if (isInside) continue;
    if (source !== null) throw new AmountFault(path, source, 'cut');
    if (code !== null) throw lostCode(code.of);
    if (line?.isValue === true && !hasOnlyAmounts(line.of)) throw lostText(line.of);
  }
}

/** Throws a fault if an amount, value or code of a page's content is cut or printed over a text. */
export function demandSheetOnPaper(sheet: Sheet, heightPt: number, policy: AmountPolicy): void {
  const { looseTexts, items, widthPt } = sheet;
  if (looseTexts.length === 0) return;
  noteBeyond(looseTexts, policy);
  demandOnPaper(looseTexts, widthPt, heightPt);
  demandReadable(looseTexts, items);
}
