import type { Command } from 'commander';

import { withStore } from './console/context.ts';
import { show } from './console/output.ts';

export default function define(command: Command): void {
  command
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      `
A running service sweeps by itself every INTAGLIO_SWEEP_INTERVAL_SECONDS.

Example:
  $ ./intaglio sweep --json`,
    )
    .action(async ({ json }: { json?: boolean }) => {
      const swept = await withStore(async (store) => store.documents.sweep(Date.now()));
      const { expired, orphans } = swept;
      show(json, swept, () => `Removed ${expired} expired documents and ${orphans} orphan files.`);
    });
}
