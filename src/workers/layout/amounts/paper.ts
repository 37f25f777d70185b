import type { TextBox } from '../box/text-box.ts';
import type { Flow } from '../place/flow.ts';
import type { Sheet } from '../place/sheet.ts';
import type { Line } from '../text/line.ts';
import { alignOffset } from '../text/paint.ts';
import type { RunStyle } from '../text/run-style.ts';
import { LINE_SLACK_PT } from '../text/slack.ts';
import type { Amount } from './amounts.ts';
import type { LooseAmount } from './loose.ts';
import { AmountFault } from './fit.ts';

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

/** Records the amounts of a line that is painted next if they must be judged later. */
export function watchLine(flow: Flow, box: TextBox, line: Line): void {
  const { region } = flow;
  const { bidi, node } = box;
  const isRightToLeft = bidi?.direction === 'rtl';
  const { alignment } = node;
  const isAtStart = alignment === 'start' || alignment === 'justify';
  const side = isRightToLeft && isAtStart ? 'right' : alignment;
  const left = region.x + alignOffset(side, region.width, line.widthPt);
  // A negative indent begins the line outside its box, as do its leading spaces.
  const outsidePt = Math.max(0, line.leadingCutPt);
  const paintedPt = line.widthPt + outsidePt;
  if (!mustRecord(flow, left - outsidePt, paintedPt, line.heightPt)) return;
  const isSpread = alignment === 'justify' && !line.isLast;
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

/** The same for a text of one line, which begins at `x`. */
export function watchPhrase(flow: Flow, box: TextBox, x: number): void {
  const { phrase, runs, node } = box;
  const [only] = runs;
  if (phrase === null || only === undefined) return;
  const { run } = phrase;
  if (!mustRecord(flow, x, phrase.widthPt, run.heightPt)) return;
  for (const amount of only.amounts ?? []) {
    record(flow, partOf(amount, only.text, run, x), run.ascentPt, run, node.path, amount);
  }
}

function mustRecord(flow: Flow, x: number, widthPt: number, heightPt: number): boolean {
  const { y, sheet, isBlock } = flow.region;
  if (flow.columnWatches > 0 || y < 0 || !flow.staysOnPaper(x, widthPt)) return true;
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
  region.sheet.looseAmounts.push({ x, y, widthPt, heightPt, path, source });
}

/** Throws `AmountFault` for the first amount that is not inside a page of this size. */
export function demandOnPaper(
  amounts: readonly LooseAmount[],
  widthPt: number,
  heightPt: number,
): void {
  const right = widthPt + LINE_SLACK_PT;
  const bottom = heightPt + LINE_SLACK_PT;
  for (const { x, y, widthPt: ownPt, heightPt: linePt, path, source } of amounts) {
    const isInside =
      x >= -LINE_SLACK_PT && y >= -LINE_SLACK_PT && x + ownPt <= right && y + linePt <= bottom;
    if (!isInside) throw new AmountFault(path, source, 'cut');
  }
}

/** Throws `AmountFault` if an amount of a page's content is not inside the page. */
export function demandSheetOnPaper(sheet: Sheet, heightPt: number): void {
  if (sheet.looseAmounts.length > 0) demandOnPaper(sheet.looseAmounts, sheet.widthPt, heightPt);
}
