import type { PreparedImage } from '../../image/image.ts';
import type { Findings } from '../vocabulary/findings.ts';
import type { PageSetup, Section } from '../../model/nodes.ts';
import type { ArchiveLevel } from '../../model/structure.ts';
import type { MissingGlyphPolicy } from '../style/uses.ts';

/** Sides of a page in an archive document (ISO 19005-2, 6.1.13). */
const PAGE_SIDE_MIN_PT = 3;
export const ARCHIVE_PAGE_SIDE_MAX_PT = 14_400;

type ArchiveName = 'PDF/A-2u' | 'PDF/A-2a' | 'PDF/A-3u' | 'PDF/A-3a';

const LEVELS: Readonly<Record<ArchiveName, ArchiveLevel>> = {
  'PDF/A-2u': { part: 2, conformance: 'U' },
  'PDF/A-2a': { part: 2, conformance: 'A' },
  'PDF/A-3u': { part: 3, conformance: 'U' },
  'PDF/A-3a': { part: 3, conformance: 'A' },
};

/** The level that a template asks for, or null. */
export function archiveLevelOf(name: ArchiveName | undefined): ArchiveLevel | null {
  return name === undefined ? null : LEVELS[name];
}

/**
 * The treatment of characters without a glyph: archive documents (ISO 19005-2, 6.2.11.8) and tagged
 * ones (ISO 14289-1, 7.21.8) must not show .notdef, so such data is refused.
 */
export function glyphPolicyOf(
  given: MissingGlyphPolicy | undefined,
  path: string,
  archive: ArchiveLevel | null,
  isTagged: boolean,
  findings: Findings,
): MissingGlyphPolicy {
  if (archive === null && !isTagged) return given ?? 'fallback';
  if (given !== undefined && given !== 'reject') {
    const kind = archive === null ? 'A tagged' : 'An archive';
    findings.error(path, `${kind} document has every glyph: use "reject", or leave it out.`);
  }
  return 'reject';
}

/** Reports whatever cannot be archived independently of the data. */
export function reportUnarchivable(
  setup: PageSetup,
  sections: readonly Section[],
  images: readonly (readonly [path: string, image: PreparedImage])[],
  findings: Findings,
): void {
  for (const { path, setup: own } of sections) {
    const { widthPt, heightPt } = own;
    const sides = heightPt === Infinity ? [widthPt] : [widthPt, heightPt];
    const areAllowed = sides.every(
      (side) => side >= PAGE_SIDE_MIN_PT && side <= ARCHIVE_PAGE_SIDE_MAX_PT,
    );
    if (areAllowed) continue;
    const isOwn = widthPt !== setup.widthPt || heightPt !== setup.heightPt;
    const at = isOwn ? `${path}.pageSize` : 'document.pageSize';
    findings.error(at, 'A page of an archive document has sides of 3 to 14,400 points.');
  }
  for (const [path, image] of images) {
    if (!isCmyk(image)) continue;
    findings.error(path, 'An image of an archive document is grey or RGB, not CMYK: convert it.');
  }
}

/** Whether an image has colours that the output intent of an archive document does not cover. */
export function isCmyk({ colorSpace }: PreparedImage): boolean {
  return colorSpace === 'DeviceCMYK';
}
