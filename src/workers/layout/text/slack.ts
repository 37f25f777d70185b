/** Sums of widths differ in the last bits between engines: a hair over the box still fits. */
export const LINE_SLACK_PT = 1e-6;
