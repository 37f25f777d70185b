import type { Command } from 'commander';
import { resolve } from 'node:path';

import { readConfig, storeSettings } from '../config.ts';
import { readKeys } from '../key-source.ts';
import { withStore } from './console/context.ts';
import { show } from './console/output.ts';
import { recordAcceptedFiles } from './console/record.ts';
import { endWith, writeErr } from './console/terminal.ts';

interface Options {
  readonly json?: boolean;
  readonly acceptFiles?: boolean;
}

/** The output names at most this many documents whose file is missing from the backup. */
const NAMED_MAX = 1_000;

export default function define(command: Command): void {
  command
    .argument('<folder>', 'a backup')
    .option('--accept-files', 'take over files that belong to another database')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      `
Puts a backup into the database and the file store of the settings, which must both be empty. Their
kind may differ from the backup's: this is how to move from SQLite to MySQL, or from a folder to S3.
Every digest is checked. Files are written first, then all rows in one transaction: if it is
interrupted, run it again. Documents that have expired since come back without their file.
The restored database has an id of its own. Where the files of the lost database are in place, they
still belong to that one: --accept-files takes them over, and the audit says so.

Examples:
  $ ./intaglio restore /backup/2026-11-22
  $ INTAGLIO_DATABASE_URL=mysql://user:password@db/intaglio ./intaglio restore /backup/2026-11-22`,
    )
    .action(async (folder: string, { json, acceptFiles }: Options) => {
      const { restoreStore } = await import('../store/open.ts');
      const config = readConfig(process.env);
      const settings = storeSettings(config, (message) => {
        writeErr(`intaglio: ${message}\n`);
      });
      const encryption = await readKeys(config);
      const report = await restoreStore({ ...settings, encryption }, resolve(folder), acceptFiles);
      if (acceptFiles === true) await withStore(recordAcceptedFiles);
      const { manifest, rows, files, missing, damagedRows, unchecked } = report;
      const damaged = Object.entries(damagedRows);
      if (missing.length + damaged.length > 0) endWith(1);
      const { createdAt } = manifest;
      const named = missing.slice(0, NAMED_MAX);
      show(json, { createdAt, rows, files, unchecked, missing: named, damagedRows }, () =>
        [
          ...named.map((id) => `${id} has no file in the backup`),
          `Restored the backup of ${createdAt}: ${rows} rows, ${files} files.`,
          ...damaged.map(([table, count]) => `${count} rows of ${table} were damaged before it.`),
          ...(unchecked === 0
            ? []
            : [`${unchecked} encrypted files not checked: no key for them.`]),
        ].join('\n'),
      );
    });
}
