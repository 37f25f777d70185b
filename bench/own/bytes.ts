import {
  PDFArray,
  PDFDict,
  PDFDocument,
  PDFName,
  type PDFObject,
  PDFRawStream,
  PDFRef,
} from '@cantoo/pdf-lib';
import type { BytesByKind } from './figures.ts';

type Kind = 'fonts' | 'images' | 'pages';

/** Entries of a font or its descriptor whose streams hold the font. */
const FONT_ENTRIES = ['FontFile', 'FontFile2', 'FontFile3', 'ToUnicode', 'CIDToGIDMap', 'CIDSet'];

/**
 * The bytes of a PDF's streams by what they hold. `other` is the rest: the objects of pages, fonts
 * and tags, metadata, embedded files, signature and cross-references.
 */
export async function bytesByKind(pdf: Uint8Array): Promise<BytesByKind> {
  const { context } = await PDFDocument.load(pdf, { updateMetadata: false });
  const objects = context.enumerateIndirectObjects();
  const kinds = new Map<PDFRef, Kind>();
  for (const [, object] of objects) {
    if (!(object instanceof PDFDict)) continue;
    for (const name of FONT_ENTRIES) mark(kinds, object.get(PDFName.of(name)), 'fonts');
    const contents = object.get(PDFName.of('Contents'));
    if (contents instanceof PDFRef) mark(kinds, contents, 'pages');
    if (contents instanceof PDFArray)
      for (const one of contents.asArray()) mark(kinds, one, 'pages');
  }
  const sums = { fonts: 0, images: 0, pages: 0 };
  for (const [ref, object] of objects) {
    if (!(object instanceof PDFRawStream)) continue;
    const kind = kinds.get(ref) ?? kindOf(object.dict);
    if (kind !== null) sums[kind] += object.contents.length;
  }
  const other = pdf.length - sums.fonts - sums.images - sums.pages;
  return { ...sums, other, total: pdf.length };
}

function mark(kinds: Map<PDFRef, Kind>, object: PDFObject | undefined, kind: Kind): void {
  if (object instanceof PDFRef) kinds.set(object, kind);
}

function kindOf(dictionary: PDFDict): Kind | null {
  const subtype = dictionary.get(PDFName.of('Subtype'));
  if (subtype === PDFName.of('Image')) return 'images';
  return subtype === PDFName.of('Form') || dictionary.has(PDFName.of('PatternType'))
    ? 'pages'
    : null;
}
