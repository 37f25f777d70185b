import type { Command } from 'commander';
import { UsageError } from '../../src/commands/console/failure.ts';
import { show } from '../../src/commands/console/output.ts';
import { endWith } from '../../src/commands/console/terminal.ts';
import type { Examination } from './conform/examine.ts';
import { judgeFile } from './conform/judge.ts';
import { profileOf, PROFILES } from './conform/levels.ts';
import { describeFile, describeRules, ruleList } from './conform/report.ts';
import type { Profile } from './rules.ts';

interface Options {
  readonly level?: readonly Profile[];
  readonly rules?: boolean;
  readonly json?: boolean;
}

const EXIT_FAILS = 1;
const EXIT_UNDECIDED = 2;

export default function define(command: Command): void {
  command
    .argument('[file...]', 'PDF files')
    .option('--level <level>', 'judge by this level instead of those that a file names', toProfile)
    .option('--rules', 'list what is judged and what is not, without a file')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      `
Judges PDF files by PDF/A-2u, 2a, 3u, 3a and PDF/UA-1: by the levels that a file's metadata names, or
by --level, which can be given several times. Names each rule that fails by clause and test, with page
and object. It says which rules it does not judge: those are no part of its verdict.

Exit codes: 0 every file conforms, 1 one does not, 2 one cannot be read or not be decided, or wrong
usage. docs/archive.md says more.

Examples:
  $ ./intaglio conform statement.pdf
  $ ./intaglio conform --level 2u --level ua *.pdf --json
  $ ./intaglio conform --rules`,
    )
    .action(conform);
}

function toProfile(text: string, before: readonly Profile[] = []): readonly Profile[] {
  const profile = profileOf(text);
  if (profile !== null) return [...before, profile];
  throw new UsageError(`--level is "${text}"; allowed: ${PROFILES.join(', ')}`);
}

async function conform(files: readonly string[], options: Options): Promise<void> {
  if (options.rules === true) {
    show(options.json, ruleList(), describeRules);
    return;
  }
  if (files.length === 0) throw new UsageError('name a PDF file, or give --rules');
  const examined: { readonly file: string; readonly examination: Examination }[] = [];
  for (const file of files) {
    const examination = await judgeFile(file, options.level ?? []);
    examined.push({ file, examination });
  }
  endWith(Math.max(...examined.map(({ examination }) => exitCode(examination))));
  show(
    options.json,
    examined.map(({ file, examination }) => ({ file, ...examination })),
    () => examined.map(({ file, examination }) => describeFile(file, examination)).join('\n'),
  );
}

function exitCode({ unknown, levels, unreadable }: Examination): number {
  if (unreadable !== null) return EXIT_UNDECIDED;
  if (levels.some(({ verdict }) => verdict === 'does not conform')) return EXIT_FAILS;
  if (unknown.length > 0) return EXIT_UNDECIDED;
  // A file that names no level conforms to none.
  if (levels.length === 0) return EXIT_FAILS;
  return levels.every(({ verdict }) => verdict === 'conforms') ? 0 : EXIT_UNDECIDED;
}
