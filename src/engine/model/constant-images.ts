import { childrenOf } from './nodes.ts';
import type { ImageNode, Node, RunningElement, Section } from './nodes.ts';

type StaticImage = ImageNode & { readonly source: { readonly kind: 'static' } };

/**
 * Keys of the images that every document of a template draws, whatever its data. An image that
 * some document might not draw is not among them: it must not be in the file of that document.
 * Left out are therefore nodes with conditions or `each`, the title of a table of contents (which
 * may be hidden), rows of page ends, columns that others flow into, the signature field, and running
 * elements of pages that a document may lack.
 */
export function constantImages(sections: readonly Section[]): ReadonlySet<string> {
  const keys = new Set<string>();
  const addAll = (root: Node | null): void => {
    if (root === null) return;
    visitConstant(root, (node) => {
      if (isStaticImage(node)) keys.add(node.source.image.key);
    });
  };
  for (const [index, section] of sections.entries()) {
    addAll(section.content);
    if (!hasPageAlways(section, index, sections)) continue;
    const { header, footer, background } = section.setup;
    for (const element of [header, footer, background]) addAll(constantPart(element, index));
  }
  return keys;
}

/**
 * Whether a page of every document belongs to the section. A section that draws nothing may lose
 * its page to the one after it.
 */
function hasPageAlways(section: Section, index: number, sections: readonly Section[]): boolean {
  // At the end of a document, only an empty page as high as its content is dropped.
  const isLast = index === sections.length - 1;
  if (isLast && (index === 0 || section.setup.heightPt !== Infinity)) return true;
  let draws = false;
  visitConstant(section.content, (node) => {
    draws ||= isStaticImage(node) || hasStaticLetters(node);
  });
  return draws;
}

/** The part of a running element that is drawn on some page of the section in any case, or null. */
function constantPart(element: RunningElement | null, sectionIndex: number): Node | null {
  if (element === null) return null;
  const { first, rest, last } = element;
  // The first page of the first section is the first of the document, even if it is also the last.
  return sectionIndex === 0 || (first === rest && first === last) ? first : null;
}

/** Visits a node and its descendants that every document draws. */
function visitConstant(node: Node, visit: (node: Node) => void): void {
  if (node.conditions.length > 0 || node.each !== null) return;
  visit(node);
  for (const child of constantChildrenOf(node)) visitConstant(child, visit);
}

function constantChildrenOf(node: Node): readonly Node[] {
  if (node.kind === 'toc') return [];
  // The first column flows on into the others, whose own content is not drawn.
  if (node.kind === 'columns' && node.snaking) return childrenOf(node).slice(0, 1);
  if (node.kind !== 'table') return childrenOf(node);
  const rows = node.rows.filter(({ conditions, each }) => conditions.length === 0 && each === null);
  return rows.flatMap((row) => row.cells.flatMap((cell) => cell?.node ?? []));
}

function isStaticImage(node: Node): node is StaticImage {
  return node.kind === 'image' && node.source.kind === 'static';
}

function hasStaticLetters(node: Node): boolean {
  if (node.kind !== 'text') return false;
  return node.runs.some(
    ({ conditions, each, text }) =>
      conditions.length === 0 &&
      each === null &&
      text.some((part) => part.kind === 'static' && /[\p{L}\p{N}]/u.test(part.text)),
  );
}
