import { LIMITS } from '../../limits.ts';
import type { TextTemplate } from '../model/nodes.ts';
import type { FileMetadata, FileTemplate, InfoTemplate } from '../model/structure.ts';
import type { DocumentInfo, EmbeddedFile } from '../model/frame.ts';
import type { DataScope } from './scope.ts';

/** Fills in the bindings of title, subject, author and keywords; each becomes one line. */
export function fillInfo(info: InfoTemplate | null, scope: DataScope): DocumentInfo | null {
  if (info === null) return null;
  const text = (template: TextTemplate | null): string =>
    template === null ? '' : oneLine(scope.text(template));
  return {
    title: text(info.title),
    subject: text(info.subject),
    author: text(info.author),
    keywords: text(info.keywords),
  };
}

/** Puts a text on one line and shortens it: the value of a field may be as long as the body. */
function oneLine(text: string): string {
  const line = text.replaceAll(/\s+/gu, ' ').trim();
  if (line.length <= LIMITS.infoCodePointsMax) return line;
  // A code point takes one or two units; without this cut a long line would become a huge list.
  return Array.from(line.slice(0, LIMITS.infoCodePointsMax * 2))
    .slice(0, LIMITS.infoCodePointsMax)
    .join('');
}

/** Fills in the bindings of the files that the document embeds. */
export function fillFiles(files: readonly FileTemplate[], scope: DataScope): EmbeddedFile[] {
  return files.map(({ content, escapes, isPlain, metadata, ...file }) => {
    const parts = content.map((part) => {
      if (part.kind === 'static') return part.text;
      const text = isPlain ? scope.plainPart(part) : scope.partAsSent(part);
      return ESCAPES[escapes ?? 'none'](text);
    });
    return {
      ...file,
      bytes: new TextEncoder().encode(parts.join('')),
      metadata: metadata === null ? null : fillMetadata(metadata, scope),
    };
  });
}

function fillMetadata(
  metadata: FileMetadata<TextTemplate>,
  scope: DataScope,
): FileMetadata<string> {
  const properties = metadata.properties.map(({ value, ...property }) => {
    return { ...property, value: oneLine(scope.text(value)) };
  });
  return { ...metadata, properties };
}

const XML_ENTITIES = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&apos;' };

/** Escapes a value in the text of a file, so that none of it ends a string or begins markup. */
const ESCAPES = {
  none: (text: string) => text,
  xml: (text: string) =>
    text.replaceAll(/[&<>"']/g, (sign) => XML_ENTITIES[sign as keyof typeof XML_ENTITIES]),
  json: (text: string) => JSON.stringify(text).slice(1, -1),
};
