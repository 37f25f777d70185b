import type { Command, CommanderError } from 'commander';
import { nearest, SUGGESTION_STEPS_MAX } from '../../../runtime/nearest.ts';
import { SETTINGS } from '../../../settings/config.ts';

const QUOTES = "One argument that has a blank needs quotes, such as 'som chai'.";

/** What may help after a wrong call of `program` with `argv`, besides what commander says; or null. */
export function hintFor(
  { code }: CommanderError,
  program: Command,
  argv: readonly string[],
): string | null {
  const { command, rest } = commandOf(program, argv);
  if (code === 'commander.unknownOption') return settingHint(command, rest);
  if (code !== 'commander.excessArguments') return null;
  // The shell may have split at its blanks what was meant as one argument.
  return subcommandHint(command, rest[0] ?? '') ?? QUOTES;
}

interface Call {
  /** The command that the first words name. */
  readonly command: Command;
  readonly rest: readonly string[];
}

function commandOf(program: Command, argv: readonly string[]): Call {
  let call: Call = { command: program, rest: argv };
  for (;;) {
    const [word, ...rest] = call.rest;
    const command = call.command.commands.find((one) => one.name() === word);
    if (command === undefined) return call;
    call = { command, rest };
  }
}

function subcommandHint(command: Command, word: string): string | null {
  const names = command.commands.map((one) => one.name());
  const near = nearest(word, names, { left: SUGGESTION_STEPS_MAX });
  return near === null ? null : `(Did you mean ${command.name()} ${near}?)`;
}

/** Settings are no options: `serve --port 80` is meant as `INTAGLIO_PORT=80 serve`. */
function settingHint(command: Command, words: readonly string[]): string | null {
  const variables = new Set(Object.values(SETTINGS).map((setting): string => setting.variable));
  const known = command.options.map(({ long }) => long);
  for (const word of words) {
    const [option = ''] = word.split('=', 1);
    if (!option.startsWith('--') || known.includes(option)) continue;
    const variable = `INTAGLIO_${option.slice(2).toUpperCase().replaceAll('-', '_')}`;
    if (!variables.has(variable)) continue;
    return `(A setting is an environment variable: ${variable}=… ./intaglio ${command.name()})`;
  }
  return null;
}
