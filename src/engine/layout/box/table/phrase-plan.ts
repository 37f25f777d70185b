import type { Margin, TableCell, TableRow, TextAlignment } from '../../../model/nodes.ts';
import type { RunStyle } from '../../text/run-style.ts';
import type { Plan } from '../plan.ts';
import { allowsPhrases } from '../phrase.ts';
import { type RunPlan, TextPlan } from '../text-plan.ts';
import { CellGrid } from './grid.ts';
import type { PhraseRowPlan } from './table-box.ts';

/** What the phrase rows of one row template share, kept between documents. */
export interface PhrasePlan extends PhraseRowPlan {
  readonly sources: readonly RunPlan[];
}

/** Plans phrase rows; null unless every cell is a plain text of one run that needs no box. */
export function planPhrases(row: TableRow, plans: readonly (Plan | null)[]): PhrasePlan | null {
  if (row.each === null) return null;
  const sources: RunPlan[] = [];
  const runs: RunStyle[] = [];
  const alignments: TextAlignment[] = [];
  const margins: Margin[] = [];
  for (const [column, cell] of row.cells.entries()) {
    const plan = plans[column];
    if (cell === null || !(plan instanceof TextPlan) || !isPlainCell(cell, plan)) return null;
    const source = plan.single;
    const run = source?.style ?? null;
    if (source === null || run === null || !allowsPhrases(run)) return null;
    sources.push(source);
    runs.push(run);
    alignments.push(plan.node.alignment);
    margins.push(plan.node.margin);
  }
  const heights = runs.map((run, column) => run.heightPt + verticalMargin(margins[column]));
  // The boxes are unused, because a phrase row paints its texts directly.
  const cells = new CellGrid(row.cells.length).addRow(row.cells, (_cell, column) => {
    const plan = plans[column];
    if (plan === null || plan === undefined) throw new Error('a cell has no plan');
    return plan.emptyBox();
  });
  return {
    path: row.path,
    cells,
    hasPlainBorders: cells.every(
      (cell) => cell.spec.border === null && cell.spec.borderColor === null,
    ),
    hasPlainFills: cells.every(({ spec }) => spec.fill === null && spec.overlay === null),
    sources,
    runs,
    styles: runs.map((run) => run.style),
    alignments,
    marginLeft: margins.map((margin) => margin[0]),
    marginRight: margins.map((margin) => margin[2]),
    baselines: runs.map((run, column) => (margins[column]?.[1] ?? 0) + run.ascentPt + run.shiftPt),
    contentPt: Math.max(...heights),
    leastLinePt: margins.some((margin) => margin[1] !== 0 || margin[3] !== 0)
      ? 0
      : Math.min(...runs.map((run) => run.heightPt)),
    figures: sources.map((source) => source.isFigures),
  };
}

function verticalMargin(margin: Margin | undefined): number {
  return margin === undefined ? 0 : margin[1] + margin[3];
}

/** Whether a cell takes one slot, and its text needs nothing but to be painted there. */
function isPlainCell(cell: TableCell, plan: TextPlan): boolean {
  const { node } = plan;
  return (
    cell.colSpan === 1 &&
    cell.rowSpan === 1 &&
    cell.verticalAlignment === 'top' &&
    node.conditions.length === 0 &&
    node.each === null &&
    node.pageBreak === null &&
    !node.unbreakable &&
    node.absolutePosition === null &&
    node.relativePosition === null &&
    node.id === null &&
    node.headlineLevel === null &&
    node.outline === null &&
    node.tocItem === null &&
    // Plain rows have no elements that could state a role or a language.
    (node.role ?? null) === null &&
    (node.lang ?? null) === null &&
    (plan.single?.run.lang ?? null) === null &&
    node.leadingIndentPt === 0 &&
    node.maxHeightPt === null &&
    node.shrinkPt === null
  );
}
