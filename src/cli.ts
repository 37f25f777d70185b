import { Command, CommanderError } from 'commander';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { CommandFailed, UsageError } from './commands/console/failure.ts';
import { easeChoices } from './commands/console/usage/choices.ts';
import { HELP_FORMAT, wrapParagraphs } from './commands/console/usage/help-width.ts';
import { hintFor } from './commands/console/usage/hints.ts';
import { refuseRepeated } from './commands/console/usage/repeated.ts';
import { checkValues } from './commands/console/usage/values.ts';
import {
  beginCommand,
  endCommand,
  writeErr,
  writeOut,
  type Terminal,
} from './commands/console/terminal.ts';
import { ConfigError, HOME, PinRefusedError } from './settings/config.ts';
import { defineTool, type CommandModule } from './commands/console/tools.ts';
import { endAtOnce } from './start/ending.ts';
import { describeError } from './log/log.ts';
import { reasonOf } from './store/reason.ts';
import { StorageUnavailable } from './store/store.ts';

interface CommandEntry {
  readonly summary: string;
  readonly load: () => Promise<CommandModule>;
  /** It is in `tools/`, which an image for production lacks. */
  readonly isTool?: true;
}

/** The commands in the order of the help. A module is loaded only when its command runs. */
const COMMANDS: Readonly<Record<string, CommandEntry>> = {
  serve: { summary: 'run the service', load: () => import('./commands/serve.ts') },
  settings: {
    summary: 'show the settings in force',
    load: () => import('./commands/settings.ts'),
  },
  doctor: {
    summary: 'say what is wrong with this machine and these settings',
    load: () => import('./commands/doctor.ts'),
  },
  demo: {
    summary: 'run a fresh service with sample templates and make one document of each sample',
    load: () => import('./commands/demo.ts'),
  },
  test: {
    summary: 'run the tests, or a part of them',
    load: () => import('../tools/dev/test.ts'),
    isTool: true,
  },
  check: {
    summary: 'check types, lint, format and unused code',
    load: () => import('../tools/dev/check.ts'),
    isTool: true,
  },
  bench: {
    summary: 'measure speed',
    load: () => import('../tools/dev/bench.ts'),
    isTool: true,
  },
  tune: {
    summary: 'find pool size, queue bound and memory for this machine by measuring',
    load: () => import('../tools/tune/command.ts'),
    isTool: true,
  },
  conform: {
    summary: 'judge PDF files by PDF/A and PDF/UA',
    load: () => import('../tools/pdfa/command.ts'),
    isTool: true,
  },
  migrate: {
    summary: 'bring the database to the current schema',
    load: () => import('./commands/migrate.ts'),
  },
  studio: {
    summary: 'build the browser application, where it is missing or old',
    load: () => import('./commands/studio.ts'),
  },
  teams: { summary: 'add and list teams', load: () => import('./commands/teams.ts') },
  keys: { summary: 'add, list and revoke API keys', load: () => import('./commands/keys.ts') },
  users: { summary: 'add and list users', load: () => import('./commands/users.ts') },
  sessions: {
    summary: 'open a browser session for a user',
    load: () => import('./commands/sessions.ts'),
  },
  templates: {
    summary: 'check, save, publish, list and export templates',
    load: () => import('./commands/templates.ts'),
  },
  render: {
    summary: 'render template and data to a PDF file, without a server',
    load: () => import('./commands/render.ts'),
  },
  expression: {
    summary: 'evaluate an expression with the data of a file',
    load: () => import('./commands/expression/command.ts'),
  },
  audit: { summary: 'list audit records', load: () => import('./commands/audit.ts') },
  usage: {
    summary: 'count documents, pages and bytes by team, for a month',
    load: () => import('./commands/audit/usage.ts'),
  },
  batch: {
    summary: 'generate a document for each line of a file, over HTTP',
    load: () => import('./commands/batch.ts'),
  },
  runs: {
    summary: 'run a large job inside the service: a document for each row of a file',
    load: () => import('./commands/runs/command.ts'),
  },
  verify: {
    summary: 'tell whether this service issued a PDF',
    load: () => import('./commands/verify.ts'),
  },
  backup: {
    summary: 'write rows and files of the running service into a folder',
    load: () => import('./commands/backup.ts'),
  },
  restore: {
    summary: 'put a backup into an empty database and file store',
    load: () => import('./commands/restore.ts'),
  },
  encryption: {
    summary: 'make keys for stored files, count files by key, change the key',
    load: () => import('./commands/encryption/command.ts'),
  },
  sweep: {
    summary: 'remove expired documents and orphan files now',
    load: () => import('./commands/sweep.ts'),
  },
  scrub: {
    summary: 'read all stored files and report what is damaged or missing',
    load: () => import('./commands/scrub.ts'),
  },
};

const EXIT_FAILED = 1;
const EXIT_USAGE = 2;
/** EX_CONFIG of sysexits(3): units of supervisors name it as a reason not to start again. */
const EXIT_PIN_REFUSED = 78;

/** Runs one command line; resolves to the exit code when the command is done. */
export async function run(argv: readonly string[], terminal?: Terminal): Promise<number> {
  beginCommand(terminal);
  const program = new Command('intaglio')
    .description('Self-hosted PDF generation: published templates and data in, PDF out.')
    .version(version())
    .showHelpAfterError('(add --help for options and examples)')
    .exitOverride()
    .configureHelp(HELP_FORMAT)
    .configureOutput({ writeOut: (text) => writeOut(wrapParagraphs(text)), writeErr })
    // Otherwise --version after a command would mean the program's own option.
    .enablePositionalOptions()
    .addHelpText('after', MAIN_HELP);
  const chosen = argv[0] === 'help' ? argv[1] : argv[0];
  for (const [name, entry] of Object.entries(COMMANDS)) {
    const command = program.command(name).description(entry.summary);
    if (name !== chosen) continue;
    if (entry.isTool) await defineTool(command, entry.load);
    else await (await entry.load()).default(command);
    refuseRepeated(command);
    easeChoices(command);
    checkValues(command);
  }
  const words = withoutHelp(argv);
  try {
    await program.parseAsync(words, { from: 'user' });
    return endCommand();
  } catch (error) {
    if (!(error instanceof CommanderError)) return explain(error);
    const hint = hintFor(error, program, words);
    if (hint !== null) writeErr(`${hint}\n`);
    return error.exitCode === 0 ? 0 : EXIT_USAGE;
  }
}

/**
 * `help NAME` as `NAME` if there is no command of that name: commander reports an unknown command, but
 * not an unknown argument of `help`.
 */
function withoutHelp(argv: readonly string[]): readonly string[] {
  const [word, name = ''] = argv;
  const isMistyped = word === 'help' && /^\w/.test(name) && name !== 'help';
  return isMistyped && !Object.hasOwn(COMMANDS, name) ? argv.slice(1) : argv;
}

const MAIN_HELP = `
Every command has its own help with examples: intaglio COMMAND --help
Settings are environment variables: docs/settings.md

First steps:
  $ ./intaglio demo             a running service with sample documents
  $ ./intaglio serve            the service itself, on http://127.0.0.1:8080

Exit codes: 0 done, 1 failed, 2 wrong usage, 78 a token refused its PIN.`;

function version(): string {
  const manifest: unknown = JSON.parse(readFileSync(join(HOME, 'package.json'), 'utf8'));
  const hasVersion = typeof manifest === 'object' && manifest !== null && 'version' in manifest;
  return hasVersion ? String(manifest.version) : 'unknown';
}

/** Prints why a command failed; returns the exit code. */
function explain(error: unknown): number {
  const expected = [CommandFailed, ConfigError, StorageUnavailable, UsageError];
  if (error instanceof Error && expected.some((type) => error instanceof type)) {
    for (const line of error.message.split('\n')) writeErr(`intaglio: ${line}\n`);
    if (error instanceof PinRefusedError) return EXIT_PIN_REFUSED;
    return error instanceof UsageError ? EXIT_USAGE : EXIT_FAILED;
  }
  writeErr(`intaglio: unexpected: ${JSON.stringify(describeError(error), null, 2)}\n`);
  return EXIT_FAILED;
}

/**
 * Ends the command if its output cannot be written; silently if the reader has ended (`| head`).
 */
function endUnread({ code = '' }: NodeJS.ErrnoException): void {
  if (code !== 'EPIPE') writeErr(`intaglio: cannot write the output: ${reasonOf(code)}\n`);
  process.exit(EXIT_FAILED);
}

/** How long files and sockets may stay open after a command is done and its output is read. */
const LINGER_MS_MAX = 3_000;

/** Ends the process, which something still holds, such as a file call on a hung disk. */
function endLingering(): void {
  const unread = process.stdout.writableLength + process.stderr.writableLength;
  if (unread === 0) endAtOnce();
}

if (process.argv[1] === import.meta.filename) {
  process.stdout.on('error', endUnread);
  process.exitCode = await run(process.argv.slice(2));
  setInterval(endLingering, LINGER_MS_MAX).unref();
}
