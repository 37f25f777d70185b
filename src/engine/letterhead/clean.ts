import { LIMITS } from '../../limits.ts';
import { FileBuffers, packStream, PdfFile } from '../pdf/file.ts';
import { decimal, reference } from '../pdf/syntax.ts';
import { entryOf, ResourceCopier } from './copy.ts';
import { drawnResources } from './drawn.ts';
import type { Cleaning, Dropped } from './faults.ts';
import { LetterheadFault } from './faults.ts';
import { CLEANED_TYPE } from './letterhead.ts';
import type { ForeignFile, ForeignPage } from './parse.ts';
import { cornersOf, filtersOf, name, parsePdf } from './parse.ts';
import { unpack } from './unpack.ts';
import { turnedBox, uprightMatrix, uprightSize } from './upright.ts';
import { readForm } from './form.ts';
import {
  PDFArray,
  PDFDict,
  PDFHexString,
  PDFName,
  PDFRawStream,
  PDFRef,
  PDFString,
} from './pdf-lib.ts';
import type { PDFObject } from './pdf-lib.ts';

/**
 * Reads a foreign PDF and writes a file of its pages as they are seen: upright, cropped, each one
 * form XObject with its resources, and links to addresses. Scripts, actions, fields, files and all
 * other annotations stay behind. The same bytes give the same file.
 */
export async function cleanPdf(bytes: Uint8Array): Promise<Cleaning> {
  try {
    const foreign = await parsePdf(bytes);
    demandVisibleLayers(foreign);
    const fields = readForm(foreign);
    return { ok: true, pdf: writePages(foreign), dropped: droppedOf(foreign), fields };
  } catch (error) {
    // Any error of the library over a foreign file means that the file is not a valid PDF; an
    // encrypted file looks damaged where its objects are in object streams.
    const isLocked = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).includes('/Encrypt');
    if (isLocked) return { ok: false, fault: 'encrypted' };
    return { ok: false, fault: error instanceof LetterheadFault ? error.kind : 'broken' };
  }
}

/** Refuses layers that are switched off: they would be drawn, because the catalog is dropped. */
function demandVisibleLayers({ catalog }: ForeignFile): void {
  const layers = catalog.lookup(name('OCProperties'));
  const shown = layers instanceof PDFDict ? layers.lookup(name('D')) : undefined;
  if (!(shown instanceof PDFDict)) return;
  const off = shown.lookup(name('OFF'));
  const isOff = off instanceof PDFArray && off.size() > 0;
  const base = shown.lookup(name('BaseState'));
  if (isOff || (base instanceof PDFName && base.asString() === '/OFF')) {
    throw new LetterheadFault('layers');
  }
}

function writePages(foreign: ForeignFile): Uint8Array {
  const file = PdfFile.begin(new FileBuffers(1 << 16), true);
  const directory = file.reserve();
  const tree = file.reserve();
  file.object(directory, `<</Type/${CLEANED_TYPE}/Pages ${reference(tree)}>>`);
  const copier = new ResourceCopier(foreign.context, file, foreign.budget);
  const pages = foreign.pages.map((page) => writePage(file, foreign, copier, page, tree));
  const kids = pages.map((page) => reference(page)).join(' ');
  file.object(tree, `<</Type/Pages/Count ${pages.length}/Kids[${kids}]>>`);
  const catalog = file.add(`<</Type/Catalog/Pages ${reference(tree)}>>`);
  const info = file.add('<</Producer(Intaglio)>>');
  return file.finish(catalog, info, 0).slice();
}

/** A page that shows one form and has nothing but links; gives its object number. */
function writePage(
  file: PdfFile,
  foreign: ForeignFile,
  copier: ResourceCopier,
  page: ForeignPage,
  tree: number,
): number {
  const { widthPt, heightPt } = uprightSize(page);
  const form = ownForm(page, copier) ?? writeForm(file, foreign, copier, page);
  const content = file.addStream('', Buffer.from(PAGE_CONTENT, 'latin1'));
  const links = linksOf(page);
  return file.add(
    `<</Type/Page/Parent ${reference(tree)}/MediaBox[0 0 ${numbers([widthPt, heightPt])}]` +
      `/Resources<</XObject<</Page ${reference(form)}>>>>/Contents ${reference(content)}` +
      `${links === '' ? '' : `/Annots[${links}]`}>>`,
  );
}

const PAGE_CONTENT = '/Page Do';

/**
 * The form of a page that `writePage` made, so that cleaning twice adds no second form around it;
 * null for any other page.
 */
function ownForm({ dict, resources }: ForeignPage, copier: ResourceCopier): number | null {
  const content = dict.lookup(name('Contents'));
  if (!(content instanceof PDFRawStream) || resources === null) return null;
  if (Buffer.from(content.contents).toString('latin1') !== PAGE_CONTENT) return null;
  const forms = resources.lookup(name('XObject'));
  const form = forms instanceof PDFDict ? forms.get(name('Page')) : undefined;
  if (!(form instanceof PDFRef)) return null;
  const isForm = subtypeOf(dict.context.lookup(form)) === '/Form';
  return isForm ? Number.parseInt(copier.copy(form, '/Page'), 10) : null;
}

function writeForm(
  file: PdfFile,
  foreign: ForeignFile,
  copier: ResourceCopier,
  page: ForeignPage,
): number {
  const form = file.reserve();
  const content = contentOf(page, foreign);
  const drawn = page.resources === null ? null : drawnResources(page.resources, content);
  const resources = drawn === null ? '<<>>' : copier.copy(drawn, '/Resources');
  const group = page.dict.get(name('Group'));
  const { filter, data } = packStream(content, true);
  const entries =
    `/Type/XObject/Subtype/Form/BBox[${numbers(page.box)}]/Matrix[${numbers(uprightMatrix(page))}]` +
    entryOf('/Resources', resources) +
    (group === undefined ? '' : entryOf('/Group', copier.copy(group, '/Group')));
  file.stream(form, entries + filter, data);
  return form;
}

function numbers(values: readonly number[]): string {
  return values.map((value) => decimal(value, 5)).join(' ');
}

/** All content streams of a page as one, unpacked; between two of them is a blank (§7.8.2). */
function contentOf({ dict }: ForeignPage, { budget }: ForeignFile): Uint8Array {
  const contents = dict.lookup(name('Contents'));
  const streams: (PDFObject | undefined)[] = [];
  if (contents instanceof PDFArray) {
    if (contents.size() > LIMITS.pdfObjectsMax) throw new LetterheadFault('large');
    for (let index = 0; index < contents.size(); index++) streams.push(contents.lookup(index));
  } else {
    streams.push(contents);
  }
  const parts: Uint8Array[] = [];
  for (const stream of streams) {
    if (!(stream instanceof PDFRawStream)) continue;
    parts.push(unpack(stream.contents, filtersOf(stream.dict), budget), Buffer.from('\n'));
  }
  return Buffer.concat(parts);
}

const SAFE_ADDRESS = /^(?:https?:\/\/|mailto:|tel:)[!-~]{1,2000}$/i;

/** Links of a page to addresses, as annotations of the upright page. */
function linksOf(page: ForeignPage): string {
  let links = '';
  for (const annotation of annotationsOf(page).slice(0, LIMITS.pdfLinksMax)) {
    const uri = addressOf(annotation);
    const corners = cornersOf(annotation.lookup(name('Rect')));
    if (uri === null || corners === null) continue;
    const rect = turnedBox(corners, uprightMatrix(page));
    links +=
      `<</Type/Annot/Subtype/Link/Rect[${numbers(rect)}]/Border[0 0 0]` +
      `/A<</S/URI/URI<${Buffer.from(uri, 'latin1').toString('hex')}>>>>>`;
  }
  return links;
}

function annotationsOf({ dict }: ForeignPage): readonly PDFDict[] {
  const list = dict.lookup(name('Annots'));
  if (!(list instanceof PDFArray)) return [];
  const count = Math.min(list.size(), LIMITS.pdfObjectsMax);
  return Array.from({ length: count }, (_, index) => list.lookup(index)).filter(
    (annotation) => annotation instanceof PDFDict,
  );
}

/** The address that a link opens, or null for all other annotations. */
function addressOf(annotation: PDFDict): string | null {
  if (subtypeOf(annotation) !== '/Link') return null;
  const action = annotation.lookup(name('A'));
  if (!(action instanceof PDFDict)) return null;
  const uri = action.lookup(name('URI'));
  if (!(uri instanceof PDFString || uri instanceof PDFHexString)) return null;
  const text = Buffer.from(uri.asBytes()).toString('latin1');
  return SAFE_ADDRESS.test(text) ? text : null;
}

function subtypeOf(object: PDFObject | undefined): string {
  const dict = object instanceof PDFRawStream ? object.dict : object;
  const subtype = dict instanceof PDFDict ? dict.lookup(name('Subtype')) : undefined;
  return subtype instanceof PDFName ? subtype.asString() : '';
}

function has(object: PDFObject | undefined, key: string): boolean {
  return object instanceof PDFDict && object.get(name(key)) !== undefined;
}

/** Lists what the original has and the cleaned pages lack. */
function droppedOf({ catalog, pages }: ForeignFile): readonly Dropped[] {
  const dropped = new Set<Dropped>();
  const names = catalog.lookup(name('Names'));
  if (has(catalog, 'AA') || has(names, 'JavaScript')) dropped.add('scripts');
  const opening = catalog.lookup(name('OpenAction'));
  if (opening instanceof PDFDict) dropped.add('scripts');
  if (has(names, 'EmbeddedFiles') || has(catalog, 'AF')) dropped.add('files');
  for (const page of pages) {
    if (has(page.dict, 'AA')) dropped.add('scripts');
    for (const annotation of annotationsOf(page)) {
      const subtype = subtypeOf(annotation);
      if (subtype === '/Widget') dropped.add('fields');
      else if (subtype !== '/Link' && subtype !== '/Popup') dropped.add('annotations');
    }
  }
  return [...dropped];
}
