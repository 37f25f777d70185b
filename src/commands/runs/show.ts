import { type CellCure, cureOf, CURES } from '../../runtime/cell-cure.ts';
import { counted, show } from '../console/output.ts';
import { writeOut } from '../console/terminal.ts';
import type { DescribedException, DescribedRun, RunsService } from './service.ts';

/** Exceptions of each outcome that are named after a run has ended. */
const NAMED_MAX = 10;

export interface JsonOption {
  readonly json?: boolean;
}

/** Prints the state of a run, its counts, and why it stopped. */
export function showRun(run: DescribedRun, { json }: JsonOption): void {
  show(json, run, () => {
    const { received, stored, invalid, failed, pages } = run.counts;
    const reasons = run.reasons.map(
      ({ name, expected, actual }) => `  ${name}: expected ${expected}, actual ${actual}`,
    );
    const others = (['pending', 'withdrawn', 'identical', 'refused'] as const)
      .filter((name) => run.counts[name] > 0)
      .map((name) => `, ${run.counts[name]} ${name}`);
    const line =
      `${run.state}: ${counted(received, 'row')}, ${stored} stored (${counted(pages, 'page')}), ` +
      `${invalid} invalid, ${failed} failed${others.join('')}`;
    return [line, ...reasons].join('\n');
  });
}

/** Names the first rows that are identical to others, refused, invalid or failed. */
export async function showExceptions(service: RunsService, run: DescribedRun): Promise<void> {
  const { runId, counts } = run;
  if (counts.identical > 0) {
    const { rows } = await service.exceptions(runId, { outcome: 'identical', limit: NAMED_MAX });
    const lines = rows.map(placeOf).join(', ');
    const more = counts.identical > rows.length ? ', …' : '';
    const what = counts.identical === 1 ? '1 row is' : `${counts.identical} rows are`;
    writeOut(`  ${what} identical to earlier ones: ${lines}${more}\n`);
  }
  for (const outcome of ['refused', 'invalid', 'failed'] as const) {
    // An older service does not count them.
    if (!(counts[outcome] > 0)) continue;
    const { rows } = await service.exceptions(runId, { outcome, limit: NAMED_MAX });
    for (const row of rows) writeOut(`  ${lineOf(row)}\n`);
    const left = counts[outcome] - rows.length;
    if (left > 0) writeOut(`  … and ${left} more: ./intaglio runs exceptions ${runId}\n`);
    for (const cure of curesOf(rows)) writeOut(`  ${CURES[cure]}\n`);
  }
}

/** One line for a person: where the row stands, and what is wrong with it. */
export function lineOf(row: DescribedException): string {
  const { outcome, rowId, fields, message = '' } = row;
  const reasons = fields?.map(({ field, reason }) => `${field}: ${reason}`).join('; ') ?? message;
  const told = reasons === '' ? '' : `: ${reasons}`;
  return `${placeOf(row)}${rowId === '' ? '' : ` (${rowId})`} ${outcome}${told}`;
}

function placeOf({ part, line }: DescribedException): string {
  return part === 1 ? `line ${line}` : `line ${line} of part ${part}`;
}

/** Returns the kinds of advice that mend whole columns. */
export function curesOf(rows: readonly DescribedException[]): ReadonlySet<CellCure> {
  const cures = new Set<CellCure>();
  for (const { fields = [], data } of rows) {
    for (const { field, reason } of fields) {
      const cure = cureOf(reason, data?.[field]);
      if (cure !== null) cures.add(cure);
    }
  }
  return cures;
}
