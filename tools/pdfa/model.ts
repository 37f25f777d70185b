import type { Cos, Dictionary } from './cos.ts';
import { isDictionary, isStream, Name, PdfString, Reference } from './cos.ts';
import { ContentReader } from './content.ts';
import { readSignedData } from './der.ts';
import type { Fact } from './file.ts';
import { PdfDocument } from './file.ts';
import type { Structure } from './structure.ts';
import { placeOf, readStructure } from './structure.ts';
import { readXmp } from './xmp.ts';

/** A file as the rules see it. */
export interface Model {
  readonly document: PdfDocument;
  readonly facts: readonly Fact[];
  readonly structure: Structure;
  /** Metadata by namespace and name. */
  readonly metadata: ReadonlyMap<string, string>;
  /** Text by page and marked-content identifier. */
  readonly texts: ReadonlyMap<Cos, ReadonlyMap<number, string>>;
}

/** Reads a file into the objects of the rules' model. */
export function readModel(bytes: Uint8Array): Model {
  const document = new PdfDocument(bytes);
  const facts = [...document.facts];
  const { catalog } = document;
  const outputSpace = outputFacts(document, facts);
  const lang = document.textAt(catalog, 'Lang');
  const metadata = document.get(catalog, 'Metadata');
  const isMetadata =
    document.nameAt(metadata, 'Type') === 'Metadata' &&
    document.nameAt(metadata, 'Subtype') === 'XML';
  const xmp = isStream(metadata) ? readXmp(document.data(metadata), lang !== null) : null;
  facts.push(...(xmp?.facts ?? []));
  if (lang !== null) {
    const where = document.place('catalog', catalog);
    facts.push({ type: 'CosLang', where, properties: { unicodeValue: lang } });
  }
  const names = document.get(catalog, 'Names');
  facts.push({
    type: 'PDDocument',
    where: document.place('catalog', catalog),
    properties: {
      containsMetadata: isMetadata,
      containsAA: document.has(catalog, 'AA'),
      containsAlternatePresentations: document.has(names, 'AlternatePresentations'),
      containsStructTreeRoot: document.has(catalog, 'StructTreeRoot'),
    },
  });
  const structure = readStructure(document, facts);
  const spellings = document.facts.length;
  const reader = new ContentReader(document, facts, outputSpace);
  const texts = new Map<Cos, ReadonlyMap<number, string>>();
  document.pages.forEach((page, index) => {
    pageFacts(document, page, index, structure, reader, outputSpace, facts);
    texts.set(page, new Map(reader.texts));
  });
  outlineFacts(document, facts);
  formFacts(document, facts);
  formElementFacts(document, structure, facts);
  fileFacts(document, facts);
  // Content streams, which were read since, have facts about spelling, too.
  facts.push(...document.facts.slice(spellings));
  return { document, facts, structure, metadata: xmp?.values ?? new Map(), texts };
}

/** Records the output intents; returns the colour space of the one for PDF/A. */
function outputFacts(document: PdfDocument, facts: Fact[]): string | null {
  const intents = document.get(document.catalog, 'OutputIntents');
  if (!Array.isArray(intents)) return null;
  let space: string | null = null;
  const profiles = new Set<number | Cos>();
  for (const intent of intents) {
    const owner = document.resolve(intent);
    const where = document.place('output intent', owner);
    const S = document.nameAt(owner, 'S');
    const named = isDictionary(owner) ? owner.get('DestOutputProfile') : null;
    if (named instanceof Reference) profiles.add(named.number);
    else if (named !== undefined) profiles.add(named);
    const containsDestOutputProfileRef = document.has(owner, 'DestOutputProfileRef');
    facts.push({ type: 'PDOutputIntent', where, properties: { S, containsDestOutputProfileRef } });
    const profile = document.resolve(named ?? null);
    if (!isStream(profile)) continue;
    const data = Buffer.from(document.data(profile));
    const colorSpace = data.toString('latin1', 16, 20);
    if (S === 'GTS_PDFA1') space = colorSpace;
    facts.push({
      type: 'ICCOutputProfile',
      where,
      properties: {
        deviceClass: data.toString('latin1', 12, 16),
        colorSpace,
        version: (data[8] ?? 0) + ((data[9] ?? 0) >> 4) / 10,
      },
    });
  }
  const sameOutputProfileIndirect = profiles.size <= 1;
  facts.push({
    type: 'OutputIntents',
    where: 'catalog',
    properties: { sameOutputProfileIndirect },
  });
  return space;
}

const BOXES = ['MediaBox', 'CropBox', 'BleedBox', 'TrimBox', 'ArtBox'];

/** Corners of a page's box; the first two kinds are inherited from the nodes above the page. */
function boxOf(document: PdfDocument, page: Dictionary, key: string): readonly number[] {
  const isInherited = key === 'MediaBox' || key === 'CropBox';
  const box = isInherited ? document.inherited(page, key) : document.get(page, key);
  return Array.isArray(box) ? box.map((corner) => Number(document.resolve(corner))) : [];
}

function pageFacts(
  document: PdfDocument,
  page: Dictionary,
  index: number,
  structure: Structure,
  reader: ContentReader,
  gOutputCS: string | null,
  facts: Fact[],
): void {
  const where = `page ${index + 1}, object ${document.numberOf(page)}`;
  for (const key of BOXES) {
    const [left, bottom, right, top] = boxOf(document, page, key);
    if (top === undefined) continue;
    facts.push({ type: 'CosBBox', where, properties: { left, bottom, right, top } });
  }
  reader.hasTransparency = false;
  reader.page(page, where, (mcid) => structure.isTagged(page, mcid));
  const annotations = document.listAt(page, 'Annots');
  for (const annotation of annotations) {
    const found = document.resolve(annotation);
    const place = document.place('annotation', found, page);
    annotationFacts(document, found, structure, place, facts);
    const appearance = document.get(document.get(annotation, 'AP'), 'N');
    if (isStream(appearance)) reader.form(appearance, where);
  }
  facts.push({
    type: 'PDPage',
    where,
    properties: {
      containsAA: document.has(page, 'AA'),
      containsPresSteps: document.has(page, 'PresSteps'),
      containsAnnotations: annotations.length > 0,
      Tabs: document.nameAt(page, 'Tabs'),
      gOutputCS,
      containsGroupCS: document.has(document.get(page, 'Group'), 'CS'),
      containsTransparency: reader.hasTransparency,
    },
  });
}

function annotationFacts(
  document: PdfDocument,
  annotation: Cos,
  structure: Structure,
  where: string,
  facts: Fact[],
): void {
  const [left = 0, bottom = 0, right = 0, top = 0] = document
    .listAt(annotation, 'Rect')
    .map(Number);
  const appearance = document.get(annotation, 'AP');
  const normal = document.get(appearance, 'N');
  const parent = structure.parentOf(annotation);
  const Subtype = document.nameAt(annotation, 'Subtype');
  const properties = {
    Subtype,
    F: document.numberAt(annotation, 'F'),
    width: right - left,
    height: top - bottom,
    AP: isDictionary(appearance) ? [...appearance.keys()].join('&') : null,
    N_type: isStream(normal) ? 'Stream' : isDictionary(normal) ? 'Dict' : null,
    FT: document.nameAt(annotation, 'FT'),
    containsAppearances: isDictionary(normal) && normal.size > 0,
    containsA: document.has(annotation, 'A'),
    containsAA: document.has(annotation, 'AA'),
    Contents: document.textAt(annotation, 'Contents'),
    Alt: parent === null ? null : document.textAt(parent.dictionary, 'Alt'),
    TU: document.textAt(annotation, 'TU'),
    containsLang: document.has(annotation, 'Lang'),
    gContainsCatalogLang: document.has(document.catalog, 'Lang'),
    isOutsideCropBox: false,
    structParentStandardType: parent?.type ?? null,
  };
  facts.push({ type: 'PDAnnot', where, properties });
  if (Subtype === 'Link') facts.push({ type: 'PDLinkAnnot', where, properties });
  if (Subtype === 'Widget') facts.push({ type: 'PDWidgetAnnot', where, properties });
  const action = document.get(annotation, 'A');
  if (action === null) return;
  const S = document.nameAt(action, 'S');
  facts.push({ type: 'PDAction', where, properties: { S } });
  const N = document.nameAt(action, 'N');
  if (S === 'Named') facts.push({ type: 'PDNamedAction', where, properties: { N } });
}

function outlineFacts(document: PdfDocument, facts: Fact[]): void {
  if (!document.has(document.catalog, 'Outlines')) return;
  const gContainsCatalogLang = document.has(document.catalog, 'Lang');
  const where = document.place('outlines', document.get(document.catalog, 'Outlines'));
  facts.push({ type: 'PDOutline', where, properties: { gContainsCatalogLang } });
}

/** The form of a signed file, and its signature. */
function formFacts(document: PdfDocument, facts: Fact[]): void {
  const form = document.get(document.catalog, 'AcroForm');
  if (form === null) return;
  facts.push({
    type: 'PDAcroForm',
    where: document.place('form', form),
    properties: {
      NeedAppearances: document.get(form, 'NeedAppearances'),
      containsXFA: document.has(form, 'XFA'),
      // Dynamic rendering is a matter of XFA, which must not exist at all.
      dynamicRender: document.has(form, 'XFA') ? 'required' : '',
    },
  });
  for (const field of document.listAt(form, 'Fields')) {
    facts.push({
      type: 'PDFormField',
      where: document.place('field of the form', document.resolve(field)),
      properties: {
        containsAA: document.has(field, 'AA'),
        TU: document.textAt(field, 'TU'),
        containsLang: document.has(field, 'Lang'),
        gContainsCatalogLang: document.has(document.catalog, 'Lang'),
      },
    });
    const value = document.get(field, 'V');
    if (value !== null) signatureFacts(document, value, facts);
  }
}

function formElementFacts(document: PdfDocument, structure: Structure, facts: Fact[]): void {
  for (const element of structure.elements) {
    const { type, leaves, dictionary } = element;
    if (type !== 'Form') continue;
    const hasOneInteractiveChild = leaves.length === 1 && 'kind' in (leaves[0] ?? {});
    const roleAttribute = document.has(dictionary, 'A') ? 'given' : null;
    facts.push({
      type: 'SEForm',
      where: placeOf(document, element),
      properties: { roleAttribute, hasOneInteractiveChild },
    });
  }
}

function signatureFacts(document: PdfDocument, signature: Cos, facts: Fact[]): void {
  const [start, before = 0, after = 0, rest = 0] = document
    .listAt(signature, 'ByteRange')
    .map(Number);
  const contents = document.get(signature, 'Contents');
  const text = Buffer.from(document.bytes).toString('latin1');
  // The first revision ends where the range ends; revisions after it add validation data.
  const end = after + rest;
  const isWhole =
    start === 0 &&
    text[before] === '<' &&
    text[after - 1] === '>' &&
    /%%EOF\r?\n?$/.test(text.slice(0, end)) &&
    contents instanceof PdfString &&
    contents.value.length * 2 === after - before - 2;
  const where = document.place('signature', signature);
  facts.push({
    type: 'PDSignature',
    where,
    properties: { doesByteRangeCoverEntireDocument: isWhole },
  });
  const cms = contents instanceof PdfString ? contents.value : '';
  const properties = { ...readSignedData(Buffer.from(cms, 'latin1')) };
  facts.push({ type: 'PKCSDataObject', where, properties });
}

/** Records file specifications and embedded files. */
function fileFacts(document: PdfDocument, facts: Fact[]): void {
  const associated = new Set<Cos>();
  for (const holder of document.objects.values()) {
    for (const file of document.listAt(holder, 'AF')) associated.add(document.resolve(file));
  }
  for (const [number, object] of document.objects) {
    if (!isDictionary(object) || !object.has('EF')) continue;
    const where = `object ${number}`;
    facts.push({
      type: 'CosFileSpecification',
      where,
      properties: {
        containsEF: true,
        F: document.textAt(object, 'F'),
        UF: document.textAt(object, 'UF'),
        AFRelationship: document.nameAt(object, 'AFRelationship'),
        isAssociatedFile: associated.has(object),
      },
    });
    const file = document.get(document.get(object, 'EF'), 'F');
    const subtype = document.get(file, 'Subtype');
    facts.push({
      type: 'EmbeddedFile',
      where,
      properties: {
        Subtype: subtype instanceof Name ? subtype.value : null,
        // No test embeds a PDF, so no embedded file is PDF/A of part 1 or 2.
        isValidPDFA12: false,
      },
    });
  }
}
