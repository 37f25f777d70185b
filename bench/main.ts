import { loadavg } from 'node:os';
import { CommandFailed } from '../src/commands/console/failure.ts';
import { ConfigError } from '../src/settings/config.ts';
import { StorageUnavailable } from '../src/store/store.ts';
import { endSteps } from './harness/progress.ts';
import { MissingTool } from './harness/tools.ts';
import { cleanUpAtExit } from '../lab/process/interrupt.ts';
import { busyWarning, describeMachine } from '../lab/machine.ts';
import { refusal } from './arguments.ts';
import { measureFigures } from './measure.ts';
import { parseOptions, USAGE } from './options.ts';
import { benchGate } from './gate/gate.ts';
import { isGate } from './gate/options.ts';
import { isOwn } from './own/options.ts';
import { benchOwn } from './own/own.ts';
import { pageFault } from './report/page.ts';
import type { Figures, Report } from './report/report.ts';
import { targetFault } from './report/targets.ts';
import { printReport, writeFiles } from './report/write.ts';
import { compareFault } from './suites/checkout.ts';
import { planOf } from './suites/plan.ts';

/**
 * `./intaglio bench`. Returns the exit code: 0; 1 when a page is wrong; 2 for a wrong call. Throws
 * one of EXPECTED for a bench that cannot run here, or cannot write its files.
 */
export async function main(argv: readonly string[]): Promise<number> {
  if (isOwn(argv)) return benchOwn(argv);
  if (isGate(argv)) return benchGate(argv);
  const options = parseOptions(argv);
  if (typeof options === 'string') {
    process.stderr.write(refusal(options));
    return 2;
  }
  if (options.help) {
    process.stdout.write(USAGE);
    return 0;
  }
  const { json, html, page } = options;
  const fault =
    targetFault({ json, html, page }) ??
    (page === null ? null : pageFault(page)) ??
    compareFault(options);
  if (fault !== null) {
    process.stderr.write(`${fault}\n`);
    return 2;
  }
  const machine = describeMachine();
  const busy = busyWarning(machine.loadBefore);
  if (busy !== null) process.stderr.write(`${busy}\n`);
  cleanUpAtExit();
  const startMs = performance.now();
  const reportOf = (figures: Figures): Report => ({
    schema: 1,
    machine,
    smoke: options.smoke,
    loadAfter: loadavg()[0] ?? 0,
    durationS: (performance.now() - startMs) / 1000,
    ...figures,
  });
  const figures = await measureFigures(options, planOf(options, machine.cores), (measured) =>
    writeFiles(reportOf(measured), options),
  );
  endSteps();
  const report = reportOf(figures);
  printReport(report);
  await writeFiles(report, options);
  const wrong = wrongPages(report);
  for (const message of wrong) process.stderr.write(`${message}\n`);
  return wrong.length === 0 ? 0 : 1;
}

/**
 * The documents of the service's own engine that are invalid or lack a string of their data: a
 * wrong page is worse than a slow one. Peers may draw pages that lack some.
 */
function wrongPages({ drawings }: Report): string[] {
  const own = drawings.filter(({ version }) => version === drawings[0]?.version);
  return own
    .filter(
      ({ check }) => check.valid === false || (check.stringsFound ?? check.strings) < check.strings,
    )
    .map(
      ({ subject, shape, words, check }) =>
        `${subject} drew ${shape} (${words} words) wrong: ${String(check.stringsFound)} of ` +
        `${check.strings} strings found, valid: ${String(check.valid)}`,
    );
}

/**
 * Failures that are not faults of the bench: something is wrong with a program, file, setting or
 * database.
 */
const EXPECTED = [MissingTool, CommandFailed, ConfigError, StorageUnavailable];

/** Reports in a sentence why the bench could not measure or write, if the cause is the machine. */
async function run(argv: readonly string[]): Promise<number> {
  try {
    return await main(argv);
  } catch (error) {
    if (!(error instanceof Error) || !EXPECTED.some((type) => error instanceof type)) throw error;
    endSteps();
    process.stderr.write(`${error.message}\n`);
    return 2;
  }
}

if (import.meta.main) process.exitCode = await run(process.argv.slice(2));
