import type { EmbeddedFile } from '../../model/frame.ts';
import type { PdfFile } from '../file.ts';
import { packStream } from '../file.ts';
import { dateString, reference, textString } from '../syntax.ts';

/** Entries for embedded files: in the catalog and in its name dictionary. */
export interface FileEntries {
  readonly catalog: string;
  readonly names: string;
}

/** Embeds files and associates them with the document (ISO 32000-2 §7.11.4, §14.13). */
export function writeFiles(
  file: PdfFile,
  files: readonly EmbeddedFile[],
  atMs: number,
): FileEntries {
  if (files.length === 0) return { catalog: '', names: '' };
  const written = files.map(({ name, mediaType, relationship, about, bytes }) => {
    const subtype = mediaType.replaceAll('/', '#2F').replaceAll('+', '#2B');
    const stream = file.addPacked(
      `/Type/EmbeddedFile/Subtype/${subtype}` +
        `/Params<</Size ${bytes.length}/ModDate${dateString(atMs)}>>`,
      packStream(bytes, file.compresses, 6),
    );
    const specification = file.add(
      `<</Type/Filespec/F${textString(name)}/UF${textString(name)}/Desc${textString(about)}` +
        `/AFRelationship/${relationship}/EF<</F ${reference(stream)}/UF ${reference(stream)}>>>>`,
    );
    return { name: textString(name), specification };
  });
  const list = written.map(({ specification }) => reference(specification)).join(' ');
  const sorted = written.toSorted((a, b) => (a.name < b.name ? -1 : 1));
  const leaf = sorted.map(({ name, specification }) => `${name} ${reference(specification)}`);
  return {
    catalog: `/AF[${list}]`,
    names: `/EmbeddedFiles<</Names[${leaf.join(' ')}]>>`,
  };
}
