import { table } from '../output.ts';
import type { Comparison } from './advice.ts';
import type { Report } from './measure.ts';
import { variablesOf } from './trial.ts';
import type { Workload } from './workload.ts';

/** What `--json` prints. */
export function toJson({ advice, comparison, ...rest }: Report, cores: number): object {
  const settings = Object.fromEntries(
    Object.entries(variablesOf(advice)).map(([name, value]) => [name, Number(value)]),
  );
  return { settings, ...comparison, cores, ...rest };
}

/** Figures as comments, then a line for each setting. */
export function describe(
  { advice, candidates, advised, defaults, comparison, ...report }: Report,
  { origin, templates }: Workload,
  cores: number,
  seconds: number,
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
    conclude(comparison),
  ];
  const lines = Object.entries(variablesOf(advice)).map(([name, value]) => `${name}=${value}`);
  return [...comments.map((line) => `# ${line}`.trimEnd()), ...lines].join('\n');
}

/** Says plainly when nothing is won. */
function conclude({ ratio, noise, verdict }: Comparison): string {
  const figure = `${ratio.toFixed(2)} times their documents/s, ± ${percent(noise)}`;
  switch (verdict) {
    case 'better':
      return `The advice is faster than the defaults: ${figure}.`;
    case 'as good':
      return `The defaults are as good: the advice makes ${figure}.`;
    case 'worse':
      return `Keep the defaults: the advice makes ${figure}. Was the machine busy?`;
  }
}

function percent(share: number): string {
  return `${(share * 100).toFixed(0)} %`;
}
