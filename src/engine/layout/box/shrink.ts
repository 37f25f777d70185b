import { LINE_SLACK_PT } from '../text/slack.ts';
import { TextBox } from './text-box.ts';

/** Step between the font sizes that are tried. */
const STEP_PT = 0.25;

/**
 * Scales a paragraph down to the largest size at which it fits: no word (with `noWrap`, no line) is
 * wider than `widthPt`, and all lines fit into the node's `maxHeightPt`. If nothing fits, the
 * smallest size is used. The search is binary, so a paragraph is set ten times at most.
 */
export function shrinkToFit(box: TextBox, leastPt: number, widthPt: number): TextBox {
  if (fits(box, widthPt)) return box;
  const sizePt = Math.max(...box.runs.map(({ run }) => run.sizePt));
  if (!(leastPt < sizePt)) return box;
  /** The paragraph in a size that is `step` steps smaller. */
  const inSize = (step: number): TextBox =>
    scaled(box, Math.max(leastPt, sizePt - step * STEP_PT) / sizePt);
  let low = 1;
  let high = Math.ceil((sizePt - leastPt) / STEP_PT);
  let found: TextBox | null = null;
  while (low < high) {
    const middle = (low + high) >> 1;
    const tried = inSize(middle);
    if (fits(tried, widthPt)) {
      found = tried;
      high = middle;
    } else {
      found = null;
      low = middle + 1;
    }
  }
  return found ?? inSize(low);
}

function scaled({ node, runs }: TextBox, factor: number): TextBox {
  return new TextBox(
    node,
    runs.map((text) => ({ ...text, run: text.run.scaled(factor) })),
  );
}

function fits(box: TextBox, widthPt: number): boolean {
  const { margin, maxHeightPt } = box.node;
  if (box.minPt - margin[0] - margin[2] > widthPt + LINE_SLACK_PT) return false;
  if (maxHeightPt === null) return true;
  const heightPt = box.lines(widthPt).lines.reduce((sum, line) => sum + line.heightPt, 0);
  return heightPt < maxHeightPt;
}
