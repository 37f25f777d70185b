import assert from 'node:assert';
import { entryAt } from '../../errors.ts';
import type { MetadataOption, SignaturePlace, WatermarkOption } from '../job.ts';
import type {
  Item,
  LaidOutDocument,
  LinkArea,
  OverlayPart,
  Page,
  PageSize,
} from '../model/frame.ts';
import type { CompiledTemplate } from '../model/nodes.ts';
import { archiveClaims, archiveInfo } from './archive/archive.ts';
import { writeFiles } from './archive/files.ts';
import { FileBuffers, PdfFile } from './file.ts';
import type { Metadata } from './metadata.ts';
import { metadataOf, writeInfo, writeXmp } from './metadata.ts';
import { Painter } from './painter.ts';
import { Deflater } from './deflate/deflater.ts';
import { DocumentResources } from './resources.ts';
import { ByteSink } from './sink.ts';
import type { OutlineSyntax } from './navigation.ts';
import { destinationNames, linkAnnotation, outlineSyntax, writeOutline } from './navigation.ts';
import { fillByteRange, type SignatureLook, writeSignature } from './signature.ts';
import type { TemplateFile } from './template-file.ts';
import { dateString, decimal, reference, textString } from './syntax.ts';
import type { PageTags } from './tags/structure.ts';
import { Structure } from './tags/structure.ts';
import { watermarkItems } from './watermark.ts';

const deflater = new Deflater();
/** Smaller content is not deflated: a stream takes too much time for the bytes saved. */
const DEFLATE_BYTES_MIN = 384;

/** Adds a content stream with these entries and /Length, its data deflated for speed. */
function addContent(file: PdfFile, entries: string, content: Uint8Array): number {
  if (!file.compresses || content.length < DEFLATE_BYTES_MIN)
    return file.addStream(entries, content);
  return file.addStream(`${entries}/Filter/FlateDecode`, deflater.deflate(content));
}

const encoder = new TextEncoder();
/** How artifacts of each type begin: content that is no part of the text (§14.8.2.2.2). */
const ARTIFACT_BEGINNINGS = {
  Pagination: encoder.encode('/Artifact<</Type/Pagination>>BDC\n'),
  Layout: encoder.encode('/Artifact<</Type/Layout>>BDC\n'),
  Watermark: encoder.encode('/Artifact<</Type/Pagination/Subtype/Watermark>>BDC\n'),
} as const;
type ArtifactType = keyof typeof ARTIFACT_BEGINNINGS;

const fileBuffers = new FileBuffers(1 << 20);
/** Holds the content stream being painted. */
export const contentSink = new ByteSink(1 << 17);

/** Pages of other documents that follow the new ones; merge/merge.ts copies them. */
export interface AttachedPages {
  /** The pages of all attachments together. */
  readonly sizes: readonly PageSize[];
  /**
   * Copies them into the file and gives the numbers of their page objects and their outlines.
   * `overlay` makes the form XObjects to draw over page `pageIndex` of the merged document.
   */
  readonly append: (
    file: PdfFile,
    parent: number,
    atMs: number,
    firstIndex: number,
    overlay: (pageIndex: number, widthPt: number, heightPt: number) => AttachedOverlay[],
  ) => { pages: number[]; outline: OutlineSyntax[] };
}

/** One layer to draw over an attached page. */
export interface AttachedOverlay {
  readonly role: LayerRole;
  /** Form XObject with its own resources, in the page's upright space, y up from its foot. */
  readonly form: number;
}

/** Role of each content stream of a page; kept in the page for a later merge. */
export type LayerRole = 'Body' | 'Watermark' | 'Header' | 'NumberedHeader' | 'Footer';

export interface WriteRequest {
  readonly template: CompiledTemplate;
  readonly file: TemplateFile;
  readonly document: LaidOutDocument;
  readonly attached: AttachedPages | null;
  readonly watermark: WatermarkOption | null;
  readonly metadata: MetadataOption | null;
  readonly atMs: number;
  /** Bytes to reserve for a signature; null: none follows. */
  readonly signatureBytes: number | null;
}

export interface WrittenDocument {
  /** Valid until the next document is written. */
  readonly pdf: Uint8Array;
  readonly pages: number;
  /** Where the signature goes, or null. */
  readonly signature: SignaturePlace | null;
  /** A box stands where no font has the character. */
  readonly showsMissingGlyph: boolean;
}

/** Writes the document; the next one overwrites its bytes. The same request gives the same bytes. */
export function writeDocument(request: WriteRequest): WrittenDocument {
  deflater.begin();
  const writer = new DocumentWriter(request);
  return writer.write();
}

class DocumentWriter {
  readonly #request: WriteRequest;
  readonly #file: PdfFile;
  readonly #resources: DocumentResources;
  readonly #ownResources: number;
  readonly #painter: Painter;
  readonly #pageCount: number;
  /** Streams of items that several pages share. */
  readonly #shared = new Map<readonly Item[], number>();
  readonly #layerLists = new Map<string, number>();
  /** null: the document is not tagged. */
  readonly #structure: Structure | null;
  readonly #pageObjects: number[] = [];
  /** The signature's field; null: no signature follows. */
  #widget: number | null = null;

  constructor(request: WriteRequest) {
    assert(request.document.pages.length > 0, 'a document has a page');
    for (const { widthPt, heightPt } of request.document.pages) {
      assert(widthPt > 0 && heightPt > 0, 'a page has a size');
    }
    this.#request = request;
    this.#file = PdfFile.from(request.file.prefix, fileBuffers);
    this.#resources = new DocumentResources(this.#file, request.file.resources);
    this.#ownResources = this.#file.reserve();
    this.#painter = new Painter(
      contentSink,
      request.file.fonts,
      this.#resources,
      this.#ownResources,
    );
    this.#structure = request.template.profile.isTagged ? new Structure() : null;
    this.#pageCount = request.document.pages.length + (request.attached?.sizes.length ?? 0);
  }

  write(): WrittenDocument {
    const { document, file, attached, atMs } = this.#request;
    const metadata = this.#metadata();
    const tree = this.#file.reserve();
    const signs = this.#request.signatureBytes !== null;
    this.#widget = signs ? this.#file.reserve() : null;
    for (const _ of document.pages) this.#pageObjects.push(this.#file.reserve());
    const layers = document.pages.map((page, index) => this.#layers(page, index));
    const foreign = attached?.append(
      this.#file,
      tree,
      atMs,
      document.pages.length,
      (index, width, height) => this.#attachedLayers(index, width, height),
    ) ?? { pages: [], outline: [] };
    document.pages.forEach((page, index) => this.#page(page, index, tree, layers[index] ?? []));
    const all = [...this.#pageObjects, ...foreign.pages];
    this.#file.object(
      tree,
      `<</Type/Pages/Count ${all.length}/Kids[${all.map(reference).join(' ')}]>>`,
    );
    const signed = this.#sign();
    const catalog = this.#catalog(tree, foreign.outline, metadata, signed?.form ?? '');
    const info = writeInfo(this.#file, metadata, atMs);
    this.#resources.finish(this.#ownResources);
    const pdf = this.#file.finish(catalog, info, file.prefix.bytes.length);
    const at = (number: number): number => this.#file.offsetOf(number);
    const signature =
      signed === null ? null : fillByteRange(pdf, at(signed.dictionary), at(catalog));
    const { showsMissingGlyph } = this.#resources;
    return { pdf, pages: all.length, signature, showsMissingGlyph };
  }

  /** The signature with its field; null where no signature follows. */
  #sign(): ReturnType<typeof writeSignature> | null {
    const { signatureBytes: bytes, atMs } = this.#request;
    const widget = this.#widget;
    if (bytes === null || widget === null) return null;
    const index = this.#widgetPage;
    const page = entryAt(this.#pageObjects, index);
    const structParent = this.#structure?.form(index, widget, this.#pageObjects.length) ?? null;
    const look = this.#signatureLook();
    return writeSignature(this.#file, { page, bytes, atMs, widget, structParent, look });
  }

  /** Index of the page with the signature's field: the first page if the field is invisible. */
  get #widgetPage(): number {
    return this.#request.document.signature?.pageIndex ?? 0;
  }

  /** Draws what the field of the signature shows; null: it is invisible. */
  #signatureLook(): SignatureLook | null {
    const { document } = this.#request;
    const appearance = document.signature;
    if (appearance === null) return null;
    const { items, widthPt, heightPt } = appearance;
    // Screen readers speak the name of the field, which says what the field draws.
    const artifact: ArtifactType | null = this.#structure === null ? null : 'Layout';
    const form = this.#form(items, widthPt, heightPt, artifact);
    const { heightPt: pageHeightPt } = entryAt(document.pages, appearance.pageIndex);
    return { appearance, form, pageHeightPt };
  }

  /** A form XObject with the fonts and images of the document. */
  #form(
    items: readonly Item[],
    widthPt: number,
    heightPt: number,
    artifact: ArtifactType | null,
  ): number {
    const begin = artifact === null ? null : ARTIFACT_BEGINNINGS[artifact];
    return addContent(
      this.#file,
      `/Type/XObject/Subtype/Form/BBox[0 0 ${decimal(widthPt)} ${decimal(heightPt)}]` +
        `/Resources ${reference(this.#ownResources)}`,
      this.#painter.paint(items, heightPt, false, null, begin),
    );
  }

  #metadata(): Metadata {
    const { document, metadata, template } = this.#request;
    const given = metadataOf(document.info, metadata);
    // A tagged document has a title, which readers show (ISO 14289-1, 7.1).
    const titled = template.profile.isTagged
      ? { ...given, title: given.title || template.name || template.templateId, isGiven: true }
      : given;
    return template.profile.kind === 'plain' ? titled : archiveInfo(titled);
  }

  /** The content streams of a page of this document, not an attached one, in painting order. */
  #layers(page: Page, index: number): Layer[] {
    const { document, watermark, template } = this.#request;
    const tags = this.#structure?.page(index) ?? null;
    const body = this.#content(page.body, page.heightPt, null, tags);
    const layers: Layer[] = [{ role: 'Body', stream: body, links: page.links }];
    if (watermark !== null) {
      const items = watermarkItems(template, watermark, page.widthPt, page.heightPt);
      const stream = this.#content(items, page.heightPt, 'Watermark');
      layers.push({ role: 'Watermark', stream, links: [] });
    }
    const parts = document.overlay({
      pageIndex: index,
      pageCount: this.#pageCount,
      widthPt: page.widthPt,
      heightPt: page.heightPt,
      attached: false,
    });
    for (const part of parts) {
      const stream = this.#sharedContent(part.items, page.heightPt);
      layers.push({ role: roleOf(part), stream, links: part.links });
    }
    return layers;
  }

  #sharedContent(items: readonly Item[], heightPt: number): number {
    const known = this.#shared.get(items);
    if (known !== undefined) return known;
    const stream = this.#content(items, heightPt, 'Pagination');
    this.#shared.set(items, stream);
    return stream;
  }

  /** Paints and deflates; headers and footers are marked as artifacts (§14.8.2.2). */
  #content(
    items: readonly Item[],
    heightPt: number,
    artifact: ArtifactType | null,
    tags: PageTags | null = null,
  ): number {
    const begin = artifact === null ? null : ARTIFACT_BEGINNINGS[artifact];
    return addContent(this.#file, '', this.#painter.paint(items, heightPt, true, tags, begin));
  }

  /** Layers drawn over an attached page, as forms: its own resources stay as they are. */
  #attachedLayers(index: number, widthPt: number, heightPt: number): AttachedOverlay[] {
    const { document, watermark, template } = this.#request;
    const overlays: AttachedOverlay[] = [];
    const form = (role: LayerRole, items: readonly Item[], artifact: ArtifactType | null): void => {
      if (items.length === 0) return;
      overlays.push({ role, form: this.#form(items, widthPt, heightPt, artifact) });
    };
    if (watermark !== null) {
      form('Watermark', watermarkItems(template, watermark, widthPt, heightPt), 'Watermark');
    }
    const parts = document.overlay({
      pageIndex: index,
      pageCount: this.#pageCount,
      widthPt,
      heightPt,
      attached: true,
    });
    for (const part of parts) form(roleOf(part), part.items, 'Pagination');
    return overlays;
  }

  #page(page: Page, index: number, parent: number, layers: readonly Layer[]): void {
    const links = layers.flatMap((layer) => layer.links);
    const own = this.#annotations(links, page, index);
    const hasWidget = this.#widget !== null && index === this.#widgetPage;
    const widget = hasWidget && this.#widget !== null ? `${reference(this.#widget)} ` : '';
    const annotations = `${widget}${own}`.trimEnd();
    const contents = layers.map((layer) => reference(layer.stream)).join(' ');
    this.#file.object(
      entryAt(this.#pageObjects, index),
      `<</Type/Page/Parent ${reference(parent)}` +
        `/MediaBox[0 0 ${decimal(page.widthPt)} ${decimal(page.heightPt)}]` +
        `/Resources ${reference(this.#ownResources)}/Contents[${contents}]` +
        `/PieceInfo ${reference(this.#layerList(layers))}` +
        (annotations === '' ? '' : `/Annots[${annotations}]`) +
        `${this.#structure === null ? '' : `/StructParents ${index}/Tabs/S`}>>`,
    );
  }

  /** The page's links; in a tagged document each is an object that the structure refers to. */
  #annotations(links: readonly LinkArea[], page: Page, index: number): string {
    const structure = this.#structure;
    if (structure === null) {
      return links.map((link) => linkAnnotation(link, page.heightPt, this.#pageObjects)).join('');
    }
    const references = links.map((link) => {
      const number = this.#file.reserve();
      const key = structure.link(link.element ?? null, index, number, this.#pageObjects.length);
      this.#file.object(number, linkAnnotation(link, page.heightPt, this.#pageObjects, key));
      return reference(number);
    });
    return references.join(' ');
  }

  /**
   * Roles of a page's content streams as page-piece data (§14.5), shared by pages with the same
   * roles.
   */
  #layerList(layers: readonly Layer[]): number {
    const roles = layers.map((layer) => `/${layer.role}`).join('');
    return layerListObject(this.#file, this.#layerLists, roles, this.#request.atMs);
  }

  #catalog(
    tree: number,
    attachedOutline: readonly OutlineSyntax[],
    metadata: Metadata,
    form: string,
  ): number {
    const { document, file, atMs } = this.#request;
    const claims = archiveClaims(this.#request.template, document.files);
    const xmp = metadata.isGiven
      ? `/Metadata ${reference(writeXmp(this.#file, metadata, atMs, claims))}`
      : '';
    // Readers show the title instead of the file's name (§12.2).
    const viewer = metadata.title === '' ? '' : '/ViewerPreferences<</DisplayDocTitle true>>';
    const targets = document.pages.map((page, index) => ({
      object: entryAt(this.#pageObjects, index),
      heightPt: page.heightPt,
    }));
    const outline = writeOutline(this.#file, [
      ...outlineSyntax(document.outline, targets),
      ...attachedOutline,
    ]);
    const files = writeFiles(this.#file, document.files, atMs);
    const dests = destinationNames(document.destinations, targets);
    const allNames = dests + files.names;
    const names = `${allNames === '' ? '' : `/Names<<${allNames}>>`}${files.catalog}`;
    return this.#file.add(
      `<</Type/Catalog/Pages ${reference(tree)}/Lang${textString(document.language)}` +
        `${file.catalog}${xmp}${viewer}${outline}${names}${form}` +
        `${this.#structure?.write(this.#file, this.#pageObjects) ?? ''}>>`,
    );
  }
}

interface Layer {
  readonly role: LayerRole;
  readonly stream: number;
  readonly links: readonly LinkArea[];
}

function roleOf(part: OverlayPart): LayerRole {
  if (part.role === 'footer') return 'Footer';
  return part.numbered ? 'NumberedHeader' : 'Header';
}

/** The page-piece dictionary that names a page's layers; one object for each list of roles. */
export function layerListObject(
  file: PdfFile,
  known: Map<string, number>,
  roles: string,
  atMs: number,
): number {
  const existing = known.get(roles);
  if (existing !== undefined) return existing;
  const changed = `/LastModified${dateString(atMs)}`;
  const number = file.add(`<</Intaglio<<${changed}/Private[${roles}]>>>>`);
  known.set(roles, number);
  return number;
}
