import type { Command } from 'commander';
import { mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, loadavg, tmpdir, totalmem } from 'node:os';
import { join } from 'node:path';

import { readConfig, unknownSettings } from '../../src/settings/config.ts';
import { busyMachine } from '../../src/runtime/busy-machine.ts';
import { startStepLine } from '../../src/runtime/step-line.ts';
import { CommandFailed, UsageError } from '../../src/commands/console/failure.ts';
import { show } from '../../src/commands/console/output.ts';
import { writeErr, writeOut } from '../../src/commands/console/terminal.ts';
import { measure, type Row } from './measure.ts';
import { describe, describeStopped, toJson } from './report.ts';
import { readWorkload } from './workload.ts';

interface Options {
  readonly templates?: string;
  readonly seconds: number;
  readonly wait: number;
  readonly json?: boolean;
}

/** Default and maximum of --seconds. */
const SECONDS = 50;
const SECONDS_MAX = 3_600;
/** Default and maximum of --wait. */
const WAIT_SECONDS = 2;
const WAIT_SECONDS_MAX = 60;

export default function define(command: Command): void {
  command
    .option('--templates <folder>', 'templates to measure with, instead of the published ones')
    .option(
      '--seconds <number>',
      'total time; longer where starting the services needs it',
      within('--seconds', SECONDS_MAX),
      SECONDS,
    )
    .option(
      '--wait <seconds>',
      'longest wait for a renderer that the queue may make',
      within('--wait', WAIT_SECONDS_MAX),
      WAIT_SECONDS,
    )
    .option('--json', 'print JSON: settings, verdict, ratio with its spread, candidates')
    .addHelpText(
      'after',
      `
Finds pool size, queue bound and memory per worker for this machine and your templates. It starts
services with temporary databases, sends them the samples of your templates (the published ones of the
configured database, or else those that ship with the service), warms them up and measures them in
turn. The best settings are then measured beside the defaults, with services that are started twice. It
prints them as lines to paste if they were faster in every round, and advises nothing otherwise. Other
lines begin with #; each figure has the slowest and fastest round beside it. Stopped by Ctrl-C, it prints
the rounds measured so far, and no advice. Run it on a quiet machine of the kind that serves.

Examples:
  $ ./intaglio tune
  $ ./intaglio tune --templates ./my-templates --seconds 120 > tuned.env`,
    )
    .action(tune);
}

/** A parser of a number above 0 and at most `max`. */
function within(option: string, max: number): (text: string) => number {
  return (text) => {
    const value = /^\d{1,6}(?:\.\d{1,3})?$/.test(text) ? Number(text) : Number.NaN;
    if (value > 0 && value <= max) return value;
    throw new UsageError(`${option} is "${text}"; allowed: number above 0, at most ${max}`);
  };
}

async function tune({ templates, seconds, wait, json }: Options): Promise<void> {
  const config = readConfig(process.env);
  const workload = await readWorkload(templates, say);
  const cores = availableParallelism();
  const warnings = warningsOf(cores);
  for (const warning of warnings) say(warning);
  const interrupted = new AbortController();
  const interrupt = (): void => interrupted.abort();
  process.once('SIGINT', interrupt).once('SIGTERM', interrupt);
  const folder = mkdtempSync(join(tmpdir(), 'intaglio-tune-'));
  const startMs = performance.now();
  const tookSeconds = (): number => Math.round((performance.now() - startMs) / 1000);
  let rows: readonly Row[] = [];
  const steps = startStepLine();
  try {
    const report = await measure({
      config,
      workload,
      folder,
      cores,
      memoryBytes: Math.min(totalmem(), process.constrainedMemory() || Infinity),
      budgetMs: seconds * 1000,
      waitSeconds: wait,
      signal: interrupted.signal,
      say: (line) => steps.aside(() => say(line)),
      step: (text) => steps.begin(`intaglio: ${text}`),
      keep: (measured) => {
        rows = measured;
      },
    });
    steps.end();
    show(json, toJson(report, cores, warnings), () =>
      describe(report, workload, cores, tookSeconds(), warnings),
    );
  } catch (error) {
    if (!interrupted.signal.aborted) throw error;
    steps.end();
    // The JSON has a verdict always, which such a measurement has not.
    if (rows.length > 0 && json !== true) {
      writeOut(`${describeStopped(rows, workload, cores, tookSeconds())}\n`);
    }
    throw new CommandFailed('stopped before the end: no advice');
  } finally {
    steps.end();
    process.off('SIGINT', interrupt).off('SIGTERM', interrupt);
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Reasons why the figures are worse than they could be. */
function warningsOf(cores: number): string[] {
  const warnings: string[] = [];
  if (cores === 1) {
    warnings.push('there is one core only, and sending the requests takes its part of it');
  }
  const unknown = unknownSettings(process.env);
  if (unknown.length > 0) {
    warnings.push(
      `not measured, as there is no such setting: ${unknown.join(', ')} (docs/settings.md)`,
    );
  }
  const busy = busyMachine(loadavg()[0] ?? 0);
  if (busy !== null) warnings.push(`${busy}: tune it again when quiet`);
  return warnings;
}

function say(line: string): void {
  writeErr(`intaglio: ${line}\n`);
}
