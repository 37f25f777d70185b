import type { Command } from 'commander';

import { withStore } from './console/context.ts';
import type { Store } from '../store/store.ts';
import { show } from './console/output.ts';
import { record, recordAcceptedFiles } from './console/record.ts';

interface Options {
  readonly json?: boolean;
  readonly acceptOlderDatabase?: boolean;
  readonly acceptFiles?: boolean;
  readonly acceptOrphans?: boolean;
}

/** What an operator can confirm, in the order in which it takes effect. */
const CONFIRMATIONS = [
  {
    option: 'acceptFiles',
    accept: async (store: Store) => {
      await store.takeOverFiles();
      await recordAcceptedFiles(store);
    },
  },
  {
    option: 'acceptOlderDatabase',
    accept: async (store: Store) => {
      await store.acceptOlderDatabase();
      await recordSweep(store, 'rows that are newer than the database are lost');
    },
  },
  {
    option: 'acceptOrphans',
    accept: (store: Store) => recordSweep(store, 'all files without a row are removed'),
  },
] as const;

async function recordSweep(store: Store, detail: string): Promise<void> {
  await record(store, { action: 'files.sweep', teamId: '', detail });
}

export default function define(command: Command): void {
  command
    .option('--accept-older-database', 'remove files whose rows were lost, too')
    .option('--accept-files', 'take over files that belong to another database')
    .option('--accept-orphans', 'remove all files without a row, however many there are')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      `
A running service sweeps by itself every INTAGLIO_SWEEP_INTERVAL_SECONDS. Three confirmations go into
the audit, and are for an operator who knows that database and files belong together:

  --accept-older-database  The database is older than its files (it was put
                           back, or has lost rows), and the rows will not come
                           back: files that are newer than it are orphans, too.
                           Restart the service after it.
  --accept-files           The files belong to another database, or to one that
                           nobody knows: this database takes them over, and a
                           service with the other database neither starts nor
                           sweeps.
  --accept-orphans         Over 100 files, and over a tenth of all, have no row:
                           remove them.

Example:
  $ ./intaglio sweep --json`,
    )
    .action(async (options: Options) => {
      const swept = await withStore(async (store) => {
        for (const { option, accept } of CONFIRMATIONS) {
          if (options[option] === true) await accept(store);
        }
        return store.documents.sweep(Date.now(), options.acceptOrphans);
      });
      const { expired, orphans } = swept;
      const text = `Removed ${expired} expired documents and ${orphans} orphan files.`;
      show(options.json, swept, () => text);
    });
}
