import type { Command } from 'commander';
import { globSync, statSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join, relative, resolve } from 'node:path';

import { HOME } from '../../src/settings/config.ts';
import { buildStudio } from '../../src/start/studio-build.ts';
import { UsageError } from '../../src/commands/console/failure.ts';
import { keepBundled } from './test/bundled.ts';
import { provide, searchPath } from './test/packages.ts';
import { runFiles } from './test/runner.ts';
import { keepStripped } from './test/stripped.ts';
import { sumTallies, summarize } from './test/summary.ts';
import type { FileReport } from './test/tally.ts';
import { QUIET_MS_MAX } from './test/time-limit.ts';
import { endWith, writeOut } from '../../src/commands/console/terminal.ts';

/** Every test file is in one of these folders. The tests of the last are short. */
const FOLDERS = ['test', 'bench', 'lab', 'tools', 'scripts', 'src'];

/** They start first, so that short files run last and no core waits for a long one at the end. */
const LONGEST: readonly string[] = [
  'test/studio/walk.test.ts',
  'test/hostile/block.test.ts',
  'bench/bench.test.ts',
  'tools/tune/tune.test.ts',
  'test/crash/runs/kill-run.test.ts',
  'test/letterhead/hostile.test.ts',
  'bench/http/compare.test.ts',
  'test/store/disk-faults.test.ts',
  'test/fleet/rolling.test.ts',
  'test/options/combinations.test.ts',
  'test/hostile/store-block.test.ts',
  'test/letterhead/originals.test.ts',
  'test/commands.test.ts',
  'test/runs/two-clerks.test.ts',
  'src/commands/accept.test.ts',
  'src/commands/checks/checks.test.ts',
  'src/workers/pool/pool.test.ts',
];

/** More than there are cores, because some tests wait for processes, disks and timeouts. */
const JOBS = availableParallelism() + 2;

interface Options {
  readonly skips: boolean;
}

export default function define(command: Command): void {
  command
    .argument('[path...]', 'test files or folders; all when none is given')
    .option('--no-skips', 'a skipped test is a failure (also: INTAGLIO_FORBID_SKIPS=1)')
    .addHelpText('after', HELP)
    .action(async (paths: readonly string[], options: Options) => {
      endWith(await test(paths, options));
    });
}

const HELP = `
System packages that tests use (qpdf, poppler-utils, MariaDB) are installed where this runs as root
on Debian or Ubuntu; elsewhere it prints the command to install them and skips those tests.
The last line is always "N passed, N failed, N skipped".

Examples:
  $ ./intaglio test                        everything
  $ ./intaglio test src/store              one folder
  $ ./intaglio test test/spec/errors.test.ts
  $ ./intaglio test --no-skips             as the continuous integration runs it`;

async function test(paths: readonly string[], options: Options): Promise<number> {
  const files = paths.length === 0 ? allFiles() : paths.flatMap((path) => testFiles(path));
  const path = searchPath(process.env['PATH'] ?? '');
  provide(path, process.getuid?.() === 0, say);
  // Otherwise each service that a test starts would build it, until one build is complete.
  await buildStudio(say);
  await keepBundled();
  const nodeOptions = `${process.env['NODE_OPTIONS'] ?? ''} ${keepStripped()}`.trim();
  const reports: FileReport[] = [];
  const ended = await runFiles({
    files,
    env: { PATH: path, NODE_OPTIONS: nodeOptions },
    jobs: JOBS,
    quietMsMax: QUIET_MS_MAX,
    onFile: (report) => {
      showFile(report);
      reports.push(report);
    },
  });
  if (ended < files.length) say(`interrupted: ${files.length - ended} files did not run`);
  const { failed, skipped } = sumTallies(reports);
  const forbidsSkips = !options.skips || process.env['INTAGLIO_FORBID_SKIPS'] === '1';
  const isSkipped = forbidsSkips && skipped > 0;
  if (isSkipped) say('skipped tests are failures here (--no-skips)');
  for (const line of summarize(reports, paths.length === 0)) say(line);
  return failed > 0 || ended < files.length || isSkipped ? 1 : 0;
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`;
}

function say(line: string): void {
  writeOut(`${line}\n`);
}

function allFiles(): string[] {
  const files = FOLDERS.flatMap((folder) => testFiles(join(HOME, folder)));
  return [
    ...LONGEST.filter((file) => files.includes(file)),
    ...files.filter((file) => !LONGEST.includes(file)),
  ];
}

function testFiles(path: string): string[] {
  const absolute = resolve(path);
  const stat = statSync(absolute, { throwIfNoEntry: false });
  if (stat === undefined) throw new UsageError(`there is no ${path}`);
  const files = stat.isDirectory()
    ? globSync('**/*.test.ts', { cwd: absolute }).map((name) => join(absolute, name))
    : [absolute];
  if (files.length === 0) throw new UsageError(`there is no *.test.ts in ${path}`);
  return files.map((file) => relative(HOME, file)).filter((file) => !file.includes('node_modules'));
}

function showFile({ file, tally, durationMs, cpuSeconds, failures, skips }: FileReport): void {
  const { passed, failed, skipped } = tally;
  const counts = [`${passed} passed`, failed > 0 ? `${failed} FAILED` : '']
    .concat(skipped > 0 ? `${skipped} SKIPPED` : '')
    .filter((part) => part !== '');
  const cpu = cpuSeconds === undefined ? '' : `, ${cpuSeconds.toFixed(1)} s of CPU`;
  const time = `${seconds(durationMs)}${cpu}`;
  say(`${failed > 0 ? 'FAIL' : 'ok  '}  ${file}  ${counts.join(', ')}  ${time}`);
  for (const skip of skips) say(`      skipped: ${skip}`);
  for (const { name, detail } of failures) {
    say(`      failed: ${name}`);
    if (detail !== '') say(detail.replaceAll(/^/gm, '        '));
  }
}
