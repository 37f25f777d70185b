import type { Command } from 'commander';

import { withStore } from './console/context.ts';
import { show } from './console/output.ts';

export default function define(command: Command): void {
  command
    .option('--accept-older-database', 'remove files whose rows were lost, too')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      `
A running service sweeps by itself every INTAGLIO_SWEEP_INTERVAL_SECONDS. When the database is older
than its files (it was put back, or has lost rows), files that are newer than it stay until
--accept-older-database confirms that the rows will not come back; restart the service after it.

Example:
  $ ./intaglio sweep --json`,
    )
    .action(async (options: { json?: boolean; acceptOlderDatabase?: boolean }) => {
      const { json, acceptOlderDatabase } = options;
      const swept = await withStore(async (store) => {
        if (acceptOlderDatabase === true) await store.acceptOlderDatabase();
        return store.documents.sweep(Date.now());
      });
      const { expired, orphans } = swept;
      show(json, swept, () => `Removed ${expired} expired documents and ${orphans} orphan files.`);
    });
}
