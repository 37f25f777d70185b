import { assertNever, entryAt } from '../../errors.ts';
import type { Destination, LinkArea, OutlineEntry } from '../model/frame.ts';
import type { PdfFile } from './file.ts';
import { decimal, reference, textString } from './syntax.ts';

/** Where navigation points to: a page's object and its height. */
export interface PageTarget {
  readonly object: number;
  readonly heightPt: number;
}

/** A link annotation (ISO 32000-2 §12.5.6.5), inline in the page's /Annots. */
export function linkAnnotation(
  link: LinkArea,
  heightPt: number,
  pageObjects: readonly number[],
  structParent: number | null = null,
): string {
  const box = [link.x, heightPt - link.y - link.heightPt, link.x + link.widthPt, heightPt - link.y];
  const rectangle = box.map((value) => decimal(value)).join(' ');
  return (
    `<</Type/Annot/Subtype/Link/Rect[${rectangle}]/Border[0 0 0]/F 4` +
    (structParent === null ? '' : `/StructParent ${structParent}${contentsEntry(link)}`) +
    `${targetEntry(link, pageObjects)}>>`
  );
}

/** Description of a link for those who cannot see it (ISO 14289-1, 7.18.5). */
function contentsEntry({ target }: LinkArea): string {
  switch (target.kind) {
    case 'uri':
      return `/Contents${textString(target.uri.toWellFormed() || 'link')}`;
    case 'page':
      return `/Contents(${target.pageIndex + 1})`;
    case 'destination':
      return `/Contents${textString(target.name)}`;
    default:
      return assertNever(target);
  }
}

function targetEntry(link: LinkArea, pageObjects: readonly number[]): string {
  const { target } = link;
  switch (target.kind) {
    case 'uri':
      return `/A<</S/URI/URI${textString(encodeURI(decodeSafely(target.uri)))}>>`;
    case 'page': {
      const page = pageObjects[target.pageIndex];
      return page === undefined ? '' : `/Dest[${reference(page)}/Fit]`;
    }
    case 'destination':
      return `/Dest${textString(target.name)}`;
    default:
      return assertNever(target);
  }
}

/** A URI may come escaped or not: it is written escaped once (RFC 3986 §2.4). */
function decodeSafely(uri: string): string {
  try {
    return decodeURI(uri.toWellFormed());
  } catch (error) {
    if (error instanceof URIError) return uri.toWellFormed();
    throw error;
  }
}

/** Named destinations as one leaf of a name tree, in byte order (§7.9.6, §12.3.2.4). */
export function destinationNames(
  destinations: readonly Destination[],
  pages: readonly PageTarget[],
): string {
  if (destinations.length === 0) return '';
  const entries = destinations
    .map((destination) => ({ name: textString(destination.name), destination }))
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
    .map(({ name, destination }) => `${name}${place(pages, destination, destination.x)}`);
  return `/Dests<</Names[${entries.join('')}]>>`;
}

function place(
  pages: readonly PageTarget[],
  at: { readonly pageIndex: number; readonly y: number },
  x: number,
): string {
  const page = entryAt(pages, at.pageIndex);
  const top = page.heightPt - at.y;
  return `[${reference(page.object)}/XYZ ${decimal(x)} ${decimal(top)} null]`;
}

/** An outline entry as PDF syntax: a title string, and a destination array. */
export interface OutlineSyntax {
  readonly title: string;
  readonly place: string;
  readonly expanded: boolean;
  readonly children: readonly OutlineSyntax[];
}

/** Layout's outline as syntax. */
export function outlineSyntax(
  entries: readonly OutlineEntry[],
  pages: readonly PageTarget[],
): OutlineSyntax[] {
  return entries.map((entry) => ({
    title: textString(entry.title),
    place: place(pages, entry, 0),
    expanded: entry.expanded,
    children: outlineSyntax(entry.children, pages),
  }));
}

/** Writes the outline tree (§12.3.3) and gives its entries for the catalog. */
export function writeOutline(file: PdfFile, entries: readonly OutlineSyntax[]): string {
  if (entries.length === 0) return '';
  const root = file.reserve();
  const { first, last, visible } = writeLevel(file, entries, root);
  file.object(
    root,
    `<</Type/Outlines/First ${reference(first)}/Last ${reference(last)}/Count ${visible}>>`,
  );
  return `/Outlines ${reference(root)}/PageMode/UseOutlines`;
}

function writeLevel(
  file: PdfFile,
  entries: readonly OutlineSyntax[],
  parent: number,
): { first: number; last: number; visible: number } {
  const numbers = entries.map(() => file.reserve());
  let visible = 0;
  entries.forEach((entry, index) => {
    const number = entryAt(numbers, index);
    const previous = numbers[index - 1];
    const next = numbers[index + 1];
    let children = '';
    visible += 1;
    if (entry.children.length > 0) {
      const level = writeLevel(file, entry.children, number);
      if (entry.expanded) visible += level.visible;
      const count = entry.expanded ? level.visible : -level.visible;
      children = `/First ${reference(level.first)}/Last ${reference(level.last)}/Count ${count}`;
    }
    file.object(
      number,
      `<</Title${entry.title}/Parent ${reference(parent)}` +
        (previous === undefined ? '' : `/Prev ${reference(previous)}`) +
        (next === undefined ? '' : `/Next ${reference(next)}`) +
        `/Dest${entry.place}${children}>>`,
    );
  });
  return { first: entryAt(numbers, 0), last: entryAt(numbers, numbers.length - 1), visible };
}
