import type { Destination, OutlineEntry } from '../model/frame.ts';
import type { OutlineMark, Sheet } from './place/sheet.ts';

/** Every named destination of the document; if two have the same name, the first counts. */
export function findDestinations(sheets: readonly Sheet[]): Destination[] {
  const destinations: Destination[] = [];
  const seen = new Set<string>();
  for (const [pageIndex, sheet] of sheets.entries()) {
    for (const { id, x, y } of sheet.places) {
      if (seen.has(id)) continue;
      seen.add(id);
      destinations.push({ name: id, pageIndex, x, y });
    }
  }
  return destinations;
}

/** Writes page numbers into the page references, each aligned in the width reserved for it. */
export function fillReferences(sheets: readonly Sheet[]): void {
  if (sheets.every((sheet) => sheet.references.length === 0)) return;
  const pages = new Map<string, number>();
  for (const { name, pageIndex } of findDestinations(sheets)) pages.set(name, pageIndex + 1);
  for (const sheet of sheets) {
    for (const { id, item, shapes, widthPt, alignment } of sheet.references) {
      const { stack, sizePt } = item.style;
      const shape = stack.shape(String(pages.get(id) ?? ''));
      shapes.push(shape);
      const free = widthPt - shape.widthEm * sizePt;
      if (alignment === 'right') item.x += free;
      else if (alignment === 'center') item.x += free / 2;
    }
  }
}

interface OpenEntry extends OutlineEntry {
  readonly level: number;
  readonly children: OpenEntry[];
}

/** Nests the entries of the outline by level, in document order. */
export function buildOutline(sheets: readonly Sheet[]): OutlineEntry[] {
  const roots: OpenEntry[] = [];
  const open: OpenEntry[] = [];
  for (const [pageIndex, sheet] of sheets.entries()) {
    for (const mark of sheet.outlines) {
      const entry = entryOf(mark, pageIndex);
      while ((open.at(-1)?.level ?? -1) >= mark.level) open.pop();
      (open.at(-1)?.children ?? roots).push(entry);
      open.push(entry);
    }
  }
  return roots;
}

function entryOf(mark: OutlineMark, pageIndex: number): OpenEntry {
  const { title, y, expanded, level } = mark;
  return { title, pageIndex, y, expanded, level, children: [] };
}
