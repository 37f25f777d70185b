import type { CompiledTemplate } from '../../model/nodes.ts';
import type { Box } from '../box/blocks.ts';
import type { SizedBox } from '../box/box.ts';
import { Flow } from './flow.ts';
import { placeBox } from './node.ts';
import { Region } from './region.ts';
import { Tagger } from './tagger.ts';
import type { Sheet } from './sheet.ts';

/** Places the measured sections in order, each from a new page with its page set-up on. */
export function placeSections(
  template: CompiledTemplate,
  contents: readonly Box[],
  anchorIds: ReadonlyMap<SizedBox, string>,
): readonly Sheet[] {
  const region = new Region(false);
  const tagger = template.profile.isTagged ? new Tagger(template.language) : null;
  const flow = new Flow(region, anchorIds, template.breakBefore, tagger);
  for (const [index, { setup, path, followsBreak }] of template.sections.entries()) {
    const content = contents[index];
    if (content === undefined) break;
    flow.path = path;
    // The page of this section replaces an empty one that a page break left behind.
    if (index > 0 && region.sheet.isEmpty && followsBreak !== true) region.sheets.pop();
    flow.addPage(setup, setup.widthPt, setup.heightPt);
    placeBox(flow, content);
    flow.endSection();
    region.sheet.contentEndY = region.y;
  }
  // Drops an empty last page whose height follows its content: it would be 0 high.
  const { sheet, sheets } = region;
  if (sheets.length > 1 && sheet.isEmpty && !Number.isFinite(sheet.heightPt)) sheets.pop();
  return sheets;
}
