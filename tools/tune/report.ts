import { counted, table } from '../../src/commands/console/output.ts';
import type { Comparison, Settings } from './advice.ts';
import { nameOf, type Report, type Row } from './measure.ts';
import { variablesOf } from './trial.ts';
import type { Workload } from './workload.ts';

/** The output of `--json`. */
export function toJson(report: Report, cores: number, warnings: readonly string[]): object {
  const { settings, advice, comparison, ...rest } = report;
  return {
    warnings,
    settings: settings === null ? {} : numbersOf(settings),
    advice: numbersOf(advice),
    ...comparison,
    cores,
    ...rest,
  };
}

function numbersOf(settings: Settings): object {
  return Object.fromEntries(
    Object.entries(variablesOf(settings)).map(([name, value]) => [name, Number(value)]),
  );
}

/** Figures and warnings as comments, then a line for each setting that is advised. */
export function describe(
  { settings, advice, candidates, advised, defaults, comparison, ...report }: Report,
  workload: Workload,
  cores: number,
  seconds: number,
  warnings: readonly string[],
): string {
  const rows: readonly Row[] = [
    ...candidates.map((one) => [nameOf(one.threads), one] as const),
    [comparison.verdict === 'better' ? 'the advice' : 'the best of them', advised],
    ['the defaults', defaults],
  ];
  const comments = [
    headOf(workload, cores, seconds),
    ...figuresOf(rows),
    `rounds differ by ${percent(report.noise)}; sending took ${report.senderCores.toFixed(1)} cores`,
    `heap of a renderer: at most ${report.peakHeapMb.toFixed(0)} MB`,
    ...warnings,
    ...(report.isWarm ? [] : [COLD]),
    conclude(comparison, advice),
  ];
  const lines = Object.entries(settings === null ? {} : variablesOf(settings)).map(
    ([name, value]) => `${name}=${value}`,
  );
  return [...comments.map(comment), ...lines].join('\n');
}

/** The rounds of a measurement that was stopped: figures, and no lines to paste. */
export function describeStopped(
  rows: readonly Row[],
  workload: Workload,
  cores: number,
  seconds: number,
): string {
  const lines = [headOf(workload, cores, seconds), ...figuresOf(rows), 'stopped: no advice'];
  return lines.map(comment).join('\n');
}

function comment(line: string): string {
  return `# ${line}`.trimEnd();
}

function headOf({ origin, templates }: Workload, cores: number, seconds: number): string {
  const samples = templates.reduce((sum, template) => sum + template.samples.length, 0);
  return `${counted(templates.length, 'template')} with ${counted(samples, 'sample')} (${origin}), ${counted(cores, 'core')}, ${seconds} s`;
}

function figuresOf(rows: readonly Row[]): readonly string[] {
  const cells = rows.map(([name, figures]) => [
    name,
    figures.documentsPerSecond.toFixed(0),
    `${figures.least.toFixed(0)} to ${figures.most.toFixed(0)}`,
    figures.p50Ms.toFixed(1),
    figures.p99Ms.toFixed(1),
  ]);
  return table(['', 'documents/s', 'rounds', 'p50 ms', 'p99 ms'], cells, '').split('\n');
}

const COLD = 'the services still became faster while they were measured: give more --seconds';

/** The verdict. Unless the advice is faster, there are no lines to paste, and it says so. */
function conclude(
  { ratio, ratioMin, ratioMax, verdict }: Comparison,
  { threads, queueMax, memoryMb }: Settings,
): string {
  const range = `${ratioMin.toFixed(2)} to ${ratioMax.toFixed(2)}`;
  const settings = `with ${counted(threads, 'thread')}, a queue of ${queueMax} and ${memoryMb} MB`;
  // Each round has a pair of turns; the median of their ratios is not that of the table's medians.
  const figure =
    `${ratio.toFixed(2)} times the documents/s of the defaults (median of the ratios of each round; ` +
    `${range}), ${settings}`;
  switch (verdict) {
    case 'better':
      return `The advice is faster than the defaults: ${figure}.`;
    case 'as good':
      return `No setting was better beyond the noise, so none is advised: the best made ${figure}.`;
    case 'unclear':
      return (
        'The rounds differ too much to tell, so no setting is advised: in single rounds the best made ' +
        `${range} times the documents/s of the defaults, ${settings}. Measure on a quiet machine.`
      );
    case 'worse':
      return `No setting was better, the defaults are faster: the best other one made ${figure}.`;
  }
}

function percent(share: number): string {
  return `${(share * 100).toFixed(0)} %`;
}
