import type { EmbeddedFile } from '../../model/frame.ts';
import type { CompiledTemplate } from '../../model/nodes.ts';
import type { FileMetadata } from '../../model/structure.ts';
import { srgbProfile } from './srgb-profile.ts';
import type { PdfFile } from '../file.ts';
import { packStream } from '../file.ts';
import { escapeXml } from '../metadata.ts';
import type { Metadata } from '../metadata.ts';
import { reference } from '../syntax.ts';

/** Writes the output intent of an archive document (ISO 19005-2, 6.2.3); gives its catalog entry. */
export function writeOutputIntent(file: PdfFile): string {
  const profile = file.addPacked('/N 3', packStream(srgbProfile(), true));
  const intent = file.add(
    '<</Type/OutputIntent/S/GTS_PDFA1/OutputConditionIdentifier(sRGB)/Info(sRGB IEC61966-2.1)' +
      `/DestOutputProfile ${reference(profile)}>>`,
  );
  return `/OutputIntents[${reference(intent)}]`;
}

/** Characters that XML cannot hold (XML 1.0 §2.2) or that PDF/A forbids in ToUnicode. */
// oxlint-disable-next-line no-control-regex -- these are the characters XML forbids
const UNFIT = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufeff\ufffe\uffff]/g;

/** A text that the information dictionary and the metadata stream can both hold. */
function archiveText(text: string): string {
  if (text === '') return text;
  return text.toWellFormed().replaceAll(UNFIT, '');
}

/**
 * Metadata of an archive or tagged document: always present, and with only characters that both its
 * places can hold.
 */
export function archiveInfo(metadata: Metadata): Metadata {
  const { title, subject, author, keywords } = metadata;
  return {
    title: archiveText(title),
    subject: archiveText(subject),
    author: archiveText(author),
    keywords: archiveText(keywords),
    isGiven: true,
  };
}

/** A metadata schema that PDF/A does not predefine (ISO 19005-2, 6.6.2.3). */
interface ExtensionSchema {
  readonly name: string;
  readonly uri: string;
  readonly prefix: string;
  readonly properties: readonly {
    readonly name: string;
    readonly type: 'Text' | 'Integer';
    readonly description: string;
  }[];
}

const PDFUA_SCHEMA: ExtensionSchema = {
  name: 'PDF/UA identification',
  uri: 'http://www.aiim.org/pdfua/ns/id/',
  prefix: 'pdfuaid',
  properties: [{ name: 'part', type: 'Integer', description: 'Part of ISO 14289' }],
};

function extensionSchemas(schemas: readonly ExtensionSchema[]): string {
  const items = schemas.map(({ name, uri, prefix, properties }) => {
    const members = properties.map(
      (property) =>
        '<rdf:li rdf:parseType="Resource">' +
        `<pdfaProperty:name>${escapeXml(property.name)}</pdfaProperty:name>` +
        `<pdfaProperty:valueType>${property.type}</pdfaProperty:valueType>` +
        '<pdfaProperty:category>external</pdfaProperty:category>' +
        `<pdfaProperty:description>${escapeXml(property.description)}</pdfaProperty:description>` +
        '</rdf:li>',
    );
    return (
      '<rdf:li rdf:parseType="Resource">' +
      `<pdfaSchema:schema>${escapeXml(name)}</pdfaSchema:schema>` +
      `<pdfaSchema:namespaceURI>${escapeXml(uri)}</pdfaSchema:namespaceURI>` +
      `<pdfaSchema:prefix>${escapeXml(prefix)}</pdfaSchema:prefix>` +
      `<pdfaSchema:property><rdf:Seq>${members.join('')}</rdf:Seq></pdfaSchema:property></rdf:li>`
    );
  });
  return (
    '<rdf:Description rdf:about="" xmlns:pdfaExtension="http://www.aiim.org/pdfa/ns/extension/" ' +
    'xmlns:pdfaSchema="http://www.aiim.org/pdfa/ns/schema#" ' +
    'xmlns:pdfaProperty="http://www.aiim.org/pdfa/ns/property#">' +
    `<pdfaExtension:schemas><rdf:Bag>${items.join('')}</rdf:Bag></pdfaExtension:schemas>` +
    '</rdf:Description>\n'
  );
}

/** Metadata about embedded files: a description for each, and its schema. */
function fileDescriptions(files: readonly FileMetadata<string>[]): string {
  const descriptions = files.map(({ namespace, prefix, properties }) => {
    const members = properties.map(({ name, value }) => {
      const text = escapeXml(archiveText(value));
      return text === '' ? '' : `<${prefix}:${name}>${text}</${prefix}:${name}>`;
    });
    const head = `<rdf:Description rdf:about="" xmlns:${prefix}="${namespace}">`;
    return `${head}${members.join('')}</rdf:Description>\n`;
  });
  return descriptions.join('');
}

function schemaOf(metadata: FileMetadata<string>): ExtensionSchema {
  const { schema, namespace, prefix, properties } = metadata;
  const members = properties.map(({ name, description }) => ({
    name,
    type: 'Text' as const,
    description,
  }));
  return { name: schema, uri: namespace, prefix, properties: members };
}

/**
 * Standards that the file claims (ISO 19005-2, 6.6.4), and properties of embedded files, as
 * descriptions of its metadata in UTF-8.
 */
export function archiveClaims(
  template: CompiledTemplate,
  embedded: readonly EmbeddedFile[],
): Uint8Array {
  if (embedded.length > 0) return encoder.encode(claimsOf(template, embedded));
  const known = claimsAlone.get(template);
  if (known !== undefined) return known;
  const claims = encoder.encode(claimsOf(template, embedded));
  claimsAlone.set(template, claims);
  return claims;
}

/** Claims of documents without embedded files: the same in all of a template. */
const claimsAlone = new WeakMap<CompiledTemplate, Uint8Array>();
const encoder = new TextEncoder();

function claimsOf({ profile }: CompiledTemplate, embedded: readonly EmbeddedFile[]): string {
  const accessible = profile.isTagged
    ? '<rdf:Description rdf:about="" xmlns:pdfuaid="http://www.aiim.org/pdfua/ns/id/">' +
      '<pdfuaid:part>1</pdfuaid:part></rdf:Description>\n'
    : '';
  if (profile.kind !== 'archive') return accessible;
  const files = embedded.flatMap(({ metadata }) => (metadata === null ? [] : [metadata]));
  const schemas = [...(accessible === '' ? [] : [PDFUA_SCHEMA]), ...files.map(schemaOf)];
  return (
    '<rdf:Description rdf:about="" xmlns:pdfaid="http://www.aiim.org/pdfa/ns/id/">' +
    `<pdfaid:part>${profile.level.part}</pdfaid:part>` +
    `<pdfaid:conformance>${profile.level.conformance}</pdfaid:conformance></rdf:Description>\n` +
    accessible +
    fileDescriptions(files) +
    (schemas.length === 0 ? '' : extensionSchemas(schemas))
  );
}

/** Text of a glyph in ToUnicode: never empty, never U+0000, U+FEFF or U+FFFE (6.2.11.7). */
export function archiveSpelling(text: string, fallback: string): string {
  const fit = text.replaceAll(UNFIT, '');
  if (fit !== '') return fit;
  return fallback.replaceAll(UNFIT, '') || '\ufffd';
}
