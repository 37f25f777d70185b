import type { Command } from 'commander';
import { existsSync } from 'node:fs';
import { join } from 'node:path';

import { HOME } from '../../settings/config.ts';
import { CommandFailed } from './failure.ts';

/** Adds options, help and action to a command. */
export type Define = (command: Command) => void | Promise<void>;

/** A module that defines a command. */
export interface CommandModule {
  readonly default: Define;
}

/**
 * Loads a command of `tools/`, or has it say that this installation has none: an image for production
 * leaves the folder out.
 */
export async function defineTool(
  command: Command,
  load: () => Promise<CommandModule>,
): Promise<void> {
  if (existsSync(join(HOME, 'tools'))) {
    await (await load()).default(command);
    return;
  }
  command
    .argument('[args...]')
    .helpOption(false)
    .allowUnknownOption()
    .action(() => {
      throw new CommandFailed(
        `${command.name()} is a tool, and this installation was made without the tools, which a ` +
          'service does not need; run it in a checkout of the same version (docs/install.md)',
      );
    });
}
