import type { Command } from 'commander';
import { collect } from '../context.ts';
import { UsageError } from '../failure.ts';

/**
 * Makes a command and those below it refuse an option whose value is given twice, instead of taking the
 * last one. Options that collect their values may be repeated.
 */
export function refuseRepeated(command: Command): void {
  for (const option of command.options) {
    const takesOne = (option.required || option.optional) && !option.variadic;
    if (!takesOne || option.parseArg === collect) continue;
    let isGiven = false;
    command.on(`option:${option.name()}`, () => {
      if (isGiven) throw new UsageError(`${option.long ?? option.flags} is given twice`);
      isGiven = true;
    });
  }
  for (const below of command.commands) refuseRepeated(below);
}
