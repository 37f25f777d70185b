import type { Command, Option } from 'commander';
import type { EventEmitter } from 'node:events';
import { UsageError, ValueError } from '../failure.ts';

/** The usual cause of an empty value: `"$ID"` where the shell has no variable `ID`. */
const ADVICE = 'is a variable of the shell not set?';

/**
 * Makes a command and those below it refuse an argument, or a value of an option, that is empty; no
 * command has a use for one. What else is wrong with a value is said with the name of its option.
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
    // Before the value is read: a number, too, is told that it is empty.
    // Commander's types name only `on` of the emitter that a command is.
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
