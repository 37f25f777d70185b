import type { Renderer } from './renderer.ts';
import type { Task } from './task.ts';

/**
 * Chooses an idle renderer or, if `threads` of them are busy, one that can prefetch the job; null:
 * none. Where there is a choice, a preview goes to a renderer that has compiled its draft, because
 * compiling takes longer than rendering the page.
 */
export function chooseRenderer(
  task: Task,
  renderers: readonly Renderer[],
  threads: number,
): Renderer | null {
  const isPreview = task.kind === 'preview';
  let busy = 0;
  let idle: Renderer | null = null;
  let roomy: Renderer | null = null;
  let least = Number.POSITIVE_INFINITY;
  for (const renderer of renderers) {
    const isReady = isPreview && renderer.hasCompiled(task);
    if (renderer.isIdle) {
      // A suspect gets the youngest, whose loss costs least.
      if (idle === null || isReady || task.kind === 'suspect') idle = renderer;
      continue;
    }
    busy += 1;
    const held = isReady ? 0 : renderer.held;
    if (!renderer.hasRoom || held >= least) continue;
    roomy = renderer;
    least = held;
  }
  if (busy < threads && idle !== null) return idle;
  const isShort = isPreview || task.kind === 'usual';
  return isShort && task.canBeReclaimed ? roomy : null;
}
