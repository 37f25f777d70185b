/** A function in the place where it was called: what it and its callees took. */
export interface FlameNode {
  readonly name: string;
  /** `src/engine/layout/layout.ts:42`, or `(native)`. */
  readonly place: string;
  readonly totalMs: number;
  readonly selfMs: number;
  /** The longest first. */
  readonly children: readonly FlameNode[];
}

/** The parts of V8's profile that the tree is made of. */
export interface SampledNode {
  readonly id: number;
  readonly name: string;
  readonly place: string;
  readonly children: readonly number[];
  readonly selfMs: number;
}

/** Below this share of all samples a function is drawn with its neighbours, as `… more`. */
const SHARE_MIN = 0.0005;
/** Deeper calls are drawn as one: nobody reads a graph of that depth. */
const DEPTH_MAX = 120;

/** The tree below a root, from nodes that name their children by id. */
export function flameTree(nodes: readonly SampledNode[]): FlameNode {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const [root] = nodes;
  if (root === undefined) throw new Error('a profile has a root');
  const totals = new Map<number, number>();
  // V8 lists parents before their children.
  for (const node of nodes.toReversed()) {
    const below = node.children.reduce((sum, id) => sum + (totals.get(id) ?? 0), 0);
    totals.set(node.id, node.selfMs + below);
  }
  const leastMs = (totals.get(root.id) ?? 0) * SHARE_MIN;
  return nodeOf(root, byId, totals, leastMs, 0);
}

function nodeOf(
  { id, name, place, selfMs, children }: SampledNode,
  byId: ReadonlyMap<number, SampledNode>,
  totals: ReadonlyMap<number, number>,
  leastMs: number,
  depth: number,
): FlameNode {
  const shown: FlameNode[] = [];
  let restMs = 0;
  for (const childId of children) {
    const child = byId.get(childId);
    const childMs = totals.get(childId) ?? 0;
    if (child === undefined || childMs < leastMs || depth === DEPTH_MAX) restMs += childMs;
    else shown.push(nodeOf(child, byId, totals, leastMs, depth + 1));
  }
  if (restMs > 0)
    shown.push({ name: '… more', place: '', totalMs: restMs, selfMs: restMs, children: [] });
  const totalMs = totals.get(id) ?? 0;
  return {
    name,
    place,
    totalMs,
    selfMs,
    children: shown.toSorted((a, b) => b.totalMs - a.totalMs),
  };
}
