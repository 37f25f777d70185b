import type { Findings } from './vocabulary/findings.ts';
import type { CompiledTemplate, RunningElement, Node, PageSetup, Section } from '../model/nodes.ts';
import { childrenOf } from '../model/nodes.ts';

/**
 * Whether nodes can be kept together: in a stack on the page itself they can; in columns, cells,
 * list items and running elements they cannot; an unbreakable block keeps all of its nodes
 * together.
 */
type Grouping = 'stack' | 'apart' | 'together';

const APART =
  'has no effect here: only nodes of content, or of stacks in it, are kept together over page ' +
  'breaks, not those in columns, table cells, list items, header, footer or background; ' +
  'use "unbreakable" around a few of them, or "dontBreakRows" on a table.';
const LAST = 'has no effect here: nothing follows in this stack; put it on the stack itself.';

/** Warns of `keepWithNext`, and of headlines of `breakBefore`, where they cannot do anything. */
export function reportKept(
  sections: readonly Section[],
  breakBefore: CompiledTemplate['breakBefore'],
  findings: Findings,
): void {
  const level = breakBefore?.headlineLevel ?? null;
  const visit = (node: Node, place: Grouping): void => {
    if (node.keepWithNext && place === 'apart') {
      findings.warning(`${node.path}.keepWithNext`, APART);
    }
    if (level !== null && node.headlineLevel === level && place === 'apart') {
      findings.warning(`${node.path}.headlineLevel`, APART);
    }
    visitChildren(node, node.unbreakable ? 'together' : place);
  };
  const visitChildren = (node: Node, place: Grouping): void => {
    if (node.kind === 'stack') {
      const last = node.children.at(-1);
      if (place === 'stack' && last?.keepWithNext === true && last.each === null) {
        findings.warning(`${last.path}.keepWithNext`, LAST);
      }
      for (const child of node.children) visit(child, place);
      return;
    }
    const inner = place === 'together' ? place : 'apart';
    for (const child of childrenOf(node)) {
      // The nodes of an item stand on the page as those of any stack do; the item itself does not.
      if (node.kind === 'list' && place === 'stack' && child.kind === 'stack') {
        visitChildren(child, place);
      } else {
        visit(child, inner);
      }
    }
  };
  for (const { content, setup } of sections) {
    visitChildren(content, 'stack');
    for (const node of runningElementsOf(setup)) visit(node, 'apart');
  }
}

function runningElementsOf({ header, footer, background }: PageSetup): readonly Node[] {
  return [header, footer, background].flatMap(partsOf).filter((node) => node !== null);
}

function partsOf(element: RunningElement | null): readonly (Node | null)[] {
  return element === null ? [] : [element.first, element.rest, element.last];
}
