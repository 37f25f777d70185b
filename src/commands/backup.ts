import type { Command } from 'commander';
import { resolve } from 'node:path';

import { type Config, readConfig, storeSettings } from '../settings/config.ts';
import { readKeys } from '../start/key-source.ts';
import type { BackupReport } from '../store/backup/backup.ts';
import type { Manifest } from '../store/backup/manifest.ts';
import { StorageUnavailable } from '../store/store.ts';
import { demandDatabase, searched } from './console/context.ts';
import { CommandFailed, unwritable } from './console/failure.ts';
import { giveWay } from './console/give-way.ts';
import { counted, show } from './console/output.ts';
import { endWith, writeErr } from './console/terminal.ts';

export default function define(command: Command): void {
  command
    .argument('<folder>', 'where to write it; it must be absent or empty')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      `
Writes a snapshot of all rows and the file of every document in it, while the service runs.
Each file is compared with its digest on the way; exit code 1 when one is damaged or missing, and the
backup then lacks it. With INTAGLIO_AUDIT_KEY the backup is sealed: a restore with the key finds
any change of it, by whomever. Sessions and link secrets are left out: keep INTAGLIO_LINK_SECRETS
elsewhere. The folder holds documents and digests of keys: protect it like the service itself.
Encrypted files stay encrypted: keep INTAGLIO_ENCRYPTION_KEYS elsewhere, because without the keys
they cannot be read.
It works with every database and file store, and restores into any other (intaglio restore --help).

Examples:
  $ ./intaglio backup /backup/$(date +%F)
  $ ./intaglio backup /backup/today && rsync -a /backup/today other:/backup/`,
    )
    .action(async (folder: string, { json }: { json?: boolean }) => {
      giveWay();
      const { backUpStore } = await import('../store/open.ts');
      const { isTaken } = await import('../store/backup/folder.ts');
      const path = resolve(folder);
      if (await writing(path, isTaken(path)))
        throw new CommandFailed(`${path} is not empty: name another folder`);
      const config = readConfig(process.env);
      demandDatabase(config);
      const settings = storeSettings(config, (message) => {
        writeErr(`intaglio: ${message}\n`);
      });
      const encryption = await readKeys(config);
      const report = await writing(path, backUpStore({ ...settings, encryption }, path));
      const { manifest, isSealed, lost, lostCount, damagedRows, unchecked } = report;
      if (lostCount + Object.keys(damagedRows).length > 0) endWith(1);
      warnOfEmpty(manifest, config);
      const { files, bytes, createdAt } = manifest;
      const rows = rowsOf(manifest);
      const shown = {
        folder: path,
        createdAt,
        rows,
        files,
        bytes,
        unchecked,
        lost,
        lostCount,
        damagedRows,
        isSealed,
      };
      show(json, shown, () => reportText(path, report));
    });
}

function rowsOf({ tables }: Manifest): number {
  return Object.values(tables).reduce((sum, { rows }) => sum + rows, 0);
}

function reportText(path: string, report: BackupReport): string {
  const { manifest, isSealed, lost, lostCount, damagedRows, unchecked } = report;
  const { createdAt, files, bytes } = manifest;
  return [
    ...lost.map(({ id, fault }) => `${id} ${fault}`),
    `Backup of ${createdAt} in ${path}: ${counted(rowsOf(manifest), 'row')}, ${counted(files, 'file')}, ${bytes} bytes.`,
    ...(lostCount === 0 ? [] : [`Missing or damaged: ${counted(lostCount, 'file')}.`]),
    ...Object.entries(damagedRows).map(
      ([table, count]) =>
        `Damaged, so left out: ${counted(count, 'row')} of ${table}; ./intaglio scrub names them.`,
    ),
    ...(unchecked === 0
      ? []
      : [`${counted(unchecked, 'encrypted file')} not checked: the key is missing.`]),
    isSealed
      ? 'It is sealed with INTAGLIO_AUDIT_KEY.'
      : 'It is not sealed, because INTAGLIO_AUDIT_KEY is not set: keep it where nobody changes it.',
  ].join('\n');
}

/** An empty database is mostly that of other settings than the service's. */
function warnOfEmpty({ tables }: Manifest, config: Config): void {
  if ((tables['teams']?.rows ?? 0) > 0) return;
  writeErr(`intaglio: this backup holds no team and no document. ${searched(config)}\n`);
}

/** Turns a failure to write the folder into one that names it; the store has its own. */
async function writing<T>(path: string, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof StorageUnavailable) throw error;
    throw unwritable(path, error);
  }
}
