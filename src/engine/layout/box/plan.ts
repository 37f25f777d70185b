import type { Node, StackNode } from '../../model/nodes.ts';
import { PLAIN_NODE } from '../../model/nodes.ts';
import { isStaticText, type DataScope } from '../scope.ts';
import { type Box, StackBox } from './blocks.ts';

/**
 * The plan of a node, which layout keeps between documents. A static node is measured once and its
 * box is shared by all documents of the template; a node with bindings makes a new box for each.
 */
export abstract class Plan {
  readonly node: Node;
  /**
   * Nothing in it depends on data or page. Its own conditions do not count: the parent tests them.
   */
  readonly isStatic: boolean;
  #box: Box | null = null;

  constructor(node: Node, isStatic: boolean) {
    this.node = node;
    const title = node.outline?.title ?? null;
    const alt = node.alt ?? null;
    this.isStatic =
      isStatic && (title === null || isStaticText(title)) && (alt === null || isStaticText(alt));
  }

  /** The node's box for one document. */
  box(scope: DataScope): Box {
    if (this.#box !== null) return this.#box;
    const box = this.makeBox(scope);
    const { outline } = this.node;
    if (outline !== null) {
      box.outlineTitle = outline.title === null ? this.plainText(scope) : scope.text(outline.title);
    }
    const { alt = null } = this.node;
    if (alt !== null && box.kind === 'graphic') box.alt = scope.text(alt);
    if (this.isStatic) this.#box = box;
    return box;
  }

  /** An empty box, for content that is absent or whose conditions do not hold. */
  emptyBox(): Box {
    return new StackBox({ ...NOTHING, path: this.node.path }, []);
  }

  protected abstract makeBox(scope: DataScope): Box;

  /** The text of the node: the title of its outline entry unless the template gives one. */
  protected plainText(_scope: DataScope): string {
    return '';
  }
}

/**
 * Whether a child lets its parent's box be static: it is static, unconditional and not repeated.
 */
export function isFixedChild(plan: Plan): boolean {
  return plan.isStatic && plan.node.conditions.length === 0 && plan.node.each === null;
}

/** Appends the boxes of a child: none, one, or one for each row of its `each`. */
export function appendBoxes(plan: Plan, scope: DataScope, boxes: Box[]): void {
  const { conditions, each } = plan.node;
  if (conditions.length > 0 && !scope.holds(conditions)) return;
  if (each === null) {
    boxes.push(plan.box(scope));
    return;
  }
  scope.forEach(each, () => boxes.push(plan.box(scope)));
}

const NOTHING: Omit<StackNode, 'path'> = {
  kind: 'stack',
  children: [],
  ...PLAIN_NODE,
};
