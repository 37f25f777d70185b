import type { CompiledTemplate } from '../model/nodes.ts';
import { srgbProfile } from './archive-profile.ts';
import type { PdfFile } from './file.ts';
import { packStream } from './file.ts';
import type { Metadata } from './metadata.ts';
import { reference } from './syntax.ts';

/** Writes the output intent of an archive document (ISO 19005-2, 6.2.3); gives its catalog entry. */
export function writeOutputIntent(file: PdfFile): string {
  const profile = file.addPacked('/N 3', packStream(srgbProfile(), true));
  const intent = file.add(
    '<</Type/OutputIntent/S/GTS_PDFA1/OutputConditionIdentifier(sRGB)/Info(sRGB IEC61966-2.1)' +
      `/DestOutputProfile ${reference(profile)}>>`,
  );
  return `/OutputIntents[${reference(intent)}]`;
}

/** Characters that XML cannot hold, or that no text may end up as (XML 1.0 §2.2). */
// oxlint-disable-next-line no-control-regex -- these are the characters XML forbids
const UNFIT = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufeff\ufffe\uffff]/g;

/** A text that the information dictionary and the metadata stream can both hold. */
function archiveText(text: string): string {
  return text.toWellFormed().replaceAll(UNFIT, '');
}

/** Metadata of an archive document: always there, and the same in both its places. */
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

/** What the file claims to conform to (ISO 19005-2, 6.6.4), as descriptions of its metadata. */
export function archiveClaims(template: CompiledTemplate): string {
  const archive = template.archive ?? null;
  if (archive === null) return '';
  return (
    '<rdf:Description rdf:about="" xmlns:pdfaid="http://www.aiim.org/pdfa/ns/id/">' +
    `<pdfaid:part>${archive.part}</pdfaid:part>` +
    `<pdfaid:conformance>${archive.conformance}</pdfaid:conformance></rdf:Description>\n`
  );
}

/** What a glyph stands for in ToUnicode: never nothing, never U+0000, U+FEFF or U+FFFE (6.2.11.7). */
export function archiveSpelling(text: string, fallback: string): string {
  const fit = text.replaceAll(UNFIT, '');
  if (fit !== '') return fit;
  return fallback.replaceAll(UNFIT, '') || '\ufffd';
}
