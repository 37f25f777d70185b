import type { ArchiveLevel, Profile } from '../../model/structure.ts';
import type { MissingGlyphPolicy } from '../style/uses.ts';
import type { Findings } from '../vocabulary/findings.ts';

type ArchiveName = 'PDF/A-2u' | 'PDF/A-2a' | 'PDF/A-3u' | 'PDF/A-3a';

const LEVELS: Readonly<Record<ArchiveName, ArchiveLevel>> = {
  'PDF/A-2u': { part: 2, conformance: 'U' },
  'PDF/A-2a': { part: 2, conformance: 'A' },
  'PDF/A-3u': { part: 3, conformance: 'U' },
  'PDF/A-3a': { part: 3, conformance: 'A' },
};

/** The keys of a template file that decide its profile, beside `document.tagged`. */
interface ProfileSource {
  readonly archive?: ArchiveName | undefined;
  readonly signature?: boolean | undefined;
}

/** Decides which kind of file the documents of a template are. */
export function compileProfile(
  { archive, signature: isSigned = false }: ProfileSource,
  tagged: boolean | undefined,
  findings: Findings,
): Profile {
  if (archive !== undefined) {
    const level = LEVELS[archive];
    return { kind: 'archive', isSigned, level, isTagged: isTaggedAt(level, tagged, findings) };
  }
  return tagged === true
    ? { kind: 'tagged', isSigned, isTagged: true }
    : { kind: 'plain', isSigned, isTagged: false };
}

function isTaggedAt(
  { conformance }: ArchiveLevel,
  tagged: boolean | undefined,
  findings: Findings,
): boolean {
  if (conformance !== 'A') return tagged ?? false;
  if (tagged === false) {
    const message = 'An archive document of level a is tagged: use level u, or leave this out.';
    findings.error('document.tagged', message);
  }
  return true;
}

/**
 * The treatment of characters without a glyph: archive documents (ISO 19005-2, 6.2.11.8) and tagged
 * ones (ISO 14289-1, 7.21.8) must not show .notdef, so such data is refused.
 */
export function glyphPolicyOf(
  given: MissingGlyphPolicy | undefined,
  path: string,
  { kind }: Profile,
  findings: Findings,
): MissingGlyphPolicy {
  if (kind === 'plain') return given ?? 'fallback';
  if (given !== undefined && given !== 'reject') {
    const name = kind === 'archive' ? 'An archive' : 'A tagged';
    findings.error(path, `${name} document has every glyph: use "reject", or leave it out.`);
  }
  return 'reject';
}
