import type { Command } from 'commander';

import { buildStudio } from '../start/studio-build.ts';
import { CommandFailed } from './console/failure.ts';
import { writeErr, writeOut } from './console/terminal.ts';

export default function define(command: Command): void {
  command
    .addHelpText(
      'after',
      `
serve and demo build it when needed. An image for production builds it once, before the packages that
only the build needs are removed.

Example:
  $ ./intaglio studio && npm prune --omit=dev --ignore-scripts`,
    )
    .action(async () => {
      const isBuilt = await buildStudio((message) => writeErr(`intaglio: ${message}\n`));
      if (!isBuilt) throw new CommandFailed('the Studio is not built');
      writeOut('The Studio is built.\n');
    });
}
