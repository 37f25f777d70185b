import type { InfoTemplate, Node, Section } from '../../model/nodes.ts';
import { childrenOf } from '../../model/nodes.ts';
import type { ArchiveLevel } from '../../model/structure.ts';
import type { Findings } from '../vocabulary/findings.ts';

/** Whether documents are tagged: on request, and at the levels A of the archive standards. */
export function isTaggedBy(
  asked: boolean | undefined,
  archive: ArchiveLevel | null,
  findings: Findings,
): boolean {
  if (archive?.conformance !== 'A') return asked ?? false;
  if (asked === false) {
    const message = 'An archive document of level a is tagged: use level u, or leave this out.';
    findings.error('document.tagged', message);
  }
  return true;
}

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
  for (const { content } of sections) visit(content, levels, findings);
}

function visit(node: Node, levels: number[], findings: Findings): void {
  if (node.role === 'artifact') return;
  switch (node.kind) {
    case 'text':
      checkHeading(node, levels, findings);
      break;
    case 'image':
    case 'svg':
    case 'qr':
    case 'barcode':
      if ((node.alt ?? null) === null) {
        const message = 'In a tagged document "alt" says what it shows; "" for mere decoration.';
        findings.error(node.path, message);
      }
      break;
    case 'table':
      if (node.headerRows === 0 && (node.headerColumns ?? 0) === 0 && node.role !== 'layout') {
        const message =
          'This table has no header cells: give headerRows or headerColumns, or "role": "layout" ' +
          'where it only arranges things.';
        findings.warning(node.path, message);
      }
      break;
    case 'canvas':
    case 'stack':
    case 'columns':
    case 'list':
    case 'toc':
      break;
  }
  for (const child of childrenOf(node)) visit(child, levels, findings);
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
