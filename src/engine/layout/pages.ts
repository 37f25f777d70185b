import type { Item, Page } from '../model/frame.ts';
import { demandSheetOnPaper } from './amounts/paper.ts';
import { LayoutFault } from './layout-fault.ts';
import type { RunningElements } from './running-elements.ts';
import type { Sheet } from './place/sheet.ts';
import type { DataScope } from './scope.ts';
import type { Watermark } from './watermark.ts';

const CONTENT_PATH = 'document.content';

/** Puts each page together: background, fills, content and watermark, painted in this order. */
export function finishPages(
  sheets: readonly Sheet[],
  runningElements: RunningElements,
  watermark: Watermark | null,
  scope: DataScope,
  isTagged: boolean,
): Page[] {
  return sheets.map((sheet, pageIndex) => {
    const { widthPt, setup } = sheet;
    const marginBottom = setup.margins[3];
    const heightPt = Number.isFinite(sheet.heightPt)
      ? sheet.heightPt
      : sheet.contentEndY + marginBottom;
    if (!(heightPt > 0)) {
      throw new LayoutFault(
        CONTENT_PATH,
        'nothing is drawn on a page that is as high as its content',
      );
    }
    demandSheetOnPaper(sheet, heightPt, runningElements.amounts);
    const background = runningElements.background(pageIndex, widthPt, heightPt);
    const { fills, items } = sheet;
    let body: Item[] = items;
    if (background !== null || fills.length > 0) {
      // The fill of an outer table comes after that of an inner one, but is painted before it.
      body = [...(background?.items ?? []), ...fills.toReversed(), ...items];
    }
    const mark = watermark?.draw(widthPt, heightPt, scope) ?? null;
    if (mark !== null) {
      if (isTagged) body.push({ kind: 'tag', element: null, order: 0, area: null });
      body.push(mark);
    }
    const links = background === null ? sheet.links : [...background.links, ...sheet.links];
    return { widthPt, heightPt, body, links };
  });
}
