import type { Box, StackBox } from '../box/blocks.ts';
import { Checkpoint } from './checkpoint.ts';
import type { Flow, PlaceBox } from './flow.ts';

/** Limit of nested trials, each of which may place its boxes twice. */
const TRIAL_DEPTH_MAX = 3;

/** A headline until enough content follows it on its page. */
interface OpenHeadline {
  readonly index: number;
  readonly checkpoint: Checkpoint;
  readonly page: number;
  /** The flow's leaf count after the headline. */
  readonly leafCount: number;
}

/** Places boxes one below the other, headlines and `keepWithNext` boxes with what follows them. */
export function placeStack(flow: Flow, box: StackBox, placeBox: PlaceBox): void {
  const { children } = box;
  if (!mayTry(flow)) {
    for (const child of children) placeBox(flow, child);
    return;
  }
  let headline: OpenHeadline | null = null;
  /** Index of the headline that was moved to a new page: it is not moved again. */
  let moved = -1;
  let index = 0;
  while (index < children.length) {
    const child = children[index];
    if (child === undefined) break;
    const { page } = flow.region;
    if (isHeadline(flow, child) && index !== moved && !isAtTop(flow)) {
      headline = openHeadline(flow, child, index, placeBox);
      index++;
      continue;
    }
    index = placeChain(flow, children, index, placeBox);
    if (headline === null) continue;
    const state = stateOf(flow, headline, page);
    if (state === 'stranded') {
      headline.checkpoint.restore(flow);
      flow.turnPage();
      ({ index } = headline);
      moved = index;
    }
    if (state !== 'undecided') headline = null;
  }
}

/** Placements can be undone only on pages, outside blocks, columns and cells. */
function mayTry(flow: Flow): boolean {
  const { region } = flow;
  return !region.isBlock && region.depth === 0 && flow.trialDepth < TRIAL_DEPTH_MAX;
}

function isAtTop(flow: Flow): boolean {
  return flow.region.y <= flow.region.margins[1];
}

function isHeadline(flow: Flow, { node }: Box): boolean {
  if (flow.breakBefore === null || node.pageBreak?.startsWith('before') === true) return false;
  return node.headlineLevel === flow.breakBefore.headlineLevel;
}

function openHeadline(flow: Flow, child: Box, index: number, placeBox: PlaceBox): OpenHeadline {
  const checkpoint = new Checkpoint(flow);
  flow.leafPage = -1;
  placeBox(flow, child);
  return { index, checkpoint, page: flow.leafPage, leafCount: flow.leafCount };
}

/**
 * Whether enough content follows a headline on its page; undecided while that page goes on. `page`:
 * where the last box began.
 */
function stateOf(
  flow: Flow,
  headline: OpenHeadline,
  page: number,
): 'undecided' | 'followed' | 'stranded' {
  const isOnItsPage = flow.region.page === headline.page;
  const count = isOnItsPage
    ? flow.leafCount - headline.leafCount
    : leavesOnItsPage(flow, headline, page);
  if (count >= (flow.breakBefore?.minFollowing ?? 0)) return 'followed';
  return isOnItsPage ? 'undecided' : 'stranded';
}

/** Number of leaves after the headline on its page, when the content continues on another. */
function leavesOnItsPage(flow: Flow, headline: OpenHeadline, page: number): number {
  const sheet = flow.region.sheets[headline.page];
  if (sheet === undefined || page !== headline.page) return flow.leafCount - headline.leafCount;
  return sheet.leafCount - headline.checkpoint.leavesOn(headline.page) - 1;
}

/**
 * Places the box at `index` with those it must stay with. If the first line after the
 * `keepWithNext` boxes falls on another page, all of them start on the next page. Returns the next
 * index.
 */
function placeChain(
  flow: Flow,
  children: readonly Box[],
  index: number,
  placeBox: PlaceBox,
): number {
  let last = index;
  while (last + 1 < children.length && children[last]?.node.keepWithNext === true) last++;
  const first = children[index];
  if (first === undefined) return index + 1;
  if (last === index || isAtTop(flow)) {
    placeBox(flow, first);
    return index + 1;
  }
  const chain = children.slice(index, last + 1);
  const checkpoint = new Checkpoint(flow);
  flow.trialDepth++;
  const pages = chain.map((child) => placeTracked(flow, child, placeBox));
  flow.trialDepth--;
  if (pages[0] !== pages.at(-1)) {
    checkpoint.restore(flow);
    flow.turnPage();
    for (const child of chain) placeBox(flow, child);
  }
  return last + 1;
}

/** Places a box; returns the page of its first line or picture. */
function placeTracked(flow: Flow, box: Box, placeBox: PlaceBox): number {
  flow.leafPage = -1;
  placeBox(flow, box);
  return flow.leafPage < 0 ? flow.region.page : flow.leafPage;
}
