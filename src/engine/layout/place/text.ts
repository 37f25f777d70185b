import type { Phrase } from '../box/phrase.ts';
import type { TextBox } from '../box/text-box.ts';
import { shrinkToFit } from '../box/shrink.ts';
import { demandNoValue, demandNoValues } from '../amounts/lost.ts';
import { watchLine, watchPhrase, watchWholeLine } from '../amounts/paper.ts';
import { LayoutFault } from '../layout-fault.ts';
import { type Item, TextItem } from '../../model/frame.ts';
import type { Line, LineStart } from '../text/line.ts';
import { paintBidiLine } from '../text/bidi.ts';
import { alignOffset, type LineTags, paintLine } from '../text/paint.ts';
import { type Tagger, textType } from './tagger.ts';
import { type Flow, SLACK_PT } from './flow.ts';

/** Places a paragraph line by line, over as many pages as it needs. */
export function placeText(flow: Flow, box: TextBox): void {
  const { tagger } = flow;
  if (tagger === null || tagger.direct === box) {
    placeLines(flow, box);
    return;
  }
  const { open: outer, direct } = tagger;
  tagger.enter(tagger.make(textType(box.node), outer, box.node), box);
  placeLines(flow, box);
  tagger.enter(outer, direct);
}

function placeLines(flow: Flow, given: TextBox): void {
  const { shrinkPt } = given.node;
  const box = shrinkPt === null ? given : shrinkToFit(given, shrinkPt, flow.region.width);
  const { phrase } = box;
  if (phrase !== null && phrase.widthPt <= flow.region.width + SLACK_PT) {
    placePhrase(flow, box, phrase);
    return;
  }
  const { maxHeightPt } = box.node;
  let rest = box.lines(flow.region.width);
  let index = 0;
  let height = 0;
  let linesLeft = linesBeforeBreak(flow, box, rest.lines, 0);
  while (index < rest.lines.length) {
    const line = rest.lines[index];
    if (line === undefined) break;
    height += line.heightPt;
    if (maxHeightPt !== null && height >= maxHeightPt) {
      demandNoValues(box, rest.lines, index);
      return;
    }
    const mustBreak = linesLeft === 0;
    if (mustBreak || line.heightPt > flow.region.room + SLACK_PT) {
      makeRoom(flow, line.heightPt, mustBreak);
      const start = rest.starts[index];
      if (flow.region.width !== rest.widthPt && start !== undefined) {
        // The new column or page has another width: the rest is broken into lines again.
        rest = box.linesFrom(start, flow.region.width);
        index = 0;
        height -= line.heightPt;
        linesLeft = Number.POSITIVE_INFINITY;
        continue;
      }
      // If an empty page is too small for orphans and widows, ignore them: this would never end.
      linesLeft = linesBeforeBreak(flow, box, rest.lines, index) || Number.POSITIVE_INFINITY;
    }
    placeLine(flow, line, box, rest.starts[index]);
    linesLeft--;
    index++;
  }
}

function placePhrase(flow: Flow, box: TextBox, phrase: Phrase): void {
  const { run } = phrase;
  const { maxHeightPt, alignment } = box.node;
  if (maxHeightPt !== null && run.heightPt >= maxHeightPt) {
    demandNoValue(box);
    return;
  }
  if (run.heightPt > flow.region.room + SLACK_PT) makeRoom(flow, run.heightPt, false);
  const { region } = flow;
  flow.beginLeaf();
  if (phrase.shapes[0]?.text !== '') {
    const x = region.x + alignOffset(alignment, region.width, phrase.widthPt);
    const y = region.y + run.ascentPt + run.shiftPt;
    const { tagger } = flow;
    const { items } = region.sheet;
    if (tagger !== null) tagger.mark(items, tagger.elementOf(tagger.open, run));
    const from = items.length;
    items.push(new TextItem(run.style, x, y, phrase.shapes, null));
    if (box.hasValues || flow.limit !== null) watchPhrase(flow, box, x, from);
  }
  if (flow.markers.length > 0) flow.drawMarkers(run.ascentPt);
  if (flow.detachedDepth === 1) flow.endText(region.y + run.ascentPt);
  region.moveDown(run.heightPt);
}

function placeLine(
  flow: Flow,
  line: Line,
  box: TextBox,
  start: Readonly<LineStart> | undefined,
): void {
  const { region } = flow;
  flow.beginLeaf();
  const { alignment } = box.node;
  const lineBox = { x: region.x, y: region.y, widthPt: region.width, alignment };
  const { bidi } = box;
  const tags = flow.tagger === null ? null : lineTags(flow.tagger, region.sheet.items);
  const from = region.sheet.items.length;
  if (bidi === null || start === undefined) paintLine(region.sheet, line, lineBox, tags);
  else paintBidiLine(region.sheet, line, lineBox, bidi, start, tags);
  if (box.hasAmounts) watchLine(flow, box, line);
  watchWholeLine(flow, box, line, from);
  if (flow.markers.length > 0) flow.drawMarkers(line.ascentPt);
  if (flow.detachedDepth === 1) flow.endText(region.y + line.ascentPt);
  region.moveDown(line.heightPt);
}

function lineTags(tagger: Tagger, items: Item[]): LineTags {
  return {
    begin: (run) => {
      const element = tagger.elementOf(tagger.open, run);
      tagger.mark(items, element);
      return run.link === null || tagger.isHidden ? null : element;
    },
  };
}

/**
 * Breaks the page. The line must fit then, unless only `isForOrphans`, the rule for orphans and
 * widows, demanded the break.
 */
function makeRoom(flow: Flow, heightPt: number, isForOrphans: boolean): void {
  flow.breakPage();
  if (heightPt <= flow.region.room + SLACK_PT || isForOrphans) return;
  throw new LayoutFault(
    flow.path,
    'a line of text is taller than the room on an empty page; use a smaller fontSize or ' +
      'lineHeight, or larger pages',
  );
}

/**
 * How many lines the paragraph's orphans and widows allow on this page: infinitely many when they
 * do not matter here, 0 when the paragraph should start on the next page.
 */
function linesBeforeBreak(flow: Flow, box: TextBox, lines: readonly Line[], from: number): number {
  const orphans = box.node.orphans ?? 1;
  const widows = box.node.widows ?? 1;
  if ((orphans <= 1 && widows <= 1) || flow.region.isBlock) return Number.POSITIVE_INFINITY;
  let { room } = flow.region;
  let fitting = 0;
  while (from + fitting < lines.length) {
    room -= lines[from + fitting]?.heightPt ?? 0;
    if (room < -SLACK_PT) break;
    fitting++;
  }
  const left = lines.length - from - fitting;
  if (left === 0) return Number.POSITIVE_INFINITY;
  const least = from === 0 ? Math.min(orphans, lines.length) : 1;
  const kept = left < widows ? fitting - (widows - left) : fitting;
  if (kept >= least) return kept;
  // At the top of a page, or after a break, another break would gain nothing.
  const isAtTop = flow.region.y <= flow.region.margins[1];
  return isAtTop || from > 0 ? Number.POSITIVE_INFINITY : 0;
}
