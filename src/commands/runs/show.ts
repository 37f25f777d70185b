import {
  isUnstarted,
  type Run,
  type RunException,
  type RunReason,
  type Runs,
  type RunWithParts,
} from '#client';
import { adviceOf, cureOf, reasonIn } from '../../runtime/contract/cell-cure.ts';
import { FormatTally, type OtherFormat, sayOther } from '../../runtime/csv/other-format.ts';
import { counted, show } from '../console/output.ts';
import { firstOf } from './calling.ts';
import { decidedBy, mayHaveOther, otherFormatOf } from './other-format.ts';
import { sayReason } from './reasons.ts';
import { nameOf, namesOf, placeOf } from './row-name.ts';
import { writeOut } from '../console/terminal.ts';

/** Exceptions of each outcome that are named after a run has ended. */
const NAMED_MAX = 10;
/** Exceptions of each outcome that are read to find equal reasons. */
const READ_MAX = 1_000;
/** Rows that are named by their lines alone, since nobody has to mend them. */
const NAMED = [
  ['identical', 'identical to earlier ones'],
  ['withdrawn', 'withdrawn'],
] as const;

export interface JsonOption {
  readonly json?: boolean;
}

/**
 * Prints the state of a run, its counts, and why it stopped. `otherFormat`: what to do where the format
 * of the file is at fault, in place of corrections.
 */
export function showRun(
  run: Run | RunWithParts,
  { json }: JsonOption,
  otherFormat: string | null = null,
): void {
  show(json, run, () => {
    const { received, stored, invalid, failed, pages } = run.counts;
    const reasons =
      otherFormat === null
        ? run.reasons.map((reason) => `  ${sayReason(run, reason)}`)
        : [
            `  ${counted(invalid, 'row')} ${invalid === 1 ? 'is' : 'are'} invalid: ${otherFormat}`,
            ...run.reasons.filter(isOther).map((one) => `  ${sayPlain(one)}`),
          ];
    if (run.state === 'stopped' && run.reasons.length === 0) {
      reasons.push(
        `  what stopped it holds no more, so start again: ./intaglio runs start ${run.runId}`,
      );
    }
    const others = (['pending', 'withdrawn', 'identical', 'refused'] as const)
      .filter((name) => run.counts[name] > 0)
      .map((name) => `, ${run.counts[name]} ${wordFor(run, name)}`);
    const line =
      `${stateWord(run)}: ${counted(received, 'row')}, ${stored} stored (${counted(pages, 'page')}), ` +
      `${invalid} invalid, ${failed} failed${others.join('')}`;
    return [line, ...reasons].join('\n');
  });
}

/** Whether this is not said by the invalid rows themselves. */
function isOther({ name }: RunReason): boolean {
  return name !== 'invalid' && name !== 'invalid_share';
}

/** A reason without the advice that the right format makes needless. */
function sayPlain({ name, expected, actual }: RunReason): string {
  return `${name}: expected ${expected}, actual ${actual}`;
}

/** The state in a word for a person: a dry run that has ended takes parts again, and was checked. */
export function stateWord(run: Run | RunWithParts): string {
  return run.state === 'receiving' && !isUnstarted(run) ? 'checked' : run.state;
}

/** A cancelled run makes no document of the rows that the service counts as pending. */
function wordFor({ state }: Run | RunWithParts, count: string): string {
  return state === 'cancelled' && count === 'pending' ? 'not made' : count;
}

/** The advice where only the format of the file is at fault; null: it is not. */
export async function findOtherFormat(runs: Runs, run: Run | RunWithParts): Promise<string | null> {
  if (!mayHaveOther(run)) return null;
  const rows = await firstOf(runs.exceptions(run.runId, { outcome: 'invalid' }), READ_MAX);
  return otherFormatOf(rows, run);
}

/**
 * Names the first rows that are identical to others, withdrawn, refused, invalid or failed.
 * `otherFormat`: what has been said already of the invalid ones.
 */
export async function showExceptions(
  runs: Runs,
  run: Run | RunWithParts,
  otherFormat: string | null = null,
): Promise<void> {
  const { runId, counts } = run;
  for (const [outcome, said] of NAMED) {
    const count = counts[outcome];
    if (!(count > 0)) continue;
    const rows = await firstOf(runs.exceptions(runId, { outcome }), NAMED_MAX);
    const lines = rows.map(placeOf).join(', ');
    const more = count > rows.length ? ', …' : '';
    writeOut(`  ${count === 1 ? '1 row is' : `${count} rows are`} ${said}: ${lines}${more}\n`);
  }
  for (const outcome of ['refused', 'invalid', 'failed'] as const) {
    // An older service does not count them.
    if (!(counts[outcome] > 0)) continue;
    const rows = await firstOf(runs.exceptions(runId, { outcome }), READ_MAX);
    const { lines, told } = linesOf(rows, counts.received - counts.identical, run.csv);
    for (const line of lines) writeOut(`  ${line}\n`);
    const left = counts[outcome] - told;
    if (left > 0) writeOut(`  … and ${left} more: ./intaglio runs exceptions ${runId}\n`);
    if (otherFormat !== null) continue;
    for (const advice of advicesOf(rows, run)) writeOut(`  ${advice}\n`);
  }
}

/**
 * Lines for a person, of which rows with equal reasons share one; `told`: how many rows they name.
 * `rowCount` rows are all that the run has, in files of the format `csv`.
 */
function linesOf(
  rows: readonly RunException[],
  rowCount: number,
  csv: Run['csv'],
): { readonly lines: readonly string[]; readonly told: number } {
  const groups = [...Map.groupBy(rows, (row) => reasonOf(row, csv))].slice(0, NAMED_MAX);
  let told = 0;
  const lines = groups.map(([reason, group]) => {
    told += group.length;
    const [first] = group;
    if (group.length === 1 && first !== undefined) return lineOf(first, csv);
    const all = group.length === rowCount ? 'all ' : '';
    return `${all}${group.length} rows ${reason}: ${namesOf(group, NAMED_MAX)}`;
  });
  return { lines, told };
}

/** One line for a person: where the row stands, and what is wrong with it, in the notation of its file. */
export function lineOf(row: RunException, csv: Run['csv']): string {
  return `${nameOf(row)} ${reasonOf(row, csv)}`;
}

function reasonOf({ outcome, fields, message = '' }: RunException, csv: Run['csv']): string {
  // An older service does not say the format.
  const format = csv ?? {};
  const named = fields?.map(({ field, reason }) => `${field}: ${reasonIn(reason, format)}`);
  const reasons = named?.join('; ') ?? message;
  return reasons === '' ? outcome : `${outcome}: ${reasons}`;
}

/**
 * Says what mends whole columns of the rows, in the notation of their file; each advice once. Where most
 * rows of the run fail for a column that another format would read, only that is advised.
 */
export function advicesOf(
  rows: readonly RunException[],
  { csv: format, counts }: Pick<Run, 'csv' | 'counts'>,
): ReadonlySet<string> {
  // An older service does not say it.
  const csv = format ?? {};
  const fitting = decidedBy(rows, csv);
  const advices = new Set<string>();
  const wrongDays: RunException[] = [];
  const tallies = new Map<string, FormatTally>();
  const cures = new Map<string, string>();
  for (const row of rows) {
    for (const { field, reason } of row.fields ?? []) {
      const cell = row.data?.[field];
      const cure = cureOf(reason, cell, csv);
      if (cure === null || typeof cell !== 'string') continue;
      if (cure === 'day') {
        if (wrongDays.at(-1) !== row) wrongDays.push(row);
        continue;
      }
      const advice = adviceOf(cure, csv, 'run', fitting);
      const type = cure === 'amount' ? 'number' : 'date';
      const tally = tallies.get(field) ?? new FormatTally(type, csv);
      tallies.set(field, tally);
      tally.add(cell, 0);
      cures.set(field, advice);
    }
  }
  if (wrongDays.length > 0) {
    advices.add(`${adviceOf('day', csv, 'run')}: ${namesOf(wrongDays, NAMED_MAX)}`);
  }
  const isMost = counts.invalid * 2 > counts.received - counts.identical;
  for (const [field, tally] of tallies) {
    const other = tally.better();
    if (other === null || !isMost) advices.add(cures.get(field) ?? '');
    if (other !== null) advices.add(sayRun(field, other, isMost));
  }
  return advices;
}

/** Another format for a column of a run. `isSure`: most rows of the run are invalid without it. */
function sayRun(field: string, other: OtherFormat, isSure: boolean): string {
  const advice = isSure ? ': make a new run' : '; if the whole file is written so, make a new run';
  // Another calendar alone gives a date that was read no other meaning.
  const isRisky = /--(?:decimal|date)/.test(other.options);
  const valid = isRisky ? '; cells of valid rows may have been read with another value, too' : '';
  return `${field}: ${sayOther(other, 'of these rows')}${advice}${valid}`;
}
