import type { Renderer } from './renderer.ts';
import type { Task } from './task.ts';

/**
 * Chooses a renderer for the job; null: none can take it now. A preview goes to a renderer that has
 * compiled its draft, if that is idle or can prefetch it: compiling takes longer than waiting for
 * the jobs there. Any other job goes to an idle renderer or, if `threads` of them are busy, to the
 * one that can prefetch it and holds least.
 */
export function chooseRenderer(
  task: Task,
  renderers: readonly Renderer[],
  threads: number,
): Renderer | null {
  const isPreview = task.kind === 'preview';
  const isShort = isPreview || task.kind === 'usual';
  const mayPrefetch = isShort && task.canBeReclaimed;
  let busy = 0;
  for (const { isIdle } of renderers) if (!isIdle) busy += 1;
  const mayStart = busy < threads;
  let idle: Renderer | null = null;
  let roomy: Renderer | null = null;
  for (const renderer of renderers) {
    const { isIdle } = renderer;
    if (isIdle ? !mayStart : !mayPrefetch || !renderer.hasRoom) continue;
    if (isPreview && renderer.hasCompiled(task)) return renderer;
    if (!isIdle) {
      if (roomy === null || renderer.held < roomy.held) roomy = renderer;
    } else if (idle === null || task.kind === 'suspect') {
      // A suspect gets the youngest, whose loss costs least.
      idle = renderer;
    }
  }
  return idle ?? roomy;
}

/**
 * A renderer that may take a job that another one has prefetched; null: there is none, or no job.
 * Called twice for each document, so it makes no lists.
 */
export function idleBesideBusy(renderers: readonly Renderer[], threads: number): Renderer | null {
  let idle: Renderer | null = null;
  let busy = 0;
  let held = 0;
  for (const renderer of renderers) {
    held += renderer.held;
    if (!renderer.isIdle) busy += 1;
    else idle ??= renderer;
  }
  return held > busy && busy < threads ? idle : null;
}

/** Whether a request is prefetched while another renderer has rows of a run, which should leave it. */
export function hasPrefetchedBesideRows(renderers: readonly Renderer[]): boolean {
  let hasRows = false;
  let hasPrefetched = false;
  for (const { first, held } of renderers) {
    if (first?.kind === 'run') hasRows = true;
    else if (held > 1) hasPrefetched = true;
  }
  return hasRows && hasPrefetched;
}
