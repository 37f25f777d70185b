import type { RunRecord } from '../store/runs/types.ts';
import type { Store } from '../store/store.ts';
import type { Assignment } from './queue.ts';

/** Limit of a run's chunks in the queue, so that runs take turns. */
const CHUNKS_MAX = 64;
/**
 * Limit of a run's assignments without a chunk: to check a part, make a print file or change a
 * state.
 */
const STEPS_MAX = 16;

/**
 * Lists the work in the database, alternating between runs. The same work always has the same ids,
 * so a queue does not take it twice, and one that has lost it gets it again.
 */
export async function listAssignments(
  store: Pick<Store, 'runWork'>,
): Promise<readonly Assignment[]> {
  const runs = await store.runWork.active();
  const lists = await Promise.all(runs.map((run) => ofRun(store, run)));
  const longest = Math.max(0, ...lists.map(({ length }) => length));
  const all: Assignment[] = [];
  for (let index = 0; index < longest; index++) {
    for (const list of lists) {
      const assignment = list[index];
      if (assignment !== undefined) all.push(assignment);
    }
  }
  return all;
}

async function ofRun(
  { runWork }: Pick<Store, 'runWork'>,
  { runId, state, spec }: RunRecord,
): Promise<readonly Assignment[]> {
  const left = await runWork.workLeft(runId);
  if (state === 'checking') return steps(runId, Math.max(1, left.parts));
  if (left.chunks === 0) return steps(runId, spec.documentsPerPrint === null ? 1 : STEPS_MAX);
  const chunkIds = await runWork.freeChunks(runId, CHUNKS_MAX);
  return chunkIds.map((chunkId) => ({ runId, chunkId, id: chunkId }));
}

function steps(runId: string, count: number): readonly Assignment[] {
  const length = Math.min(STEPS_MAX, count);
  return Array.from({ length }, (_, index) => ({ runId, chunkId: null, id: `${runId}-${index}` }));
}
