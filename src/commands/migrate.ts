import type { Command } from 'commander';

import { withNewStore } from './console/context.ts';
import { show } from './console/output.ts';

export default function define(command: Command): void {
  command
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      `
The service migrates when it starts; this command updates the schema ahead of a roll-out.

Example:
  $ INTAGLIO_DATABASE_URL=mysql://user:password@db/intaglio ./intaglio migrate`,
    )
    .action(async ({ json }: { json?: boolean }) => {
      // `withNewStore` has already migrated. The probe checks that a row can be written.
      await withNewStore(async (store) => store.probe());
      show(json, { migrated: true }, () => 'The database has the current schema.');
    });
}
