import type { MetadataOption } from '../job.ts';
import type { DocumentInfo } from '../model/frame.ts';
import type { PdfFile } from './file.ts';
import { ByteSink } from './sink.ts';
import { dateString, isoString, textString } from './syntax.ts';

const PRODUCER = 'Intaglio';

/** Document information that readers show; '' where there is nothing to say. */
export interface Metadata extends DocumentInfo {
  /** Whether the request or the template gives any; only then the file has XMP. */
  readonly isGiven: boolean;
}

/** The template's metadata, overridden by the request's. */
export function metadataOf(info: DocumentInfo | null, option: MetadataOption | null): Metadata {
  return {
    title: option?.title ?? info?.title ?? '',
    subject: option?.subject ?? info?.subject ?? '',
    author: info?.author ?? '',
    keywords: info?.keywords ?? '',
    isGiven: info !== null || option !== null,
  };
}

/** The document information dictionary (ISO 32000-2 §14.3.3). */
export function writeInfo(file: PdfFile, metadata: Metadata, atMs: number): number {
  const { title, subject, author, keywords } = metadata;
  const entries =
    entry('Title', title) +
    entry('Subject', subject) +
    entry('Author', author) +
    entry('Keywords', keywords);
  return file.add(`<<${entries}/Producer(${PRODUCER})/CreationDate${dateString(atMs)}>>`);
}

function entry(name: string, text: string): string {
  return text === '' ? '' : `/${name}${textString(text)}`;
}

/**
 * The same as an XMP stream (§14.3.2), never compressed, so that it can be read in a protected
 * file, too. The padding for edits in place is left out: nobody edits a finished document.
 */
export function writeXmp(
  file: PdfFile,
  metadata: Metadata,
  atMs: number,
  claims: Uint8Array,
): number {
  const { title, subject, author, keywords } = metadata;
  const properties =
    alternative('title', title) +
    alternative('description', subject) +
    wrapped(author, '<dc:creator><rdf:Seq><rdf:li>', '</rdf:li></rdf:Seq></dc:creator>') +
    wrapped(keywords, '<pdf:Keywords>', '</pdf:Keywords>') +
    `<xmp:CreateDate>${isoString(atMs)}</xmp:CreateDate>`;
  packet.clear();
  packet.append(XMP_HEAD);
  packet.append(encoder.encode(properties));
  packet.append(XMP_PRODUCER);
  packet.append(claims);
  packet.append(XMP_END);
  return file.addStream('/Type/Metadata/Subtype/XML', packet.view());
}

const encoder = new TextEncoder();
const packet = new ByteSink(1 << 12);
const XMP_HEAD = encoder.encode(
  '<?xpacket begin="\uFEFF" id="W5M0MpCehiHzreSzNTczkc9d"?>\n' +
    '<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">\n' +
    '<rdf:Description rdf:about="" xmlns:dc="http://purl.org/dc/elements/1.1/" ' +
    'xmlns:xmp="http://ns.adobe.com/xap/1.0/" xmlns:pdf="http://ns.adobe.com/pdf/1.3/">\n' +
    '<dc:format>application/pdf</dc:format>',
);
const XMP_PRODUCER = encoder.encode(`<pdf:Producer>${PRODUCER}</pdf:Producer>\n</rdf:Description>`);
const XMP_END = encoder.encode('</rdf:RDF></x:xmpmeta>\n<?xpacket end="r"?>');

function wrapped(text: string, open: string, close: string): string {
  return text === '' ? '' : open + escapeXml(text) + close;
}

/** A property with one text, whose language is not known. */
function alternative(name: string, text: string): string {
  if (text === '') return '';
  const item = `<rdf:li xml:lang="x-default">${escapeXml(text)}</rdf:li>`;
  return `<dc:${name}><rdf:Alt>${item}</rdf:Alt></dc:${name}>`;
}

/** Characters that XML cannot hold are dropped, the markup ones are escaped (XML 1.0 §2.2, §2.4). */
export function escapeXml(text: string): string {
  // oxlint-disable-next-line no-control-regex -- these are the characters XML forbids
  if (!/[\u0000-\u0008\u000b\u000c\u000e-\u001f&<>\ud800-\udfff\ufffe\uffff]/.test(text)) {
    return text;
  }
  return (
    text
      .toWellFormed()
      // oxlint-disable-next-line no-control-regex -- these are the characters XML forbids
      .replaceAll(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, '')
      .replaceAll('&', '&amp;')
      .replaceAll('<', '&lt;')
      .replaceAll('>', '&gt;')
  );
}
