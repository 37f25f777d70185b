import type { Box, StackBox } from '../box/blocks.ts';
import { Checkpoint } from './checkpoint.ts';
import type { Flow } from './flow.ts';
import { placeBox } from './node.ts';

/** Trials inside trials: each may place its boxes twice. */
const TRIAL_DEPTH_MAX = 3;

/** A headline that waits for enough to follow it on its page. */
interface OpenHeadline {
  readonly index: number;
  readonly checkpoint: Checkpoint;
  readonly page: number;
  /** Leaves placed when the headline was done. */
  readonly leafCount: number;
}

/** Places boxes one below the other; some of them only together with what follows. */
export function placeStack(flow: Flow, box: StackBox): void {
  const { children } = box;
  if (!mayTry(flow)) {
    for (const child of children) placeBox(flow, child);
    return;
  }
  let headline: OpenHeadline | null = null;
  /** The headline that was moved to a new page: it is not moved again. */
  let moved = -1;
  let index = 0;
  while (index < children.length) {
    const child = children[index];
    if (child === undefined) break;
    const page = flow.region.page;
    if (isHeadline(flow, child) && index !== moved && !isAtTop(flow)) {
      headline = openHeadline(flow, child, index);
      index++;
    } else {
      index = placeChain(flow, children, index);
    }
    if (headline === null || index === headline.index + 1) continue;
    if (flow.region.page === headline.page) {
      if (flow.leafCount - headline.leafCount >= (flow.breakBefore?.minFollowing ?? 0)) {
        headline = null;
      }
    } else if (countOn(flow, headline, page) >= (flow.breakBefore?.minFollowing ?? 0)) {
      headline = null;
    } else {
      headline.checkpoint.restore(flow);
      flow.turnPage();
      ({ index } = headline);
      moved = index;
      headline = null;
    }
  }
}

/** Going back is possible on the document's pages only, outside columns and cells. */
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

function openHeadline(flow: Flow, child: Box, index: number): OpenHeadline {
  const checkpoint = new Checkpoint(flow);
  flow.leafPage = -1;
  placeBox(flow, child);
  return { index, checkpoint, page: flow.leafPage, leafCount: flow.leafCount };
}

/** Leaves after the headline on its page, when the content has gone on to another one. */
function countOn(flow: Flow, headline: OpenHeadline, page: number): number {
  const sheet = flow.region.sheets[headline.page];
  if (sheet === undefined || page !== headline.page) return flow.leafCount - headline.leafCount;
  return sheet.leafCount - headline.checkpoint.leavesOn(headline.page) - 1;
}

/**
 * Places the box at `index`, and with it those it must stay with: where the first line after a
 * `keepWithNext` box would begin another page, all of them begin it. Gives the next index.
 */
function placeChain(flow: Flow, children: readonly Box[], index: number): number {
  let last = index;
  while (last + 1 < children.length && children[last]?.node.keepWithNext === true) last++;
  const first = children[index];
  if (first === undefined) return index + 1;
  if (last === index || isAtTop(flow)) {
    placeBox(flow, first);
    return index + 1;
  }
  const checkpoint = new Checkpoint(flow);
  flow.trialDepth++;
  const start = placeTracked(flow, first);
  let end = start;
  for (let at = index + 1; at <= last; at++) {
    const child = children[at];
    if (child !== undefined) end = placeTracked(flow, child);
  }
  flow.trialDepth--;
  if (start !== end) {
    checkpoint.restore(flow);
    flow.turnPage();
    for (let at = index; at <= last; at++) {
      const child = children[at];
      if (child !== undefined) placeBox(flow, child);
    }
  }
  return last + 1;
}

/** Places a box; gives the page of its first line or picture. */
function placeTracked(flow: Flow, box: Box): number {
  flow.leafPage = -1;
  placeBox(flow, box);
  return flow.leafPage < 0 ? flow.region.page : flow.leafPage;
}
