import type { Node, Section, TableNode } from '../../model/nodes.ts';
import type { InfoTemplate } from '../../model/structure.ts';
import { childrenOf } from '../../model/nodes.ts';
import type { Findings } from '../vocabulary/findings.ts';

/** Reports what a tagged document lacks independently of the data (ISO 14289-1). */
export function reportUntaggable(
  sections: readonly Section[],
  info: InfoTemplate | null,
  findings: Findings,
): void {
  if ((info?.title ?? null) === null) {
    const message = 'A tagged document has a title: give document.info.title.';
    findings.error('document.info', message);
  }
  const levels: number[] = [];
  for (const { content } of sections) visit(content, null, levels, findings);
  if (isLong(sections) && !sections.some(({ content }) => hasHeading(content))) {
    const message =
      'This tagged document may be longer than a page and has no heading, so that a screen reader ' +
      'has nothing to jump to: give its titles "role": "h1" to "h6".';
    findings.warning('document.content', message);
  }
}

/** Characters of text that fill about a page. */
const PAGE_CHARS = 2_000;

/** Whether documents may have more than about one page: the data or much text makes them longer. */
function isLong(sections: readonly Section[]): boolean {
  if (sections.length > 1) return true;
  return sections.some(({ content }) => charsIn(content) > PAGE_CHARS);
}

/** Characters of static text in a node; infinite with repetitions and page breaks. */
function charsIn(node: Node): number {
  if (node.role === 'artifact') return 0;
  if (node.each !== null || node.pageBreak !== null) return Number.POSITIVE_INFINITY;
  let chars = 0;
  if (node.kind === 'text') {
    for (const { text } of node.runs) {
      for (const part of text) if (part.kind === 'static') chars += part.text.length;
    }
  }
  if (node.kind === 'table' && node.rows.some(({ each }) => each !== null)) {
    return Number.POSITIVE_INFINITY;
  }
  for (const child of childrenOf(node)) chars += charsIn(child);
  return chars;
}

function hasHeading(node: Node): boolean {
  if (node.role === 'artifact') return false;
  if (node.kind === 'text' && isHeading(node)) return true;
  return childrenOf(node).some(hasHeading);
}

/** Whether a text is tagged as a heading: by its role, or as a headline without another role. */
function isHeading({ role = null, headlineLevel }: Node): boolean {
  if (role !== null) return /^h[1-6]$/.test(role);
  return headlineLevel !== null && headlineLevel >= 1 && headlineLevel <= 6;
}

/** Nodes that a screen reader needs words for; a canvas is decoration. */
const PICTURES: ReadonlySet<Node['kind']> = new Set(['image', 'svg', 'qr', 'barcode']);

function visit(node: Node, parent: Node | null, levels: number[], findings: Findings): void {
  if (node.role === 'artifact') return;
  if (node.role === 'rowHeader' && (parent?.kind !== 'table' || parent.role === 'layout')) {
    const message = '"rowHeader" is the role of a cell of a table that is read as a table.';
    findings.warning(`${node.path}.role`, message);
  }
  if (node.kind === 'text') checkHeading(node, levels, findings);
  if (PICTURES.has(node.kind) && (node.alt ?? null) === null) {
    const message = 'In a tagged document "alt" says what it shows; "" for mere decoration.';
    findings.error(node.path, message);
  }
  if (node.kind === 'table' && isWithoutHeaders(node)) {
    const message =
      'This table has no header cells: give headerRows, headerColumns or cells with "role": ' +
      '"rowHeader", or "role": "layout" where it only arranges things.';
    findings.warning(node.path, message);
  }
  for (const child of childrenOf(node)) visit(child, node, levels, findings);
}

function isWithoutHeaders({ headerRows, headerColumns = 0, role, rows }: TableNode): boolean {
  if (headerRows > 0 || headerColumns > 0 || role === 'layout') return false;
  return !rows.some(({ cells }) => cells.some((cell) => cell?.node.role === 'rowHeader'));
}

/** No level may be left out on the way down (ISO 14289-1, 7.4.2). */
function checkHeading(node: Node, levels: number[], findings: Findings): void {
  const level = /^h([1-6])$/.exec(node.role ?? '')?.[1];
  if (level === undefined) return;
  const before = levels.at(-1) ?? 0;
  if (Number(level) > before + 1) {
    const wanted =
      before === 0 ? 'The first heading is h1' : `After h${before} comes h${before + 1}`;
    findings.error(`${node.path}.role`, `${wanted} at most, not h${level}.`);
  }
  levels.push(Number(level));
}
