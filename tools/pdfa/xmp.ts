import { SaxesParser } from 'saxes';
import type { Fact } from './file.ts';

/** An element with its name resolved, as far as metadata needs it. */
export interface Element {
  readonly uri: string;
  readonly prefix: string;
  readonly local: string;
  readonly attributes: readonly {
    readonly uri: string;
    readonly prefix: string;
    readonly local: string;
    readonly value: string;
  }[];
  readonly children: Element[];
  text: string;
}

const RDF = 'http://www.w3.org/1999/02/22-rdf-syntax-ns#';
export const PDFA_ID = 'http://www.aiim.org/pdfa/ns/id/';
export const PDFUA_ID = 'http://www.aiim.org/pdfua/ns/id/';
const EXTENSION = 'http://www.aiim.org/pdfa/ns/extension/';
const SCHEMA = 'http://www.aiim.org/pdfa/ns/schema#';
const PROPERTY = 'http://www.aiim.org/pdfa/ns/property#';
const XMP = 'http://ns.adobe.com/xap/1.0/';
const PDF = 'http://ns.adobe.com/pdf/1.3/';
const DC = 'http://purl.org/dc/elements/1.1/';

type Kind = 'text' | 'date' | 'alternative' | 'sequence' | 'bag' | 'integer';

/** The predefined properties that this service writes or may write (XMP 2005, ISO 19005). */
const PREDEFINED: Readonly<Record<string, Kind>> = {
  [`${DC}format`]: 'text',
  [`${DC}title`]: 'alternative',
  [`${DC}description`]: 'alternative',
  [`${DC}creator`]: 'sequence',
  [`${DC}subject`]: 'bag',
  [`${DC}language`]: 'bag',
  [`${XMP}CreateDate`]: 'date',
  [`${XMP}ModifyDate`]: 'date',
  [`${XMP}MetadataDate`]: 'date',
  [`${XMP}CreatorTool`]: 'text',
  [`${PDF}Producer`]: 'text',
  [`${PDF}Keywords`]: 'text',
  [`${PDF}PDFVersion`]: 'text',
  [`${PDFA_ID}part`]: 'integer',
  [`${PDFA_ID}conformance`]: 'text',
  [`${PDFA_ID}amd`]: 'text',
  [`${PDFA_ID}corr`]: 'text',
};

/** The contents of the metadata, for comparisons with the rest of the file. */
export interface Metadata {
  readonly facts: readonly Fact[];
  /** Texts by namespace and name; the text of an array is that of its first item. */
  readonly values: ReadonlyMap<string, string>;
}

/** Reads a metadata stream. */
export function readXmp(bytes: Uint8Array, hasCatalogLang: boolean): Metadata {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
  const header = /<\?xpacket [^]*?\?>/.exec(text)?.[0] ?? '';
  const root = parseXml(text);
  const facts: Fact[] = [];
  const isUtf8 = Buffer.from(text).equals(bytes);
  facts.push({
    type: 'XMPPackage',
    where: 'metadata',
    properties: {
      bytes: /\bbytes=["']([^"']*)/.exec(header)?.[1] ?? null,
      encoding: /\bencoding=["']([^"']*)/.exec(header)?.[1] ?? null,
      isSerializationValid: root !== null && isUtf8 && findAll(root, RDF, 'RDF').length === 1,
      actualEncoding: isUtf8 ? 'UTF-8' : 'other',
    },
  });
  const values = new Map<string, string>();
  if (root === null) return { facts, values };
  const properties = findAll(root, RDF, 'Description')
    .filter((element) => isTop(root, element))
    .flatMap((description) => [...shortForms(description), ...description.children]);
  const defined = new Map<string, string>();
  for (const property of properties) {
    if (property.uri === EXTENSION) facts.push(...extensionFacts(property, defined));
  }
  for (const property of properties) {
    if (property.uri === EXTENSION) continue;
    values.set(property.uri + property.local, plainText(property));
    facts.push(...propertyFacts(property, defined, hasCatalogLang));
  }
  facts.push(...packageFacts(properties, values));
  return { facts, values };
}

/** The root element, or null when the text is not well-formed. */
export function parseXml(text: string): Element | null {
  const parser = new SaxesParser({ xmlns: true });
  const stack: Element[] = [];
  let root: Element | null = null;
  parser.on('opentag', (tag) => {
    const element: Element = {
      uri: tag.uri,
      prefix: tag.prefix,
      local: tag.local,
      attributes: Object.values(tag.attributes),
      children: [],
      text: '',
    };
    stack.at(-1)?.children.push(element);
    root ??= element;
    stack.push(element);
  });
  parser.on('closetag', () => stack.pop());
  parser.on('text', (piece) => {
    const top = stack.at(-1);
    if (top !== undefined) top.text += piece;
  });
  let isBroken = false;
  parser.on('error', () => {
    isBroken = true;
  });
  parser.write(text.replace(/^\uFEFF/, '')).close();
  return isBroken ? null : root;
}

function findAll(root: Element, uri: string, local: string): Element[] {
  const own = root.uri === uri && root.local === local ? [root] : [];
  return [...own, ...root.children.flatMap((child) => findAll(child, uri, local))];
}

/** Properties that are written as attributes of their description (XMP, part 1, 7.9.2.2). */
function shortForms({ attributes }: Element): Element[] {
  return attributes
    .filter(({ uri }) => uri !== '' && uri !== RDF && !uri.startsWith('http://www.w3.org/'))
    .map(({ uri, prefix, local, value }) => ({
      uri,
      prefix,
      local,
      attributes: [],
      children: [],
      text: value,
    }));
}

/** Whether the description describes the document itself, not a value inside a property. */
function isTop(root: Element, description: Element): boolean {
  return findAll(root, RDF, 'RDF').some(({ children }) => children.includes(description));
}

function only(element: Element | undefined, local: string): Element | null {
  const [first] = element?.children ?? [];
  const isIt = first !== undefined && first.uri === RDF && first.local === local;
  return isIt && element?.children.length === 1 ? first : null;
}

function plainText(element: Element): string {
  const [array] = element.children;
  return array === undefined ? element.text : (array.children[0]?.text ?? '');
}

function kindOf(element: Element): Kind {
  if (only(element, 'Alt') !== null) return 'alternative';
  if (only(element, 'Seq') !== null) return 'sequence';
  if (only(element, 'Bag') !== null) return 'bag';
  return 'text';
}

function fitsKind(element: Element, kind: Kind): boolean {
  const found = kindOf(element);
  if (kind === 'date') {
    return (
      found === 'text' &&
      /^\d{4}(-\d\d(-\d\d(T\d\d:\d\d(:\d\d)?(Z|[-+]\d\d:\d\d))?)?)?$/.test(element.text)
    );
  }
  if (kind === 'integer') return found === 'text' && /^[-+]?\d+$/.test(element.text);
  if (kind === 'text') return found === 'text' && element.children.length === 0;
  return found === kind;
}

function propertyFacts(
  property: Element,
  defined: ReadonlyMap<string, string>,
  gContainsCatalogLang: boolean,
): Fact[] {
  const name = property.uri + property.local;
  const where = `metadata, ${property.prefix}:${property.local}`;
  const kind = PREDEFINED[name];
  const own = defined.get(name);
  const declared: Kind = own === 'Integer' ? 'integer' : own === 'Date' ? 'date' : 'text';
  const facts: Fact[] = [
    {
      type: 'XMPProperty',
      where,
      properties: {
        isPredefinedInXMP2005: kind !== undefined,
        isDefinedInMainPackage: own !== undefined,
        isDefinedInCurrentPackage: own !== undefined,
        isValueTypeCorrect: fitsKind(property, kind ?? declared),
      },
    },
  ];
  for (const item of only(property, 'Alt')?.children ?? []) {
    const xDefault = item.attributes.some(
      ({ local, value }) => local === 'lang' && value === 'x-default',
    );
    facts.push({ type: 'XMPLangAlt', where, properties: { xDefault, gContainsCatalogLang } });
  }
  return facts;
}

function packageFacts(properties: readonly Element[], values: ReadonlyMap<string, string>): Fact[] {
  const facts: Fact[] = [];
  const prefix = (uri: string, local: string): string | null =>
    properties.find((property) => property.uri === uri && property.local === local)?.prefix ?? null;
  const containsPDFAIdentification = values.has(`${PDFA_ID}part`);
  const containsPDFUAIdentification = values.has(`${PDFUA_ID}part`);
  facts.push({
    type: 'MainXMPPackage',
    where: 'metadata',
    properties: {
      containsPDFAIdentification,
      containsPDFUAIdentification,
      dc_title: values.get(`${DC}title`) ?? null,
    },
  });
  for (const [type, uri] of [
    ['PDFAIdentification', PDFA_ID],
    ['PDFUAIdentification', PDFUA_ID],
  ] as const) {
    if (!values.has(`${uri}part`)) continue;
    facts.push({
      type,
      where: 'metadata',
      properties: {
        part: Number(values.get(`${uri}part`)),
        conformance: values.get(`${uri}conformance`) ?? null,
        partPrefix: prefix(uri, 'part'),
        conformancePrefix: prefix(uri, 'conformance'),
        amdPrefix: prefix(uri, 'amd'),
        corrPrefix: prefix(uri, 'corr'),
      },
    });
  }
  return facts;
}

/** The members of a structure: children of the item, or of the description in it. */
function membersOf(item: Element): readonly Element[] {
  const [first] = item.children;
  return first?.uri === RDF && first.local === 'Description' ? first.children : item.children;
}

const SCHEMA_FIELDS = ['schema', 'namespaceURI', 'prefix', 'property', 'valueType'];
const PROPERTY_FIELDS = ['name', 'valueType', 'category', 'description'];
const VALUE_TYPES = new Set(['Text', 'Integer', 'Date', 'URI', 'URL', 'Boolean', 'Real']);

/** Reads extension schemas (ISO 19005-2, 6.6.2.3.3); `defined` collects the types they define. */
function extensionFacts(container: Element, defined: Map<string, string>): Fact[] {
  const bag = only(container, 'Bag');
  const facts: Fact[] = [
    {
      type: 'ExtensionSchemasContainer',
      where: 'metadata',
      properties: { isValidBag: bag !== null, prefix: container.prefix },
    },
  ];
  for (const item of bag?.children ?? []) facts.push(...schemaFacts(item, defined));
  return facts;
}

function schemaFacts(item: Element, defined: Map<string, string>): Fact[] {
  const members = membersOf(item);
  const where = 'metadata, extension schema';
  const of = (local: string): Element | undefined =>
    members.find((member) => member.uri === SCHEMA && member.local === local);
  const isText = (local: string): boolean => isPlain(of(local));
  const prefix = (local: string): string | null => of(local)?.prefix ?? null;
  const seq = only(of('property'), 'Seq');
  const facts: Fact[] = [
    unknownFields(members, SCHEMA, SCHEMA_FIELDS, where),
    {
      type: 'ExtensionSchemaDefinition',
      where,
      properties: {
        isSchemaValidText: isText('schema'),
        schemaPrefix: prefix('schema'),
        isNamespaceURIValidURI:
          isText('namespaceURI') && URL.canParse(of('namespaceURI')?.text ?? ''),
        namespaceURIPrefix: prefix('namespaceURI'),
        isPrefixValidText: isText('prefix'),
        prefixPrefix: prefix('prefix'),
        isPropertyValidSeq: of('property') === undefined || seq !== null,
        propertyPrefix: prefix('property'),
        isValueTypeValidSeq: of('valueType') === undefined,
        valueTypePrefix: prefix('valueType'),
      },
    },
  ];
  for (const property of seq?.children ?? []) {
    const inner = membersOf(property);
    const field = (local: string): Element | undefined =>
      inner.find((member) => member.uri === PROPERTY && member.local === local);
    facts.push(unknownFields(inner, PROPERTY, PROPERTY_FIELDS, where));
    facts.push({ type: 'ExtensionSchemaProperty', where, properties: definition(field) });
    const name = (of('namespaceURI')?.text ?? '') + (field('name')?.text ?? '');
    defined.set(name, field('valueType')?.text ?? '');
  }
  return facts;
}

function definition(field: (local: string) => Element | undefined): Record<string, unknown> {
  return {
    isNameValidText: isPlain(field('name')),
    namePrefix: field('name')?.prefix ?? null,
    isValueTypeValidText: isPlain(field('valueType')),
    isValueTypeDefined: VALUE_TYPES.has(field('valueType')?.text ?? ''),
    valueTypePrefix: field('valueType')?.prefix ?? null,
    isCategoryValidText: isPlain(field('category')),
    category: field('category')?.text ?? null,
    categoryPrefix: field('category')?.prefix ?? null,
    isDescriptionValidText: isPlain(field('description')),
    descriptionPrefix: field('description')?.prefix ?? null,
  };
}

function isPlain(element: Element | undefined): boolean {
  return element !== undefined && element.children.length === 0 && element.text.trim() !== '';
}

function unknownFields(
  members: readonly Element[],
  uri: string,
  names: readonly string[],
  where: string,
): Fact {
  const containsUndefinedFields = members.some(
    (member) => member.uri !== uri || !names.includes(member.local),
  );
  return { type: 'ExtensionSchemaObject', where, properties: { containsUndefinedFields } };
}
