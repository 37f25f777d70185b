import type { Failed, FileReport, Tally } from './tally.ts';

/** Failures that the summary names, two lines each; the log above it has all. */
const FAILURES_SHOWN = 20;
const SLOWEST_SHOWN = 10;
const LINE_LENGTH_MAX = 160;

/** The counts of all files together. */
export function sumTallies(reports: readonly FileReport[]): Tally {
  const total: Tally = { passed: 0, failed: 0, skipped: 0 };
  for (const { tally } of reports) {
    total.passed += tally.passed;
    total.failed += tally.failed;
    total.skipped += tally.skipped;
  }
  return total;
}

/**
 * The last lines of a run: each failure again, the slowest files if asked for, and the counts. Many
 * systems keep only the end of a long log, so that end has to name what failed.
 */
export function summarize(reports: readonly FileReport[], showsSlowest: boolean): string[] {
  const { passed, failed, skipped } = sumTallies(reports);
  return [
    ...listFailures(reports),
    ...(showsSlowest ? listSlowest(reports) : []),
    `${passed} passed, ${failed} failed, ${skipped} skipped`,
  ];
}

function listFailures(reports: readonly FileReport[]): string[] {
  const all = reports.flatMap(({ file, failures }) => failures.map((failed) => ({ file, failed })));
  if (all.length === 0) return [];
  const lines = all.slice(0, FAILURES_SHOWN).flatMap(({ file, failed }) => {
    // A file without a failed point bears its own name.
    const title = failed.name === file ? file : `${file}  ${failed.name}`;
    const brief = shorten(briefOf(failed));
    return [`  ${shorten(title)}`, ...(brief === '' ? [] : [`      ${brief}`])];
  });
  const further = all.length - FAILURES_SHOWN;
  return ['what failed:', ...lines, ...(further > 0 ? [`  and ${further} more, above`] : [])];
}

/** The place and the message, or the lines that differ, without the head of a diff and the stack. */
function briefOf({ detail }: Failed): string {
  const [told = ''] = detail.split(/^stack:/m);
  return told
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !/^(diff:|--- |\+\+\+ |@@ )/.test(line))
    .join(' | ');
}

/** Keeps the start, which names the test, and the end, which often has a measured value. */
function shorten(text: string): string {
  if (text.length <= LINE_LENGTH_MAX) return text;
  const half = Math.floor((LINE_LENGTH_MAX - 3) / 2);
  return `${text.slice(0, half)} … ${text.slice(-half)}`;
}

/**
 * Says which files to look at when the suite takes too long. Where the machine does other work, too,
 * only the time of CPU tells.
 */
function listSlowest(reports: readonly FileReport[]): string[] {
  const slowest = reports.toSorted((a, b) => cost(b) - cost(a)).slice(0, SLOWEST_SHOWN);
  const lines = slowest.map(
    ({ file, durationMs, cpuSeconds }) =>
      `${(durationMs / 1000).toFixed(1).padStart(6)} s  ${cpuColumn(cpuSeconds)}${file}`,
  );
  const sum = reports.reduce((total, { cpuSeconds = 0 }) => total + cpuSeconds, 0);
  const total = sum > 0 ? `, of ${sum.toFixed(0)} s of CPU` : '';
  return [`the slowest files${total}:`, ...lines];
}

function cost({ durationMs, cpuSeconds }: FileReport): number {
  return cpuSeconds ?? durationMs / 1000;
}

function cpuColumn(cpuSeconds: number | undefined): string {
  return cpuSeconds === undefined ? '' : `${cpuSeconds.toFixed(1).padStart(6)} s of CPU  `;
}
