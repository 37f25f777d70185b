import type { Command, Option } from 'commander';
import type { EventEmitter } from 'node:events';
import { UsageError, ValueError } from '../failure.ts';

/** The usual cause of an empty value: `"$ID"` in a shell that has no variable `ID`. */
const ADVICE = 'is a variable of the shell not set?';

/**
 * Makes a command and its subcommands refuse empty arguments and empty values of options, which no
 * command can use. Puts the name of the option before every other message about its value.
 */
export function checkValues(command: Command): void {
  command.hook('preAction', (_, { args, registeredArguments }) => {
    const index = args.indexOf('');
    if (index === -1) return;
    const argument = registeredArguments[index] ?? registeredArguments.at(-1);
    throw new UsageError(`${argument?.name() ?? 'an argument'} is empty: ${ADVICE}`);
  });
  checkOptions(command);
}

function checkOptions(command: Command): void {
  for (const option of command.options) {
    if (!option.required && !option.optional) continue;
    nameInFaults(option);
    // Runs before the value is parsed, so that an empty number is reported as empty. A command is
    // an EventEmitter, but Commander's types declare only its `on`.
    (command as unknown as EventEmitter).prependListener(
      `option:${option.name()}`,
      (value: unknown) => {
        if (value === '') throw new UsageError(`${nameOf(option)} has an empty value: ${ADVICE}`);
      },
    );
  }
  for (const below of command.commands) checkOptions(below);
}

function nameInFaults(option: Option): void {
  const { parseArg } = option;
  if (parseArg === undefined) return;
  option.argParser((value, before) => {
    try {
      return parseArg(value, before);
    } catch (error) {
      if (!(error instanceof ValueError)) throw error;
      throw new UsageError(`${nameOf(option)}: ${error.message}`);
    }
  });
}

function nameOf({ long, flags }: Option): string {
  return long ?? flags;
}
