import { LIMITS } from '../../limits.ts';
import { isAmount } from '../contract/format/amount.ts';
import { checkIsObject, checkObject, isAbsent } from './vocabulary/check.ts';
import type { ColumnSum } from './context.ts';
import type { Findings } from './vocabulary/findings.ts';
import type { KeyTable } from './vocabulary/values.ts';
import { VALUES as V } from './vocabulary/values.ts';

export interface Sample {
  /** Index in the samples of the file. */
  readonly index: number;
  readonly name: string;
  readonly data: Readonly<Record<string, unknown>>;
}

export const SAMPLE_KEYS = { name: V.name, data: V.object } as const satisfies KeyTable;

/** The template's samples; what is wrong with their shape is a finding. */
export function compileSamples(sources: readonly unknown[], findings: Findings): readonly Sample[] {
  const names = new Set<string>();
  if (sources.length > LIMITS.samplesMax) {
    const message = `Only the first ${LIMITS.samplesMax} samples are read; leave out the others.`;
    findings.warning(`samples[${LIMITS.samplesMax}]`, message);
  }
  return sources.slice(0, LIMITS.samplesMax).flatMap((source, index): Sample[] => {
    const path = `samples[${index}]`;
    const object = checkIsObject(source, path, findings);
    if (object === null) return [];
    const { name = `sample ${index + 1}`, data } = checkObject(object, path, SAMPLE_KEYS, findings);
    if (data === undefined) {
      if (isAbsent(object['data'])) findings.error(path, 'A sample needs "data".');
      return [];
    }
    if (names.has(name)) findings.warning(`${path}.name`, 'Another sample has this name.');
    names.add(name);
    return [{ index, name, data }];
  });
}

/**
 * Warns of sums over a column in which no sample has a number: a contract does not say what a
 * table's columns hold, samples do.
 */
export function reportColumnSums(
  sums: readonly ColumnSum[],
  samples: readonly Sample[],
  findings: Findings,
): void {
  for (const { table, column, path } of sums) {
    const tables = samples.map(({ data }) => data[table]).filter((rows) => Array.isArray(rows));
    const rows = tables.flat().filter((row) => Array.isArray(row));
    if (rows.length === 0) continue;
    const cells = rows.map((row): unknown => row[column]);
    if (cells.some((cell) => typeof cell === 'string' && isAmount(cell))) continue;
    const message = `No sample has a number in column ${column} (from 0) of ${JSON.stringify(table)}.`;
    findings.warning(path, message);
  }
}
