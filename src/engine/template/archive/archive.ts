import type { PreparedImage } from '../../image/image.ts';
import type { Findings } from '../vocabulary/findings.ts';
import type { PageSetup, Section } from '../../model/nodes.ts';

/** Sides of a page in an archive document (ISO 19005-2, 6.1.13). */
const PAGE_SIDE_MIN_PT = 3;
export const ARCHIVE_PAGE_SIDE_MAX_PT = 14_400;

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
