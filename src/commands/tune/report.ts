import { table } from '../console/output.ts';
import type { Comparison, Settings } from './advice.ts';
import type { Report } from './measure.ts';
import { variablesOf } from './trial.ts';
import type { Workload } from './workload.ts';

/** The output of `--json`. */
export function toJson(report: Report, cores: number, warnings: readonly string[]): object {
  const { settings, advice, comparison, ...rest } = report;
  return {
    warnings,
    settings: numbersOf(settings),
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

/** Figures and warnings as comments, then a line for each setting. */
export function describe(
  { settings, advice, candidates, advised, defaults, comparison, ...report }: Report,
  { origin, templates }: Workload,
  cores: number,
  seconds: number,
  warnings: readonly string[],
): string {
  const rows = [
    ...candidates.map((one) => [`threads: ${one.threads}`, one] as const),
    ['the advice', advised] as const,
    ['the defaults', defaults] as const,
  ].map(([name, slice]) => [
    name,
    slice.documentsPerSecond.toFixed(0),
    slice.p50Ms.toFixed(1),
    slice.p99Ms.toFixed(1),
  ]);
  const figures = table(['', 'documents/s', 'p50 ms', 'p99 ms'], rows, '').split('\n');
  const samples = templates.reduce((sum, template) => sum + template.samples.length, 0);
  const comments = [
    `${templates.length} templates with ${samples} samples (${origin}), ${cores} cores, ${seconds} s`,
    ...figures,
    `rounds differ by ${percent(report.noise)}; sending took ${report.senderCores.toFixed(1)} cores`,
    `heap of a renderer: at most ${report.peakHeapMb.toFixed(0)} MB`,
    ...warnings,
    conclude(comparison, advice),
  ];
  const lines = Object.entries(variablesOf(settings)).map(([name, value]) => `${name}=${value}`);
  return [...comments.map((line) => `# ${line}`.trimEnd()), ...lines].join('\n');
}

/**
 * The verdict. When the advice is not faster, the lines to paste are the defaults, and it says so.
 */
function conclude({ ratio, noise, verdict }: Comparison, advice: Settings): string {
  const figure =
    `${ratio.toFixed(2)} times their documents/s, ± ${percent(noise)}, ` +
    `with ${advice.threads} threads`;
  switch (verdict) {
    case 'better':
      return `The advice is faster than the defaults: ${figure}.`;
    case 'as good':
      return `The defaults are as good, and below: the advice makes ${figure}.`;
    case 'unclear':
      return `The rounds differ too much to tell; the defaults are below: the advice makes ${figure}.`;
    case 'worse':
      return `The defaults are faster, and below: the advice makes ${figure}.`;
  }
}

function percent(share: number): string {
  return `${(share * 100).toFixed(0)} %`;
}
