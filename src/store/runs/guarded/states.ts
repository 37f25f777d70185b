import type { RunSpec, RunState } from '../types.ts';

/**
 * The column `state` of a run that makes its documents in a way that earlier releases do not know is
 * the state with a mark: "running.2". Earlier releases select work, starts, parts and withdrawals by
 * the plain names of states, so they find nothing to do in such a run; they would make its documents
 * without passwords or signatures. This release reads and writes both forms.
 */
const MARK = '.2';

type Guarded = Pick<RunSpec, 'protection' | 'signature'>;

/** Whether earlier releases would make other documents than this specification demands. */
function isMarked({ protection, signature }: Guarded): boolean {
  return protection !== null || signature;
}

/** What the column holds for a run with this specification. */
export function storedState(state: RunState, spec: Guarded): string {
  return isMarked(spec) ? `${state}${MARK}` : state;
}

/** Whether the value of the column is a marked state. */
export function isMarkedState(stored: string): boolean {
  return stored.endsWith(MARK);
}

/** The value of the column for the state `to`, with a mark if `stored` has one. */
export function movedState(stored: string, to: RunState): string {
  return isMarkedState(stored) ? `${to}${MARK}` : to;
}

/** What the column may hold for runs in these states. */
export function storedStates(states: readonly RunState[]): string[] {
  return states.flatMap((state) => [state, `${state}${MARK}`]);
}

/** The same as a list of SQL literals, in parentheses. */
export function storedStatesSql(states: readonly RunState[]): string {
  return `(${storedStates(states)
    .map((state) => `'${state}'`)
    .join(', ')})`;
}

/** The state that the column stands for. */
export function stateOf(stored: string): RunState {
  const plain = isMarkedState(stored) ? stored.slice(0, -MARK.length) : stored;
  // `storedState` wrote it from this type, or an earlier release without a mark.
  return plain as RunState;
}
