import type { Command } from 'commander';
import { spawn } from 'node:child_process';
import { globSync, statSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';

import { HOME } from '../../config.ts';
import { buildStudio } from '../../studio-build.ts';
import { UsageError } from '../console/failure.ts';
import { provide, searchPath } from './test/packages.ts';
import { tallyStream, type FileReport, type Tally } from './test/tally.ts';
import { endWith, writeOut } from '../console/terminal.ts';

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
  const files = paths.flatMap((path) => testFiles(path));
  const path = searchPath(process.env['PATH'] ?? '');
  provide(path, process.getuid?.() === 0, say);
  // Else each service that a test starts builds it beside the tests, until one build is complete.
  await buildStudio(say);
  const { tally, exitCode } = await runTap(files, path);
  const forbidsSkips = !options.skips || process.env['INTAGLIO_FORBID_SKIPS'] === '1';
  if (forbidsSkips && tally.skipped > 0) say('skipped tests are failures here (--no-skips)');
  // Tap may fail without a failed point, for instance when it finds no test.
  if (exitCode !== 0 && tally.failed === 0) tally.failed = 1;
  say(`${tally.passed} passed, ${tally.failed} failed, ${tally.skipped} skipped`);
  return tally.failed > 0 || (forbidsSkips && tally.skipped > 0) ? 1 : 0;
}

function say(line: string): void {
  writeOut(`${line}\n`);
}

function testFiles(path: string): string[] {
  const full = resolve(path);
  const stat = statSync(full, { throwIfNoEntry: false });
  if (stat === undefined) throw new UsageError(`there is no ${path}`);
  const found = stat.isDirectory() ? globSync('**/*.test.ts', { cwd: full }) : [''];
  if (found.length === 0) throw new UsageError(`there is no *.test.ts in ${path}`);
  return found
    .filter((name) => !name.includes('node_modules'))
    .map((name) => relative(HOME, join(full, name)));
}

/** Runs tap, and shows each file as it ends. Signals go on to tap, which ends its own processes. */
async function runTap(
  files: readonly string[],
  path: string,
): Promise<{ tally: Tally; exitCode: number }> {
  const tap = join(HOME, 'node_modules/tap/dist/esm/run.mjs');
  const child = spawn(process.execPath, [tap, 'run', '--reporter=tap', '--no-color', ...files], {
    cwd: HOME,
    env: { ...process.env, PATH: path },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const forward = (signal: NodeJS.Signals): void => void child.kill(signal);
  process.on('SIGINT', forward).on('SIGTERM', forward);
  const stream = tallyStream(showFile);
  child.stdout.on('data', (chunk: Uint8Array) => stream.write(chunk));
  const exitCode = await new Promise<number>((ended, failed) => {
    child.once('error', failed);
    child.once('close', (code) => ended(code ?? 1));
  });
  process.off('SIGINT', forward).off('SIGTERM', forward);
  return { tally: stream.end(), exitCode };
}

function showFile({ file, tally, durationMs, failures, skips }: FileReport): void {
  const { passed, failed, skipped } = tally;
  const counts = [`${passed} passed`, failed > 0 ? `${failed} FAILED` : '']
    .concat(skipped > 0 ? `${skipped} SKIPPED` : '')
    .filter((part) => part !== '');
  const time = `${(durationMs / 1000).toFixed(1)} s`;
  say(`${failed > 0 ? 'FAIL' : 'ok  '}  ${file}  ${counts.join(', ')}  ${time}`);
  for (const skip of skips) say(`      skipped: ${skip}`);
  for (const { name, detail } of failures) {
    say(`      failed: ${name}`);
    if (detail !== '') say(detail.replaceAll(/^/gm, '        '));
  }
}
