import type { CallNode, Node } from './syntax/nodes.ts';
import { isMacro } from './compile/macros.ts';

/**
 * A value that an expression reads: a name of its scope, then the fields to the value. Items of lists
 * take no step, so `sum(accounts.map(a, a.balance))` reads `accounts.balance`.
 */
export type ReadPath = readonly string[];

/** The last step of a path that asks only whether a value is there, or how long a list is. */
export const EXISTENCE = '';

/** Macros that give items of their list. */
const KEEPS_ITEMS: ReadonlySet<string> = new Set(['filter', 'sortBy']);
/** Functions that give an item of their list. */
const GIVES_ITEM: ReadonlySet<string> = new Set(['first', 'last']);

/** Paths by the names of the macros' variables; null: the value was made by the expression. */
type Variables = ReadonlyMap<string, ReadPath | null>;

/**
 * What a tree reads. A record or list that is compared, joined or chosen as a whole counts as read
 * with all that is in it.
 */
export function readsOf(tree: Node): readonly ReadPath[] {
  const reads = new Reads();
  reads.use(tree, new Map());
  return reads.list();
}

class Reads {
  readonly #paths = new Map<string, ReadPath>();

  list(): readonly ReadPath[] {
    return [...this.#paths.values()];
  }

  /** Visits a node whose value is used as a whole. */
  use(node: Node, variables: Variables): void {
    const path = this.#walk(node, variables);
    if (path !== null) this.#add(path);
  }

  #add(path: ReadPath): void {
    this.#paths.set(JSON.stringify(path), path);
  }

  /** Visits a node; the path of its value, which is not read yet, or null. */
  #walk(node: Node, variables: Variables): ReadPath | null {
    switch (node.kind) {
      case 'literal':
        return null;
      case 'name': {
        const known = variables.get(node.name);
        return known === undefined ? [node.name] : known;
      }
      case 'select': {
        const of = this.#walk(node.of, variables);
        return of === null ? null : [...of, node.name];
      }
      case 'index': {
        const of = this.#walk(node.of, variables);
        const { index } = node;
        if (index.kind === 'literal' && typeof index.value === 'string') {
          return of === null ? null : [...of, index.value];
        }
        this.use(index, variables);
        return of;
      }
      case 'call':
        return this.#call(node, variables);
      case 'unary':
      case 'binary':
      case 'conditional':
      case 'list':
      case 'record':
        for (const operand of operandsOf(node)) this.use(operand, variables);
        return null;
    }
  }

  #call(node: CallNode, variables: Variables): ReadPath | null {
    const { name, target, args } = node;
    if (target !== null && isMacro(name)) return this.#macro(node, target, variables);
    const operands = target === null ? args : [target, ...args];
    const [first] = operands;
    if ((name === 'has' || name === 'size') && first !== undefined) {
      const path = this.#walk(first, variables);
      if (path !== null) this.#add([...path, EXISTENCE]);
      return null;
    }
    if (GIVES_ITEM.has(name) && first !== undefined) return this.#walk(first, variables);
    for (const operand of operands) this.use(operand, variables);
    return null;
  }

  #macro({ name, args }: CallNode, target: Node, variables: Variables): ReadPath | null {
    const items = this.#walk(target, variables);
    if (items !== null) this.#add([...items, EXISTENCE]);
    const [variable, ...bodies] = args;
    const inner = new Map(variables);
    if (variable?.kind === 'name') inner.set(variable.name, items);
    const value = name === 'map' ? bodies.pop() : undefined;
    for (const body of bodies) this.use(body, inner);
    if (value !== undefined) return this.#walk(value, inner);
    return KEEPS_ITEMS.has(name) ? items : null;
  }
}

function operandsOf(
  node: Extract<Node, { kind: 'unary' | 'binary' | 'conditional' | 'list' | 'record' }>,
): readonly Node[] {
  switch (node.kind) {
    case 'unary':
      return [node.of];
    case 'binary':
      return [node.left, node.right];
    case 'conditional':
      return [node.condition, node.whenTrue, node.whenFalse];
    case 'list':
      return node.items;
    case 'record':
      return node.entries.map(({ value }) => value);
  }
}
