import type { MetadataOption } from '../job.ts';
import type { PdfFile } from './file.ts';
import { dateString, textString } from './syntax.ts';

const PRODUCER = 'Intaglio';

/** The document information dictionary (ISO 32000-2 §14.3.3). */
export function writeInfo(file: PdfFile, metadata: MetadataOption | null, atMs: number): number {
  const title = metadata?.title === undefined ? '' : `/Title${textString(metadata.title)}`;
  const subject = metadata?.subject === undefined ? '' : `/Subject${textString(metadata.subject)}`;
  return file.add(`<<${title}${subject}/Producer(${PRODUCER})/CreationDate${dateString(atMs)}>>`);
}

/**
 * The same as an XMP stream (§14.3.2), never compressed: protection leaves it readable. The padding
 * that editors in place ask for is left out: nobody edits a signed-off document.
 */
export function writeXmp(file: PdfFile, metadata: MetadataOption, atMs: number): number {
  const at = `${new Date(atMs).toISOString().slice(0, 19)}Z`;
  const packet =
    '<?xpacket begin="\uFEFF" id="W5M0MpCehiHzreSzNTczkc9d"?>\n' +
    '<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">\n' +
    '<rdf:Description rdf:about="" xmlns:dc="http://purl.org/dc/elements/1.1/" ' +
    'xmlns:xmp="http://ns.adobe.com/xap/1.0/" xmlns:pdf="http://ns.adobe.com/pdf/1.3/">\n' +
    `<dc:format>application/pdf</dc:format>${alternative('title', metadata.title)}` +
    alternative('description', metadata.subject) +
    `<xmp:CreateDate>${at}</xmp:CreateDate><pdf:Producer>${PRODUCER}</pdf:Producer>\n` +
    '</rdf:Description></rdf:RDF></x:xmpmeta>\n<?xpacket end="r"?>';
  return file.addStream('/Type/Metadata/Subtype/XML', new TextEncoder().encode(packet));
}

/** A property in one language of unknown name. */
function alternative(name: string, text: string | undefined): string {
  if (text === undefined) return '';
  const item = `<rdf:li xml:lang="x-default">${escapeXml(text)}</rdf:li>`;
  return `<dc:${name}><rdf:Alt>${item}</rdf:Alt></dc:${name}>`;
}

/** Characters that XML cannot hold are dropped, the markup ones are escaped (XML 1.0 §2.2, §2.4). */
function escapeXml(text: string): string {
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
