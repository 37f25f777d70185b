import { LIMITS } from '../../../limits.ts';
import type { FileTemplate, Profile } from '../../model/structure.ts';
import type { CompileScope, Context } from '../context.ts';
import { parseText } from '../fields/bindings.ts';
import { checkIsObject, checkObject } from '../vocabulary/check.ts';
import { FILE_KEYS } from '../vocabulary/keys.ts';
import { compileFileMetadata, relationshipOf } from './file-metadata.ts';

/** The files that every document embeds (ISO 19005-3, 6.8): their content is a text with bindings. */
export function compileFiles(
  sources: readonly unknown[],
  profile: Profile,
  context: Context,
  scope: CompileScope,
): readonly FileTemplate[] {
  const { findings } = context;
  if (sources.length > 0 && profile.kind === 'archive' && profile.level.part === 2) {
    findings.error('files', 'PDF/A-2 embeds no such files: use PDF/A-3u or PDF/A-3a.');
  }
  if (sources.length > LIMITS.embeddedFilesMax) {
    findings.error('files', `At most ${LIMITS.embeddedFilesMax} files can be embedded.`);
  }
  const names = new Set<string>();
  const namespaces = new Set<string>();
  return sources.flatMap((source, index): FileTemplate[] => {
    const path = `files[${index}]`;
    const object = checkIsObject(source, path, findings);
    if (object === null) return [];
    const own = checkObject(object, path, FILE_KEYS, findings);
    const { name, mediaType, description, data, plain: isPlain = false } = own;
    if (name === undefined || mediaType === undefined || data === undefined) {
      findings.error(path, 'A file needs "name", "mediaType" and "data".');
      return [];
    }
    if (names.has(name)) findings.error(`${path}.name`, 'Another file has this name.');
    names.add(name);
    const content = parseText(data, `${path}.data`, context, scope);
    const metadata = compileFileMetadata(
      { ...own, name, mediaType },
      path,
      profile,
      context,
      scope,
    );
    if (metadata !== null && namespaces.has(metadata.namespace)) {
      findings.error(path, 'Another file has metadata of this namespace.');
    }
    namespaces.add(metadata?.namespace ?? '');
    const relationship = own.relationship ?? relationshipOf(own.facturX);
    const escapes = content.length === 1 ? null : escapesOf(mediaType);
    const about = description ?? name;
    return [{ name, mediaType, relationship, about, content, isPlain, escapes, metadata }];
  });
}

/** Values amid other text are escaped so that they cannot break the file; a sole value is not. */
function escapesOf(mediaType: string): FileTemplate['escapes'] {
  if (/[/+]xml$/i.test(mediaType)) return 'xml';
  return /[/+]json$/i.test(mediaType) ? 'json' : null;
}
