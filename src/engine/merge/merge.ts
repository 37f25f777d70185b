import type { Outcome } from '../../errors.ts';
import { fail, succeed } from '../../errors.ts';
import { LIMITS } from '../../limits.ts';
import type { AttachedOverlay, AttachedPages, LayerRole } from '../pdf/document.ts';
import { layerListObject } from '../pdf/document.ts';
import type { PdfFile } from '../pdf/file.ts';
import type { OutlineSyntax } from '../pdf/navigation.ts';
import { reference, textString } from '../pdf/syntax.ts';
import { ObjectCopier, ObjectIndex } from '../pdf/copy/copier.ts';
import {
  arrayOf,
  demandReference,
  integerOf,
  PdfSource,
  referenceOf,
  referencesIn,
  SourceError,
} from '../pdf/copy/pdf-source.ts';

/**
 * Merges stored documents after a new one. Bodies, fonts and images are copied as bytes. Footers
 * and numbered headers of the stored pages are separate streams, which are left out.
 */

/** A string in parentheses without nested ones, or in hexadecimal digits (§7.3.4). */
const STRING = String.raw`(\((?:\\[^]|[^\\()])*\)|<[0-9A-Fa-f]*>)`;
const NAMED_DESTINATION = new RegExp(`/Dest${STRING}`, 'g');
/** A name in the catalog with its place: page and position. */
const NAMED_PLACE = new RegExp(String.raw`${STRING}\[([^\]]*)\]`, 'g');
const TITLE = new RegExp(`/Title${STRING}`);

interface SourcePage {
  readonly number: number;
  readonly dictionary: string;
  readonly widthPt: number;
  readonly heightPt: number;
}

interface Attachment {
  readonly source: PdfSource;
  readonly catalog: string;
  readonly pages: readonly SourcePage[];
  /** Named destinations by the syntax of their names. */
  readonly places: ReadonlyMap<string, string>;
}

type OverlayOf = (pageIndex: number, widthPt: number, heightPt: number) => AttachedOverlay[];

/**
 * Opens the stored documents. Returns `bad_request` if one is protected, if one is not an archive
 * document but must be, or if there are too many pages. Throws `SourceError` when a file is not
 * what this service writes, which means that it was damaged.
 */
export function readAttachments(
  files: readonly Uint8Array[],
  mustBeArchived = false,
): Outcome<AttachedPages> {
  const attachments: Attachment[] = [];
  const sizes: AttachedPages['sizes'][number][] = [];
  for (const [index, bytes] of files.entries()) {
    const source = new PdfSource(bytes);
    if (source.encrypted) {
      return fail(
        'bad_request',
        `options.attach[${index}] is a protected document: it cannot be merged.`,
      );
    }
    const catalog = source.text(source.root);
    if (mustBeArchived && !isArchived(source, catalog)) {
      return fail(
        'bad_request',
        `options.attach[${index}] is not an archive document, but templateId asks for one: ` +
          'attach documents of templates with "archive".',
      );
    }
    const pages = pagesOf(source, catalog);
    for (const { widthPt, heightPt } of pages) sizes.push({ widthPt, heightPt });
    attachments.push({ source, catalog, pages, places: namedPlaces(catalog) });
  }
  if (sizes.length > LIMITS.mergedPagesMax) {
    const limit = LIMITS.mergedPagesMax;
    return fail(
      'bad_request',
      `options.attach has ${sizes.length} pages in all; at most ${limit} can be merged.`,
    );
  }
  return succeed({
    sizes,
    append: (file, parent, atMs, firstIndex, overlay) =>
      appendAll(attachments, { file, parent, atMs, firstIndex, overlay }),
  });
}

/**
 * Whether a stored document claims PDF/A part 2 or 3. This service wrote it, so the claim holds.
 * Parts 2 and 3 have the same requirements for pages.
 */
function isArchived(source: PdfSource, catalog: string): boolean {
  const metadata = referenceOf(catalog, 'Metadata');
  return metadata !== null && /<pdfaid:part>[23]<\//.test(source.text(metadata));
}

function pagesOf(source: PdfSource, catalog: string): SourcePage[] {
  const tree = source.text(demandReference(catalog, 'Pages'));
  return referencesIn(arrayOf(tree, 'Kids') ?? '').map((number) => {
    const dictionary = source.text(number);
    const [, , widthPt = 0, heightPt = 0] = (arrayOf(dictionary, 'MediaBox') ?? '')
      .split(' ')
      .map(Number);
    if (!(widthPt > 0 && heightPt > 0)) throw new SourceError('MediaBox');
    return { number, dictionary, widthPt, heightPt };
  });
}

/** Where the pages are written. */
interface Target {
  readonly file: PdfFile;
  readonly parent: number;
  readonly atMs: number;
  readonly firstIndex: number;
  readonly overlay: OverlayOf;
}

function appendAll(
  attachments: readonly Attachment[],
  target: Target,
): { pages: number[]; outline: OutlineSyntax[] } {
  const index = new ObjectIndex(target.file);
  const layerLists = new Map<string, number>();
  const pages: number[] = [];
  const outline: OutlineSyntax[] = [];
  for (const attachment of attachments) {
    const placed = attachment.pages.map((page) => ({ page, number: target.file.reserve() }));
    const numbers = new Map(placed.map(({ page, number }) => [page.number, number]));
    const copier = new ObjectCopier(attachment.source, index, numbers);
    for (const { page, number } of placed) {
      const overlays = target.overlay(
        target.firstIndex + pages.length,
        page.widthPt,
        page.heightPt,
      );
      writePage({ attachment, page, number, overlays, copier, target, layerLists });
      pages.push(number);
    }
    for (const entry of outlineOf(attachment, copier)) outline.push(entry);
  }
  return { pages, outline };
}

/** A page that is being copied, and what it takes to write the copy. */
interface PageCopy {
  readonly attachment: Attachment;
  readonly page: SourcePage;
  /** Object number of the copy. */
  readonly number: number;
  readonly overlays: readonly AttachedOverlay[];
  readonly copier: ObjectCopier;
  readonly target: Target;
  readonly layerLists: Map<string, number>;
}

/** Writes a copy of a page with its kept layers and the new document's header and footer. */
function writePage(copy: PageCopy): void {
  const { page, overlays, copier, target } = copy;
  const { file } = target;
  const { kept, dropped } = splitLayers(copy);
  const streams = kept.map((layer) => copier.copy(layer.stream));
  const roles: LayerRole[] = kept.map((layer) => layer.role);
  const { source } = copy.attachment;
  const named = source.text(demandReference(page.dictionary, 'Resources'));
  const resources = copier.map(
    withoutForms(
      named,
      dropped.map((stream) => source.text(stream)),
    ),
  );
  let forms = '';
  for (const { role, form } of overlays) {
    const name = `V${form}`;
    // A form of an earlier merge may have the same name.
    const unique = resources.includes(`/${name} `) ? `${name}x${file.objectCount}` : name;
    forms += `/${unique} ${reference(form)}`;
    streams.push(file.addStream('', Buffer.from(`q /${unique} Do Q`, 'latin1')));
    roles.push(role);
  }
  const roleList = roles.map((role) => `/${role}`).join('');
  const annotations = arrayOf(page.dictionary, 'Annots');
  const links =
    annotations === null ? '' : explicitLinks(copy.attachment, inlined(source, annotations));
  file.object(
    copy.number,
    `<</Type/Page/Parent ${reference(target.parent)}` +
      `/MediaBox[${arrayOf(page.dictionary, 'MediaBox') ?? ''}]` +
      `/Resources ${reference(file.add(withForms(resources, forms)))}` +
      `/Contents[${streams.map(reference).join(' ')}]` +
      `/PieceInfo ${reference(layerListObject(file, copy.layerLists, roleList, target.atMs))}` +
      `${links === '' ? '' : `/Annots[${copier.map(links)}]`}>>`,
  );
}

interface SplitLayers {
  readonly kept: readonly { readonly stream: number; readonly role: LayerRole }[];
  readonly dropped: readonly number[];
}

/**
 * Splits the streams of a page into those that are kept, and those that the new document replaces
 * or would number twice.
 */
function splitLayers({ attachment, page, overlays }: PageCopy): SplitLayers {
  const streams = referencesIn(arrayOf(page.dictionary, 'Contents') ?? '');
  const pieces = referenceOf(page.dictionary, 'PieceInfo');
  const list = pieces === null ? '' : arrayOf(attachment.source.text(pieces), 'Private');
  const names = (list ?? '').split('/').slice(1);
  const hasNewHeader = overlays.some(({ role }) => role === 'Header' || role === 'NumberedHeader');
  const layers = streams.map((stream, index) => ({ stream, role: roleNamed(names[index]) }));
  const isDropped = ({ role }: { readonly role: LayerRole }): boolean =>
    role === 'Footer' || role === 'NumberedHeader' || (role === 'Header' && hasNewHeader);
  return {
    kept: layers.filter((layer) => !isDropped(layer)),
    dropped: layers.filter(isDropped).map(({ stream }) => stream),
  };
}

/** Removes from resources the forms that only dropped layers draw, such as earlier footers. */
function withoutForms(resources: string, dropped: readonly string[]): string {
  return dropped.reduce((rest, layer) => {
    const name = /stream\nq (\/V\w+) Do Q\n/.exec(layer)?.[1];
    return name === undefined ? rest : rest.replace(new RegExp(`${name} \\d+ 0 R`), '');
  }, resources);
}

const ROLES: readonly LayerRole[] = ['Body', 'Watermark', 'Header', 'NumberedHeader', 'Footer'];

function roleNamed(name: string | undefined): LayerRole {
  return ROLES.find((role) => role === name) ?? 'Body';
}

/** Adds forms to the XObjects of a resource dictionary. */
function withForms(resources: string, forms: string): string {
  if (forms === '') return resources;
  if (resources.includes('/XObject<<')) {
    return resources.replace('/XObject<<', `/XObject<<${forms}`);
  }
  return `${resources.slice(0, -2)}/XObject<<${forms}>>>>`;
}

/**
 * The annotations as direct objects. In a tagged document they are indirect, because its structure
 * refers to them.
 */
function inlined(source: PdfSource, annotations: string): string {
  const [objects = ''] = /^(?:\d+ 0 R ?)*/.exec(annotations) ?? [];
  const links = referencesIn(objects)
    .map((number) => source.text(number).replace(/\/StructParent \d+/, ''))
    // Signature fields are left out, because a signature covers only its original file.
    .filter((annotation) => annotation.includes('/Subtype/Link'));
  return links.join('') + annotations.slice(objects.length);
}

/** Replaces named destinations by explicit ones, because documents may use the same name. */
function explicitLinks(attachment: Attachment, annotations: string): string {
  if (!annotations.includes('/Dest(') && !annotations.includes('/Dest<')) return annotations;
  return annotations.replaceAll(NAMED_DESTINATION, (_, name: string) => {
    const place = attachment.places.get(name);
    return place === undefined ? '' : `/Dest[${place}]`;
  });
}

/** The named destinations of a document: the place in the syntax of the file, by name. */
function namedPlaces(catalog: string): Map<string, string> {
  const names = arrayOf(catalog, 'Names') ?? '';
  return new Map(
    Array.from(names.matchAll(NAMED_PLACE), (match) => [match[1] ?? '', match[2] ?? ''] as const),
  );
}

/** The outline of the source in the syntax of the new file, level by level. */
function outlineOf(attachment: Attachment, copier: ObjectCopier): OutlineSyntax[] {
  const root = referenceOf(attachment.catalog, 'Outlines');
  if (root === null) return [];
  return outlineLevel(attachment, copier, referenceOf(attachment.source.text(root), 'First'), 0);
}

const OUTLINE_DEPTH_MAX = 16;

function outlineLevel(
  attachment: Attachment,
  copier: ObjectCopier,
  first: number | null,
  depth: number,
): OutlineSyntax[] {
  if (depth > OUTLINE_DEPTH_MAX) return [];
  const entries: OutlineSyntax[] = [];
  let next = first;
  while (next !== null) {
    const text = attachment.source.text(next);
    const title = TITLE.exec(text)?.[1];
    entries.push({
      title: title ?? textString(''),
      place: copier.map(`[${arrayOf(text, 'Dest') ?? ''}]`),
      expanded: integerOf(text, 'Count') > 0,
      children: outlineLevel(attachment, copier, referenceOf(text, 'First'), depth + 1),
    });
    next = referenceOf(text, 'Next');
  }
  return entries;
}
