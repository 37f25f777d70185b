import { SETTINGS } from '../../settings/config.ts';
import { linkSecrets } from '../../start/secrets.ts';
import { inspectFiles, tryFiles } from '../../start/storage.ts';
import { isFault } from '../../store/database/database-fault.ts';
import type { Store } from '../../store/store.ts';
import { attempt, ofDatabase, ofFiles } from './attempt.ts';
import { databaseClockMs } from './clock.ts';
import { type Examination, isExpected } from './examination.ts';
import { fault, ok, skipped, type Verdict, warning } from './finding.ts';

const CLOCK_DIFFERENCE_MS_MAX = 2_000;

export async function checkDatabase(examination: Examination): Promise<Verdict> {
  const verdict = await tryDatabase(examination);
  if (verdict.state === 'fault') examination.reportDatabaseFault();
  return verdict;
}

function tryDatabase(examination: Examination): Promise<Verdict> {
  const { config, storeWarnings, migrates } = examination;
  return attempt(ofDatabase(config), async () => {
    const store = await examination.store();
    await tryRows(store, migrates);
    const [defect] = await store.checkDatabase();
    if (defect !== undefined) {
      const mend = 'stop the service and restore a backup (docs/operations.md)';
      return fault(`the SQLite file is damaged: ${defect}`, mend);
    }
    if (storeWarnings.length === 0) return ok('rows can be read and written');
    return warning(storeWarnings.join('; '), `see ${SETTINGS.databaseUrl.variable} and its server`);
  });
}

/** Writes a row as a test, if there are tables: the first start makes them. */
async function tryRows(store: Store, hasTables: boolean): Promise<void> {
  try {
    await store.tryDatabase();
  } catch (error) {
    if (hasTables || !isFault(error, 'refused')) throw error;
  }
}

export async function checkClock({ config: { databaseUrl } }: Examination): Promise<Verdict> {
  const databaseMs = await databaseClockMs(databaseUrl);
  if (databaseMs === null) return ok('no other machine to compare it with');
  const differenceMs = Math.round(Math.abs(databaseMs - Date.now()));
  const detail = `${(differenceMs / 1_000).toFixed(1)} s from the database's`;
  if (differenceMs <= CLOCK_DIFFERENCE_MS_MAX) return ok(detail);
  return warning(detail, 'let NTP set both: documents and links expire by this clock');
}

/** After the database, whose files they must be. */
export function checkFiles(examination: Examination): Promise<Verdict> {
  const { config } = examination;
  return attempt(ofFiles(config), async () => {
    await tryFiles(config);
    const store = await examination.storeIfSound();
    if (store === null) return ok('files can be written; whose they are, the database knows');
    await inspectFiles(store, config);
    const { fileWarnings } = store.figures();
    if (fileWarnings.length === 0) return ok('files can be written, and belong to this database');
    return warning(fileWarnings.join('; '), 'see docs/operations.md, Backup and restore');
  });
}

export function checkSecrets({ config }: Examination): Promise<Verdict> {
  const { variable } = SETTINGS.linkSecrets;
  return attempt({ variable, place: 'the file of link secrets' }, () => {
    linkSecrets(config);
    const isShared = config.databaseUrl.startsWith('mysql:') && config.linkSecrets === null;
    if (!isShared) return ok('links can be signed');
    return warning(
      'the secrets of links are kept on this machine, while the database may be shared',
      `give every instance the same ${variable}`,
    );
  });
}

/** For checks that read what the store holds. Its own faults are found by the checks before. */
export async function withStore(
  examination: Examination,
  work: (store: Store) => Promise<Verdict>,
): Promise<Verdict> {
  const store = await examination.storeIfSound();
  if (store === null) return skipped('not examined: mend the database first');
  try {
    return await work(store);
  } catch (error) {
    if (!isExpected(error)) throw error;
    return skipped(`not examined: ${error.message}`);
  }
}
