import { entryAt } from '../../../errors.ts';
import { ColumnWatch } from '../amounts/apart.ts';
import { scaleAcross, scaleOfCode, watchCode } from '../amounts/codes.ts';
import type { Box, ColumnsBox, GraphicBox, TocBox } from '../box/blocks.ts';
import type { ListBox, ListEntry } from '../box/list-box.ts';
import { alignOffset } from '../text/paint.ts';
import { Extent } from './extent.ts';
import { type Flow, SLACK_PT } from './flow.ts';
import { placeStack } from './stack.ts';
import { placeTable } from './table.ts';
import type { Item, TagArea } from '../../model/frame.ts';
import type { StructElement } from '../../model/structure.ts';
import type { Tagger } from './tagger.ts';
import { placeText } from './text.ts';
import { turnedWidth } from './turned.ts';

/** Places a box: page breaks, margins, position, content. */
export function placeBox(flow: Flow, box: Box): void {
  const { node } = box;
  const outerPath = flow.path;
  flow.path = node.path;
  if (node.pageBreak !== null) breakBefore(flow, box);
  const isDetached = node.absolutePosition !== null || node.relativePosition !== null;
  const { margin } = node;
  if (!isDetached) {
    moveDown(flow, margin[1]);
    flow.region.indent(margin[0], margin[2]);
  }
  if (node.id !== null || box.outlineTitle !== null || flow.anchorIds.has(box)) {
    flow.anchors.push(box);
  }
  placePositioned(flow, box);
  if (!isDetached) {
    moveDown(flow, margin[3]);
    flow.region.indent(-margin[0], -margin[2]);
  }
  if (node.pageBreak !== null) breakAfter(flow, box);
  flow.path = outerPath;
}

/** Moves down by a margin; one that does not fit breaks the page and is dropped. */
function moveDown(flow: Flow, distance: number): void {
  if (distance === 0) return;
  if (flow.region.room - distance < 0) {
    flow.region.moveDown(flow.region.room);
    flow.breakPage();
  } else {
    flow.region.moveDown(distance);
  }
}

function breakBefore(flow: Flow, { node }: Box): void {
  const { pageBreak } = node;
  if (pageBreak === null || pageBreak.startsWith('after')) return;
  flow.turnPage();
  turnTo(flow, pageBreak);
}

function breakAfter(flow: Flow, { node }: Box): void {
  const { pageBreak } = node;
  if (pageBreak === null || pageBreak.startsWith('before')) return;
  flow.turnPage();
  turnTo(flow, pageBreak);
}

/** As in pdfmake, `…Odd` breaks again when the new page is odd, `…Even` when it is even. */
function turnTo(flow: Flow, pageBreak: string): void {
  const isOdd = (flow.region.page + 1) % 2 === 1;
  if ((pageBreak.endsWith('Odd') && isOdd) || (pageBreak.endsWith('Even') && !isOdd)) {
    flow.turnPage();
  }
}

/** Places the content where the flow is, or where the template positions it. */
function placePositioned(flow: Flow, box: Box): void {
  const { unbreakable, absolutePosition, relativePosition } = box.node;
  if (unbreakable) flow.beginBlock();
  const { region } = flow;
  if (absolutePosition !== null) {
    region.beginDetached();
    region.x = absolutePosition.x;
    region.y = absolutePosition.y;
    region.width = region.sheet.widthPt - region.x - region.margins[2];
    region.room = region.sheet.heightPt - region.y - region.margins[3];
    if (absolutePosition.rotate !== 0) {
      region.width = turnedWidth(region, absolutePosition);
      region.room = Number.POSITIVE_INFINITY;
    }
  }
  const rotated =
    absolutePosition !== null && absolutePosition.rotate !== 0 ? new Extent(region) : null;
  const wasRotated = flow.isRotated;
  const outerLimit = flow.limit;
  if (absolutePosition !== null || relativePosition !== null) flow.limit = null;
  if (rotated !== null) flow.isRotated = true;
  if (absolutePosition !== null) flow.detachedDepth++;
  if (relativePosition !== null) beginRelative(flow, relativePosition);
  if (flow.tagger !== null && box.node.role === 'artifact') {
    flow.tagger.hidden(() => placeContent(flow, box));
  } else {
    placeContent(flow, box);
  }
  if (absolutePosition !== null && rotated !== null) {
    rotated.end(region);
    rotated.rotate(absolutePosition);
  }
  flow.isRotated = wasRotated;
  flow.limit = outerLimit;
  if (relativePosition !== null) endDetached(flow);
  if (absolutePosition !== null) endDetached(flow);
  if (unbreakable) flow.endBlock(box.node.path);
}

/**
 * Moves the content. Where its box would reach beyond the paper, it ends at the right margin, as
 * that of an absolute position.
 */
function beginRelative(flow: Flow, { x, y }: { readonly x: number; readonly y: number }): void {
  const { region } = flow;
  region.beginDetached();
  flow.detachedDepth++;
  region.x += x;
  region.y += y;
  const overhangPt = flow.overhangPt(region.x, region.width);
  if (overhangPt > 0) region.width -= overhangPt + region.margins[2];
}

function endDetached(flow: Flow): void {
  flow.region.endDetached();
  flow.detachedDepth--;
}

function placeContent(flow: Flow, box: Box): void {
  switch (box.kind) {
    case 'text':
      placeText(flow, box);
      return;
    case 'stack':
      placeStack(flow, box, placeBox);
      return;
    case 'columns':
      placeColumns(flow, box);
      return;
    case 'table':
      placeTable(flow, box, placeBox);
      return;
    case 'list':
      placeList(flow, box);
      return;
    case 'graphic':
      placeGraphic(flow, box);
      return;
    case 'toc':
      placeToc(flow, box);
      return;
  }
}

function placeColumns(flow: Flow, box: ColumnsBox): void {
  if (box.node.snaking) {
    placeSnake(flow, box);
    return;
  }
  const { columns, node } = box;
  const { region } = flow;
  const widths = box.columnWidths(region.width, flow);
  const extents: (Extent | null)[] = [];
  const outerLimit = flow.limit;
  if (isBeyond(widths, node.gapPt, region.width)) flow.limitToPlace();
  flow.around.push(box);
  region.beginColumns();
  const watch = ColumnWatch.begin(flow, columns.length, node.gapPt);
  for (const [index, column] of columns.entries()) {
    region.beginColumn(entryAt(widths, index), index === 0 ? 0 : node.gapPt);
    const extent = column.verticalAlignment === 'top' ? null : new Extent(region);
    placeBox(flow, column.box);
    extent?.end(region);
    extents.push(extent);
    watch?.endColumn();
  }
  flow.around.pop();
  flow.limit = outerLimit;
  region.endColumns();
  for (const [index, extent] of extents.entries()) {
    const alignment = columns[index]?.verticalAlignment ?? 'top';
    if (alignment !== 'top') extent?.align(alignment, region.rowHeight);
  }
  watch?.end();
}

/** Whether columns reach beyond a place that is `roomPt` wide. */
function isBeyond(widths: readonly number[], gapPt: number, roomPt: number): boolean {
  let total = gapPt * (widths.length - 1);
  for (const width of widths) total += width;
  return total > roomPt + SLACK_PT;
}

/** Lets the content of the first column flow through all columns and over the pages. */
function placeSnake(flow: Flow, box: ColumnsBox): void {
  const { columns, node } = box;
  const first = columns[0];
  if (first === undefined) return;
  const { region } = flow;
  const { width } = region;
  const widths = box.columnWidths(width, flow);
  region.beginColumns();
  region.beginColumn(entryAt(widths, 0), 0);
  const { x, y, depth } = region;
  flow.snakes.push({
    region,
    depth,
    widths,
    gapPt: node.gapPt,
    repeatablesAround: flow.repeatables.length,
    x,
    page: region.page,
    y,
    room: region.room,
    column: 0,
  });
  const outerLimit = flow.limit;
  if (isBeyond(widths, node.gapPt, width)) flow.limitToPlace();
  flow.around.push(box);
  placeBox(flow, first.box);
  flow.around.pop();
  flow.limit = outerLimit;
  flow.snakes.pop();
  region.endShift();
  region.endColumns();
}

function placeList(flow: Flow, box: ListBox): void {
  const { tagger } = flow;
  flow.region.indent(box.indentPt, 0);
  const level = flow.markers.length;
  flow.markers.push(null);
  const list = tagger?.make('L', tagger.open, box.node) ?? null;
  for (const entry of box.entries) {
    flow.markers[level] = entry.marker;
    if (tagger === null || list === null) placeBox(flow, entry.box);
    else placeTaggedEntry(flow, entry, level, tagger, list);
  }
  flow.markers.pop();
  flow.region.indent(-box.indentPt, 0);
}

/** Tags and places an entry. A nested list becomes a child of the list; a bullet has no label. */
function placeTaggedEntry(
  flow: Flow,
  { box, marker }: ListEntry,
  level: number,
  tagger: Tagger,
  list: StructElement,
): void {
  if (box.kind === 'list') {
    tagger.within(list, null, () => placeBox(flow, box));
    return;
  }
  const item = tagger.make('LI', list);
  flow.labels[level] = marker?.isText === true ? tagger.make('Lbl', item) : null;
  tagger.within(tagger.make('LBody', item, box.node), box, () => placeBox(flow, box));
  flow.labels[level] = null;
}

function placeGraphic(flow: Flow, box: GraphicBox): void {
  const { alignment, link, node } = box;
  const fits = box.heightPt * scaleAcross(flow, box) <= flow.region.room + SLACK_PT;
  // On an empty page a break would gain no room.
  if (!fits && node.absolutePosition === null && !flow.region.sheet.isEmpty) flow.breakPage();
  const { region } = flow;
  flow.beginLeaf();
  const scale = scaleOfCode(flow, box);
  const widthPt = box.widthPt * scale;
  const heightPt = box.heightPt * scale;
  const x = region.x + alignOffset(alignment, region.width, alignedWidth(box, scale, region.width));
  const { sheet, y } = region;
  const element = tagGraphic(flow, box, { x, y, widthPt, heightPt });
  if (scale === 1) for (const item of box.paint(x, y)) sheet.items.push(item);
  else sheet.items.push(paintScaled(box, x, y, scale));
  watchCode(flow, box, x, scale);
  // Its background would hide what it is painted over.
  if (box.code !== null && flow.detachedDepth === 1) flow.endText(y + heightPt, box);
  if (link !== null) {
    const area = { x, y, widthPt, heightPt, target: link };
    sheet.links.push(element === null ? area : { ...area, element });
  }
  for (const area of box.areas) sheet.links.push({ ...area, x: x + area.x, y: y + area.y });
  region.moveDown(heightPt);
}

/**
 * As in pdfmake, the width that is aligned includes the margins once more. A code keeps to its place all
 * the same.
 */
function alignedWidth({ code, widthPt, minPt }: GraphicBox, scale: number, roomPt: number): number {
  if (scale !== 1) return widthPt * scale;
  return code === null ? minPt : Math.max(widthPt, Math.min(minPt, roomPt));
}

function paintScaled(box: GraphicBox, x: number, y: number, scale: number): Item {
  const matrix = [scale, 0, 0, scale, 0, 0] as const;
  return { kind: 'group', x, y, matrix, clip: null, opacity: 1, items: box.paint(0, 0) };
}

/** Tags a graphic as a figure, or without `alt` as an artifact; returns the element of its link. */
function tagGraphic(flow: Flow, box: GraphicBox, area: TagArea): StructElement | null {
  const { tagger } = flow;
  if (tagger === null) return null;
  const { sheet } = flow.region;
  const link = box.link === null ? null : tagger.make('Link', tagger.open, box.node);
  const { alt } = box;
  const figure = alt === '' ? null : tagger.figure(alt, box.node, link ?? tagger.open);
  tagger.mark(sheet.items, figure, figure === null ? null : area);
  return tagger.isHidden ? null : link;
}

function placeToc(flow: Flow, box: TocBox): void {
  if (box.entries === null && box.node.hideEmpty) return;
  if (box.title !== null) placeBox(flow, box.title);
  if (box.entries !== null) placeBox(flow, box.entries);
}
