/** Tolerance for a line in its box: sums of widths differ from pdfmake's in their last bits. */
export const LINE_SLACK_PT = 1e-6;

const NARROW_EM_MAX = 11;

/** Whether a line holds few letters of a size: it may stay emptier before a phrase is split. */
export function isNarrow(widthPt: number, sizePt: number): boolean {
  return widthPt <= NARROW_EM_MAX * sizePt;
}
