import { LIMITS } from '../../limits.ts';
import type { InfoTemplate, TextTemplate } from '../model/nodes.ts';
import type { FileTemplate } from '../model/structure.ts';
import type { DocumentInfo, EmbeddedFile } from '../model/frame.ts';
import type { DataScope } from './scope.ts';

/** The document's title and the like with their bindings filled in, each on one line. */
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

/** As much as a request may give: a bound field may be as long as the request's body. */
function oneLine(text: string): string {
  const line = text.replaceAll(/\s+/gu, ' ').trim();
  if (line.length <= LIMITS.infoCodePointsMax) return line;
  return Array.from(line.slice(0, LIMITS.infoCodePointsMax * 2))
    .slice(0, LIMITS.infoCodePointsMax)
    .join('');
}

/** The files that the document embeds, their bindings filled in. */
export function fillFiles(files: readonly FileTemplate[], scope: DataScope): EmbeddedFile[] {
  return files.map(({ content, ...file }) => ({
    ...file,
    bytes: new TextEncoder().encode(scope.text(content)),
  }));
}
