import type { Command } from 'commander';

import { buildStudio } from '../../studio-build.ts';
import { CommandFailed } from '../console/failure.ts';
import { writeErr, writeOut } from '../console/terminal.ts';

export default function define(command: Command): void {
  command
    .addHelpText(
      'after',
      `
serve and demo do this by themselves. An image for production does it once, before what only the build
needs is removed.

Example:
  $ ./intaglio studio && npm prune --omit=dev --ignore-scripts`,
    )
    .action(async () => {
      const isBuilt = await buildStudio((message) => writeErr(`intaglio: ${message}\n`));
      if (!isBuilt) throw new CommandFailed('the Studio is not built');
      writeOut('The Studio is built.\n');
    });
}
