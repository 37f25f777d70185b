/** Sums of widths differ in the last bits between engines: a hair over the box still fits. */
export const LINE_SLACK_PT = 1e-6;

const NARROW_EM_MAX = 11;

/** Whether a line of text of a size holds few letters: it is left emptier before its words are parted. */
export function isNarrow(widthPt: number, sizePt: number): boolean {
  return widthPt <= NARROW_EM_MAX * sizePt;
}
