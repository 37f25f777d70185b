import type { Cos, Dictionary } from './cos.ts';
import { isDictionary, Name, PdfString } from './cos.ts';
import type { Fact, PdfDocument } from './file.ts';
import { isUtf8 } from './fonts.ts';
import { tableFacts } from './tables.ts';

/** Types of ISO 32000-1 §14.8.4. */
// prettier-ignore
const STANDARD = new Set([
  'Document', 'Part', 'Art', 'Sect', 'Div', 'BlockQuote', 'Caption', 'TOC', 'TOCI', 'Index',
  'NonStruct', 'Private', 'P', 'H', 'H1', 'H2', 'H3', 'H4', 'H5', 'H6', 'L', 'LI', 'Lbl', 'LBody',
  'Table', 'TR', 'TH', 'TD', 'THead', 'TBody', 'TFoot', 'Span', 'Quote', 'Note', 'Reference',
  'BibEntry', 'Code', 'Link', 'Annot', 'Ruby', 'RB', 'RT', 'RP', 'Warichu', 'WT', 'WP', 'Figure',
  'Formula', 'Form',
]);

/** A structure element with what the rules need of it. */
export interface StructElement {
  readonly dictionary: Dictionary;
  readonly type: string;
  readonly parent: StructElement | null;
  readonly kids: StructElement[];
  /** Marked content and annotations, in order with the kids. */
  readonly leaves: (StructElement | Leaf)[];
  readonly lang: string | null;
}

export type Leaf =
  | { readonly kind: 'mcid'; readonly page: Cos; readonly mcid: number }
  | { readonly kind: 'object'; readonly object: Cos };

export interface Structure {
  readonly root: readonly StructElement[];
  /** Elements in document order. */
  readonly elements: readonly StructElement[];
  /** Whether marked content of a page is in the tree. */
  isTagged(page: Cos, mcid: number): boolean;
  /** The element that contains an annotation. */
  parentOf(annotation: Cos): StructElement | null;
}

/** Reads the structure tree; without one, nothing is tagged. */
export function readStructure(document: PdfDocument, facts: Fact[]): Structure {
  const tree = document.get(document.catalog, 'StructTreeRoot');
  const elements: StructElement[] = [];
  const roles = document.get(tree, 'RoleMap');
  const root = kidsOf(document, tree).flatMap((kid) => {
    const found = readElement(document, kid, null, null, roles, elements, 0);
    return found === null ? [] : [found];
  });
  const marked = new Map<Cos, Set<number>>();
  const objects = new Map<Cos, StructElement>();
  for (const element of elements) {
    for (const leaf of element.leaves) {
      if (!('kind' in leaf)) continue;
      if (leaf.kind === 'object') objects.set(leaf.object, element);
      else {
        const page = marked.get(leaf.page) ?? new Set();
        marked.set(leaf.page, page.add(leaf.mcid));
      }
    }
  }
  const parents = new ParentTree(document, tree);
  for (const element of elements) facts.push(...elementFacts(document, element, roles));
  facts.push(...headingFacts(document, elements), ...noteFacts(document, elements));
  for (const element of elements) {
    if (element.type === 'Table') facts.push(...tableFacts(document, element));
  }
  return {
    root,
    elements,
    // Both ways must agree: the tree leads to the content, the parent tree back.
    isTagged: (page, mcid) =>
      (marked.get(page)?.has(mcid) ?? false) && parents.hasContent(page, mcid),
    parentOf: (annotation) => {
      const element = objects.get(annotation) ?? null;
      return element !== null && parents.of(annotation) === element.dictionary ? element : null;
    },
  };
}

/** The number tree from content back to elements (§14.7.4.4). */
class ParentTree {
  readonly #document: PdfDocument;
  readonly #entries = new Map<number, Cos>();

  constructor(document: PdfDocument, root: Cos) {
    this.#document = document;
    const walk = (node: Cos, depth: number): void => {
      const numbers = document.listAt(node, 'Nums');
      for (let index = 0; index + 1 < numbers.length; index += 2) {
        this.#entries.set(Number(numbers[index]), document.resolve(numbers[index + 1]));
      }
      if (depth < 16) for (const kid of document.listAt(node, 'Kids')) walk(kid, depth + 1);
    };
    walk(document.get(root, 'ParentTree'), 0);
  }

  hasContent(page: Cos, mcid: number): boolean {
    const key = this.#document.numberAt(page, 'StructParents');
    const list = key === null ? null : (this.#entries.get(key) ?? null);
    return Array.isArray(list) && isDictionary(this.#document.resolve(list[mcid]));
  }

  of(annotation: Cos): Cos {
    const key = this.#document.numberAt(annotation, 'StructParent');
    return key === null ? null : (this.#entries.get(key) ?? null);
  }
}

function kidsOf(document: PdfDocument, holder: Cos): readonly Cos[] {
  const kids = document.get(holder, 'K');
  if (Array.isArray(kids)) return kids;
  return kids === null ? [] : [kids];
}

/** The type after the role map (§14.7.3). */
function standardType(document: PdfDocument, type: string, roles: Cos): string {
  let at = type;
  for (let step = 0; step < 16 && !STANDARD.has(at); step++) {
    at = document.nameAt(roles, at) ?? at;
  }
  return at;
}

function readElement(
  document: PdfDocument,
  source: Cos,
  parent: StructElement | null,
  page: Cos,
  roles: Cos,
  all: StructElement[],
  depth: number,
): StructElement | null {
  const dictionary = document.resolve(source);
  if (!isDictionary(dictionary) || depth > 64) return null;
  const own = document.get(dictionary, 'Pg') ?? page;
  const lang = document.textAt(dictionary, 'Lang') ?? parent?.lang ?? null;
  const type = standardType(document, document.nameAt(dictionary, 'S') ?? '', roles);
  const element: StructElement = { dictionary, type, parent, kids: [], leaves: [], lang };
  all.push(element);
  for (const kid of kidsOf(document, dictionary)) {
    const found = document.resolve(kid);
    if (typeof found === 'number') {
      element.leaves.push({ kind: 'mcid', page: own, mcid: found });
    } else if (document.nameAt(found, 'Type') === 'MCR') {
      const mcid = document.numberAt(found, 'MCID') ?? -1;
      element.leaves.push({ kind: 'mcid', page: document.get(found, 'Pg') ?? own, mcid });
    } else if (document.nameAt(found, 'Type') === 'OBJR') {
      element.leaves.push({ kind: 'object', object: document.get(found, 'Obj') });
    } else {
      const inner = readElement(document, found, element, own, roles, all, depth + 1);
      if (inner === null) continue;
      element.kids.push(inner);
      element.leaves.push(inner);
    }
  }
  return element;
}

const TYPES: Readonly<Record<string, string>> = {
  TR: 'SETR',
  TH: 'SETH',
  TD: 'SETD',
  THead: 'SETHead',
  TBody: 'SETBody',
  TFoot: 'SETFoot',
  L: 'SEL',
  LI: 'SELI',
  LBody: 'SELBody',
  TOC: 'SETOC',
  TOCI: 'SETOCI',
  Figure: 'SEFigure',
  Formula: 'SEFormula',
};

/** Where an element stands: its page if it names one, what it is, and its object. */
export function placeOf(
  document: PdfDocument,
  { dictionary, type, parent }: StructElement,
): string {
  const what = `structure, ${type} in ${parent?.type ?? 'the root'}`;
  return document.place(what, dictionary, document.get(dictionary, 'Pg'));
}

function elementFacts(document: PdfDocument, element: StructElement, roles: Cos): Fact[] {
  const { dictionary, type, parent, kids } = element;
  const where = placeOf(document, element);
  const text = (key: string): string | null => document.textAt(dictionary, key);
  const kidsStandardTypes = kids.map((kid) => kid.type).join('&');
  const named = document.nameAt(dictionary, 'S') ?? '';
  const mapped = document.nameAt(roles, named);
  const remapped = STANDARD.has(named) && mapped !== null ? mapped : null;
  const isCircular = isInCircle(document, named, roles);
  const properties = {
    containsParent: isParent(document, dictionary, parent),
    kidsStandardTypes,
    parentStandardType: parent?.type ?? null,
    ActualText: text('ActualText'),
    Alt: text('Alt'),
    E: text('E'),
    containsLang: dictionary.has('Lang'),
    parentLang: parent?.lang ?? null,
    gContainsCatalogLang: document.has(document.catalog, 'Lang'),
    circularMappingExist: isCircular,
    remappedStandardType: remapped,
    isNotMappedToStandardType: !STANDARD.has(type),
  };
  const facts: Fact[] = [
    { type: 'PDStructElem', where, properties },
    { type: 'CosUnicodeName', where, properties: { isValidUtf8: isUtf8(named) } },
  ];
  if (!STANDARD.has(named) || remapped !== null) {
    facts.push({ type: 'SENonStandard', where, properties });
  }
  const own = TYPES[type];
  if (own !== undefined && own !== 'SETD') facts.push({ type: own, where, properties });
  // Cells in a row are checked with their table; this one is in no row.
  if (own === 'SETD' && parent?.type !== 'TR') {
    const alone = { ...properties, hasConnectedHeader: true, unknownHeaders: '' };
    facts.push({ type: own, where, properties: alone });
  }
  const lang = text('Lang');
  if (lang !== null) facts.push({ type: 'CosLang', where, properties: { unicodeValue: lang } });
  return facts;
}

function isParent(
  document: PdfDocument,
  dictionary: Dictionary,
  parent: StructElement | null,
): boolean {
  const found = document.get(dictionary, 'P');
  if (parent !== null) return found === parent.dictionary;
  return found !== null && found === document.get(document.catalog, 'StructTreeRoot');
}

function isInCircle(document: PdfDocument, type: string, roles: Cos): boolean {
  let at: string | null = document.nameAt(roles, type);
  for (let step = 0; at !== null && step < 64; step++) {
    if (at === type) return true;
    at = document.nameAt(roles, at);
  }
  return false;
}

/** Levels of headings: H1 first, none skipped on the way down (ISO 14289-1, 7.4.2). */
function headingFacts(document: PdfDocument, elements: readonly StructElement[]): Fact[] {
  const facts: Fact[] = [];
  const usesH = elements.some(({ type }) => type === 'H');
  const usesHn = elements.some(({ type }) => /^H\d$/.test(type));
  let before = 0;
  for (const element of elements) {
    const { type } = element;
    const where = placeOf(document, element);
    if (type === 'H') facts.push({ type: 'SEH', where, properties: { usesHn } });
    if (!/^H\d$/.test(type)) continue;
    const level = Number(type.slice(1));
    facts.push({
      type: 'SEHn',
      where,
      properties: { hasCorrectNestingLevel: level <= before + 1, usesH },
    });
    before = level;
  }
  return facts;
}

function noteFacts(document: PdfDocument, elements: readonly StructElement[]): Fact[] {
  const ids = new Set<string>();
  return elements
    .filter(({ type }) => type === 'Note')
    .map((element) => {
      const { dictionary } = element;
      const noteID = document.textAt(dictionary, 'ID');
      const hasDuplicateNoteID = noteID !== null && ids.has(noteID);
      if (noteID !== null) ids.add(noteID);
      return {
        type: 'SENote',
        where: placeOf(document, element),
        properties: { noteID, hasDuplicateNoteID },
      };
    });
}

/** The attribute of a structure element, whoever owns it (§14.7.5). */
export function attributeOf(document: PdfDocument, element: StructElement, key: string): Cos {
  const attributes = document.get(element.dictionary, 'A');
  for (const one of Array.isArray(attributes) ? attributes : [attributes]) {
    const found = document.get(one, key);
    if (found !== null) return found;
  }
  return null;
}

/** Names or strings of an attribute that is one or a list of them. */
export function wordsOf(value: Cos): string[] {
  const list = Array.isArray(value) ? value : [value];
  return list.flatMap((one) =>
    one instanceof PdfString ? [one.text] : one instanceof Name ? [one.value] : [],
  );
}
