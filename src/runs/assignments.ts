import type { RunRecord } from '../store/runs/types.ts';
import type { Store } from '../store/store.ts';
import type { Assignment } from './queue.ts';

/** Limit of a run's chunks in the queue, so that runs take turns. */
const CHUNKS_MAX = 64;
/** Limit of a run's other steps in the queue: to check a part, make a print file, change a state. */
const STEPS_MAX = 16;

/**
 * Lists the work in the database, alternating between runs. The same work always has the same ids, so
 * a queue takes it once, and takes it again after it has lost its data.
 */
export async function listAssignments(
  store: Pick<Store, 'runWork'>,
): Promise<readonly Assignment[]> {
  const teams = new Map<string, (readonly Assignment[])[]>();
  for (const { runId, teamId } of await store.runWork.activeIds()) {
    const run = await store.runWork.activeOne(runId);
    if (run === null) continue;
    const lists = teams.get(teamId) ?? [];
    lists.push(await assignmentsOf(store, run));
    teams.set(teamId, lists);
  }
  // Teams take turns, and in each team its runs.
  return alternating([...teams.values()].map(alternating));
}

/** The first item of each list, then the second of each, and so on. */
function alternating<T>(lists: readonly (readonly T[])[]): readonly T[] {
  const lengthMax = Math.max(0, ...lists.map(({ length }) => length));
  const items: T[] = [];
  for (let index = 0; index < lengthMax; index++) {
    for (const list of lists) {
      const item = list[index];
      if (item !== undefined) items.push(item);
    }
  }
  return items;
}

async function assignmentsOf(
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

/** What this instance has leased. */
export type Lease =
  | { readonly kind: 'source'; readonly runId: string }
  | { readonly kind: 'part'; readonly runId: string; readonly part: number }
  | { readonly kind: 'chunk'; readonly chunkId: string }
  | { readonly kind: 'print'; readonly runId: string; readonly number: number };
