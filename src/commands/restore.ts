import type { Command } from 'commander';
import { statSync } from 'node:fs';
import { resolve } from 'node:path';

import { readConfig, storeSettings } from '../settings/config.ts';
import { readKeys } from '../start/key-source.ts';
import { withStore } from './console/context.ts';
import { CommandFailed } from './console/failure.ts';
import { giveWay } from './console/give-way.ts';
import { counted, show } from './console/output.ts';
import { recordAcceptedBackup, recordAcceptedFiles, restoreRecord } from './console/record.ts';
import { endWith, writeErr } from './console/terminal.ts';

interface Options {
  readonly json?: boolean;
  readonly acceptFiles?: boolean;
  readonly acceptUnsealed?: boolean;
}

/** What the output says of a backup that is not known to be the one that was written. */
const DOUBTS = {
  sealed: [],
  unsealed: ['It has no seal, so nothing shows whether somebody changed it (INTAGLIO_AUDIT_KEY).'],
  accepted: ['Its seal was not compared: --accept-unsealed vouched for it.'],
} as const;

export default function define(command: Command): void {
  command
    .argument('<folder>', 'a backup')
    .option('--accept-files', 'take over files that belong to another database')
    .option('--accept-unsealed', 'believe a backup that no seal of INTAGLIO_AUDIT_KEY vouches for')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      `
Puts a backup into the database and the file store of the settings, which must both be empty. Their
kind may differ from the backup's: this is how to move from SQLite to MySQL, or from a folder to S3.
Every digest is checked, and the seal: with INTAGLIO_AUDIT_KEY set, a backup that was not sealed with
this key is refused, and so are those of earlier versions; --accept-unsealed takes them, and the audit
says so. Files are written first, then all rows in one transaction, with the audit record of the
restore: if it is interrupted, run it again. Documents that have expired since come back without their
file.
The restored database has an id of its own. Where the files of the lost database are in place, they
still belong to that one: --accept-files takes them over, and the audit says so.

Examples:
  $ ./intaglio restore /backup/2026-11-22
  $ export INTAGLIO_DATABASE_URL=mysql://user:password@db/intaglio
  $ ./intaglio restore /backup/2026-11-22`,
    )
    .action(async (folder: string, { json, acceptFiles, acceptUnsealed }: Options) => {
      demandBackup(folder);
      giveWay();
      const { restoreStore } = await import('../store/open.ts');
      const config = readConfig(process.env);
      const settings = storeSettings(config, (message) => {
        writeErr(`intaglio: ${message}\n`);
      });
      const encryption = await readKeys(config);
      const report = await restoreStore({ ...settings, encryption }, resolve(folder), {
        areFilesAccepted: acceptFiles === true,
        isUnsealedAccepted: acceptUnsealed === true,
        auditOf: restoreRecord,
      });
      if (acceptFiles === true) await withStore(recordAcceptedFiles);
      const { manifest, authenticity, rows, files, missing, missingCount } = report;
      const { damagedRows, unchecked } = report;
      if (authenticity === 'accepted') await withStore(recordAcceptedBackup(manifest.createdAt));
      const damaged = Object.entries(damagedRows);
      if (missingCount + damaged.length > 0) endWith(1);
      const { createdAt } = manifest;
      const shown = { createdAt, authenticity, rows, files, unchecked, missing, missingCount };
      show(json, { ...shown, damagedRows }, () =>
        [
          ...missing.map((id) => `${id} has no file in the backup`),
          `Restored the backup of ${createdAt}: ${counted(rows, 'row')}, ${counted(files, 'file')}.`,
          ...DOUBTS[authenticity],
          ...damaged.map(
            ([table, count]) =>
              `${counted(count, 'damaged row')} of ${table} had been left out of it.`,
          ),
          ...(unchecked === 0
            ? []
            : [`${counted(unchecked, 'encrypted file')} not checked: the key is missing.`]),
        ].join('\n'),
      );
    });
}

function demandBackup(folder: string): void {
  const found = statSync(folder, { throwIfNoEntry: false });
  if (found?.isDirectory() === true) return;
  const fault = found === undefined ? `there is no folder ${folder}` : `${folder} is not a folder`;
  throw new CommandFailed(`${fault}: name a folder that ./intaglio backup wrote`);
}
