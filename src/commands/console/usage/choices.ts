import { type Command, InvalidArgumentError, type Option } from 'commander';
import { suggestion } from '../../../runtime/nearest.ts';

/**
 * Makes the options of a command and of those below it take their choices in upper and lower case, and
 * name the nearest choice for another word.
 */
export function easeChoices(command: Command): void {
  for (const option of command.options) easeOption(option);
  for (const below of command.commands) easeChoices(below);
}

function easeOption(option: Option): void {
  const { argChoices } = option;
  if (argChoices === undefined || option.variadic) return;
  option.argParser((word: string) => choose(word, argChoices));
}

function choose(word: string, choices: readonly string[]): string {
  const chosen =
    choices.find((choice) => choice === word) ??
    choices.find((choice) => choice.toLowerCase() === word.toLowerCase());
  if (chosen !== undefined) return chosen;
  const near = word.length > 1 ? suggestion(word, choices) : '';
  // Commander puts the name of the option and the word before it.
  throw new InvalidArgumentError(`Allowed choices are ${choices.join(', ')}${near || '.'}`);
}
